"""The files that a program left, by their paths inside, with their classes and their texts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rung.agents.command import PROGRAMS, command
from rung.agents.command.facts import HOME, WORK
from rung.agents.command.paths import Rules
from rung.core.ports import Journal
from rung.findings.sessions import Left
from rung.store.manifests import File, Manifest, parse

LARGEST = 1 << 20
"""Bytes of a file that is read as text; of a larger one its path alone is known here."""
UNCLASSED = "unclassified"
BYPRODUCT = "by-product"
"""What tools make beside the agent's own work: bytecode, packages that were installed, a repository's store."""
_MADE = re.compile(
    r"(^|/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|node_modules|\.?venv|\.git|[^/]+\.egg-info)/"
)

CODE = re.compile(r"\.(py|sh|bash|js|mjs|cjs|ts|rb|pl|php|lua|r|go|rs|ipynb)$", re.IGNORECASE)
READ_AT_START = re.compile(
    r"(^|/)(CLAUDE|CLAUDE\.local|AGENTS|AGENTS\.override|GEMINI|SYSTEM|APPEND_SYSTEM)\.md$"
    r"|(^|/)\.(claude|codex|pi|agents)/(.+/)?"
    r"(skills|memory|memories|agents|commands|prompts|hooks|rules|output-styles|extensions|workflows|tools)/"
    r"|(^|/)\.claude/settings[^/]*\.json$|(^|/)\.codex/[^/]+\.toml$|(^|/)\.codex/hooks\.json$|(^|/)\.mcp\.json$"
)
"""Files that a harness reads by itself: instructions, skills, memory, agents, commands, hooks, rules, settings."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that was left: `home/notes.md` or `workspace/x.py`, and `inside` where the program finds it."""

    path: str
    inside: str
    kind: str
    bytes: int
    digest: str

    @property
    def entry(self) -> bool:
        """Whether a harness reads it by itself."""
        return READ_AT_START.search(self.path) is not None

    def text(self, journal: Journal) -> str:
        """What is in it as text; empty for what is too large or no text."""
        if self.bytes > LARGEST:
            return ""
        data = journal.read_blob(self.digest)
        return "" if b"\0" in data else data.decode("utf-8", "replace")


def rules_of(program: str) -> Rules:
    """The path rules of a program by the id that its sessions carry: `command:claude-code effort=low`."""
    name = program.split(" ")[0].partition(":")[2]
    return PROGRAMS[name].rules if name in PROGRAMS else command.RULES


def artifacts(journal: Journal, left: Left, program: str) -> Mapping[str, Artifact]:
    """Every regular file of a snapshot, by its path inside. A file of several names is at each of them."""
    rules = rules_of(program)
    found: dict[str, Artifact] = {}
    for digest, folder, inside in ((left.home, "home", HOME), (left.work, "workspace", WORK)):
        for path, entry in _manifest(journal, digest).entries.items():
            if isinstance(entry, File):
                kind = (rules.find(path) or UNCLASSED) if folder == "home" else "files"
                kind = BYPRODUCT if kind == "files" and _MADE.search(path) else kind
                place = f"{inside}/{path}"
                found[place] = Artifact(f"{folder}/{path}", place, kind, entry.size, entry.digest)
    return found


def _manifest(journal: Journal, digest: str) -> Manifest:
    return parse(journal.read_blob(digest).decode("utf-8", "replace"))


# --------------------------------------------------------------------------------------------- names in code

_DEFINED = {
    "py": re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE),
    "sh": re.compile(r"^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\(\)[ \t]*\{", re.MULTILINE),
    "js": re.compile(
        r"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?function\*?[ \t]+([A-Za-z_$][\w$]*)[ \t]*\("
        r"|^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?"
        r"\([^()\n]*\)[ \t]*=>",
        re.MULTILINE,
    ),
}


def defined(code: str) -> tuple[str, ...]:
    """The functions that a piece of code defines, each as often as it does, in Python, a shell or JavaScript.

    >>> defined("def a(x):\\n  pass\\nhelp() {\\n}\\nconst f = (x) => x")
    ('a', 'help', 'f')
    """
    return tuple(
        name for pattern in _DEFINED.values() for found in pattern.finditer(code) for name in found.groups() if name
    )


def names_in(artifact: Artifact, text: str) -> frozenset[str]:
    """The functions that a kept code file defines."""
    return frozenset(defined(text)) if is_code(artifact, text) else frozenset()


def is_code(artifact: Artifact, text: str) -> bool:
    """Whether a file is code: by the end of its name, or by its first line."""
    return CODE.search(artifact.path) is not None or text.startswith("#!")
