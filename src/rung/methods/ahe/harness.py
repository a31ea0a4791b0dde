"""The harness as files: what lies where, what of it is told to the agent, and which helpers and middleware there are.

    agent/prompt/NAME.md, agent/memory/NAME.md, agent/skills/NAME/SKILL.md     told, in this order
    agent/tools/NAME.json with NAME.py                                         a helper
    agent/middleware/NAME.py                                                   code around every step

Files that somebody else has edited are read as far as they are of use: a helper whose JSON is none is no helper.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rung.core.canonical import JSON
from rung.core.surface import Surface, matches
from rung.core.values import State, Tool

TEXTS = ("agent/prompt/*.md", "agent/memory/*.md", "agent/skills/*/SKILL.md")
SYSTEM = "agent/system.md"
TOOLS = ("agent/tools/*.py", "agent/tools/*.json")
MIDDLEWARE = "agent/middleware/*.py"
OWN = "method/ahe/*"

MOST_TOLD = 24_000
"""Bytes of all texts together that are told. A longer state is told its beginning."""

MOST_HELPERS = 12
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def surface(*, code: bool) -> Surface:
    """What an improver may change, and the method with it."""
    write = (*TEXTS, SYSTEM, *((*TOOLS, MIDDLEWARE) if code else ()))
    return Surface(write=write, file_bytes=32_000, total_bytes=2 << 20, files=400, binary_bytes=0)


def told(state: State) -> str:
    """All texts of a harness, each under the name of its part; empty where there are none."""
    parts = []
    for glob in TEXTS:
        for path in sorted(path for path in state.files if matches(path, glob)):
            text = state.files[path].decode("utf-8", "replace").strip()
            parts += [f"{_heading(path)}\n{text}"] if text else []
    whole = "\n\n".join(parts).encode("utf-8", "replace")
    return whole[:MOST_TOLD].decode("utf-8", "ignore")


def _heading(path: str) -> str:
    """The name of a part: `memory long_term`, `skill count`."""
    pieces = path.split("/")
    return f"[skill {pieces[2]}]" if pieces[1] == "skills" else f"[{pieces[1]} {pieces[2].removesuffix('.md')}]"


@dataclass(frozen=True, slots=True)
class Helper:
    """A helper that the agent may use."""

    name: str
    tool: Tool
    path: str


def helpers(state: State) -> Mapping[str, Helper]:
    """The helpers of a state, by name: those with code and with a description that can be read."""
    found: dict[str, Helper] = {}
    for path in sorted(path for path in state.files if matches(path, "agent/tools/*.json")):
        name, code = path.split("/")[-1].removesuffix(".json"), f"{path.removesuffix('.json')}.py"
        about = _read(state.files[path])
        if code in state.files and _NAME.fullmatch(name) and about is not None and len(found) < MOST_HELPERS:
            found[name] = Helper(name, Tool(name, *about), code)
    return found


def _read(data: bytes) -> tuple[str, Mapping[str, JSON]] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("description"), str):
        return None
    parameters = found.get("parameters", {"type": "object", "properties": {}})
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        return None
    return " ".join(found["description"].split())[:500], parameters


def has_middleware(state: State) -> bool:
    """Whether there is code around the steps."""
    return any(matches(path, MIDDLEWARE) for path in state.files)


def has_code(state: State) -> bool:
    """Whether acting with this state runs code."""
    return has_middleware(state) or bool(helpers(state))
