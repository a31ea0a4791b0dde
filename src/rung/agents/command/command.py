"""A program of the user's own: any arguments, and nothing known of it but what the config says."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rung.agents.command.facts import KEY, OPT, Facts, Launch, Prepared
from rung.agents.command.paths import Rules
from rung.core.canonical import JSON
from rung.core.confined import Given
from rung.core.errors import UsageError

INSTRUCTION = f"{OPT}/instruction.md"
"""The instruction and the first message, as a file."""

CLIENT = f"{OPT}/client"
"""Where the client of the tools lies that needs no MCP. It is on PATH and on PYTHONPATH."""

FOLDER = f"{OPT}/program"
"""Where the user's own folder is, which cannot be written."""

TASKS_URL = "RUNG_TASKS_URL"

PLACEHOLDERS = ("tools_url", "models_url", "model", "instruction_file")

RULES = Rules(own=(), patterns=())
"""All that is in its home it put there, and nobody else knows what it is."""

_PLACE = re.compile(r"\{([a-z_]+)\}")
_SECRET = re.compile(r"(?i).*(key|token|secret|password)")


@dataclass(frozen=True, slots=True)
class Own:
    """What the config says of a program: its arguments and what stands in its environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]

    def prepare(self, launch: Launch) -> Prepared:
        """The arguments with their placeholders filled, and the instruction as a file."""
        filled = {
            "tools_url": launch.tools_url,
            "models_url": launch.models_url,
            "model": launch.model,
            "instruction_file": INSTRUCTION,
        }
        env = {
            "PATH": f"{CLIENT}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": CLIENT,
            TASKS_URL: launch.tools_url,
            **self.env,
        }
        argv = tuple(_PLACE.sub(lambda found: filled[found[1]], part) for part in self.argv)
        return Prepared(argv, env, (Given(f"{launch.system}\n\n{launch.first}\n".encode(), INSTRUCTION),))


def facts(command: JSON, env: JSON) -> Facts:
    """The facts of a program from the options of `[agent]`; raises `UsageError` for what cannot be one."""
    own = Own(_argv(command), _env(env))
    return Facts(
        "command",
        package=None,
        node=False,
        slot="file",
        wire=None,
        prepare=partial(Own.prepare, own),
        rules=RULES,
        speaks=False,
    )


def _argv(command: JSON) -> tuple[str, ...]:
    parts: Sequence[JSON] = command if isinstance(command, list) else ()
    words = [part for part in parts if isinstance(part, str) and part]
    if not words or len(words) != len(parts):
        raise UsageError(
            f"[agent]: command is a list of words, seen {command!r}; for example "
            'command = ["python3", "/opt/rung/program/agent.py", "{instruction_file}"]'
        )
    for word in words:
        for name in _PLACE.findall(word):
            if name not in PLACEHOLDERS:
                known = ", ".join(f"{{{place}}}" for place in PLACEHOLDERS)
                raise UsageError(f"[agent]: command has {{{name}}}, which nothing fills; there are {known}")
    return tuple(words)


def _env(env: JSON) -> Mapping[str, str]:
    given: Mapping[str, JSON] = env if isinstance(env, dict) else {}
    if env is not None and not isinstance(env, dict):
        raise UsageError(f'[agent]: env is a table of strings, seen {env!r}; for example env = {{ LEVEL = "3" }}')
    found = {}
    for name, value in given.items():
        if not isinstance(value, str):
            raise UsageError(f"[agent]: env.{name} is a string, seen {value!r}; put it in quotes")
        if _SECRET.fullmatch(name) and value != KEY:
            raise UsageError(
                f"[agent]: env.{name} looks like a secret, and whatever is in there the agent can read; the gateway "
                f'holds the keys, so give it the value "{KEY}"'
            )
        found[name] = value
    return found
