"""What a file in an agent's home is: conversation, the harness's own state, files of the agent, or cache.

What carried a gain is asked by class, so a path that no rule knows is an error and never put with a neighbour. A
program's own folders are covered by rules alone; all else in the home and the working folder the agent put there.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from rung.core.errors import InstrumentFault

PathClass: TypeAlias = Literal["conversation", "harness state", "files", "cache"]

CLASSES: Sequence[PathClass] = ("conversation", "harness state", "files", "cache")


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns of paths under the home, each with its class; the first that fits counts.

    `*` stands for a part of one name, `**` for anything. `own` are the names at the top of the home that are the
    program's: below them there is no class but by a pattern.
    """

    own: tuple[str, ...]
    patterns: tuple[tuple[str, PathClass], ...]

    def of(self, path: str) -> PathClass:
        """The class of a path that is relative to the home. Raises `InstrumentFault` for one that no rule knows.

        >>> Rules(own=(".x",), patterns=((".x/log/**", "cache"),)).of("notes/a.md")
        'files'
        """
        found = self.find(path)
        if found is None:
            raise InstrumentFault(
                "agents",
                f"no rule says what {path!r} is in a home; read what the program keeps there, and give it a pattern",
            )
        return found

    def find(self, path: str) -> PathClass | None:
        """The class of a path, None where no rule knows it."""
        for pattern, kind in (*self.patterns, (".cache/**", "cache")):
            if _compiled(pattern).fullmatch(path):
                return kind
        top = path.partition("/")[0]
        return None if any(_compiled(own).fullmatch(top) for own in self.own) else "files"

    def hold(self, paths: Iterable[str], conversation: str) -> bool:
        """Whether a conversation is among the files of a home: every program has its id in a file's name.

        >>> Rules((".x",), ((".x/log/**", "conversation"),)).hold([".x/log/1-ab.jsonl", "ab"], "ab")
        True
        """
        named = (path for path in paths if conversation in path.rpartition("/")[2])
        return any(self.find(path) == "conversation" for path in named)

    def unknown(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths that no rule knows."""
        return tuple(path for path in paths if self.find(path) is None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    spelt = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(spelt.get(part, re.escape(part)) for part in parts), re.DOTALL)
