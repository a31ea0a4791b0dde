"""The playbook as a state holds it: one bullet a line, oldest first, so that `git blame` tells when each one came.

    {"id": "strategies-00001", "text": "Look for the rule before you try."}

Counters change after nearly every attempt and would make each line look new, so they lie in a file beside it, a record
a line. `repaired` keeps that file under `method/`; `faithful` shows the counters to the acting agent, as the published
code does, and so keeps it under `agent/`. Files that somebody else has edited are read as far as they hold bullets.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.values import State
from rung.methods._plain import plain

Variant: TypeAlias = Literal["repaired", "faithful"]

PLAYBOOK = "agent/memory/playbook.jsonl"
META = "method/meta.json"
COUNTERS: Mapping[Variant, str] = MappingProxyType(
    {"repaired": "method/counters.jsonl", "faithful": "agent/memory/counters.jsonl"}
)
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "strategies": "WAYS OF WORKING",
        "formulas": "FORMULAS AND CALCULATIONS",
        "snippets": "SNIPPETS AND TEMPLATES",
        "mistakes": "MISTAKES TO AVOID",
        "heuristics": "RULES OF THUMB",
        "clues": "SIGNS TO LOOK FOR",
        "others": "OTHER",
    }
)
"""The sections by the word that ids begin with, in the order in which they are shown."""

OTHERS = "others"
MAX_CHARACTERS = 500
"""Characters of one bullet."""

MAX_NUMBER = 999_999_999
BYTES_A_TOKEN = 4
"""Tokens are not counted, for each model has its own; four bytes are taken for one."""

_ID = re.compile(r"(?P<section>[a-z]{1,20})-(?P<number>[0-9]{5,9})")


@dataclass(frozen=True, slots=True)
class Bullet:
    """One note."""

    section: str
    number: int
    text: str

    @property
    def id(self) -> str:
        """The section and a number that is the bullet's alone.

        >>> Bullet("clues", 42, "").id
        'clues-00042'
        """
        return f"{self.section}-{self.number:05d}"


@dataclass(frozen=True, slots=True)
class Count:
    """How often a bullet was said to have helped, to have harmed, and to have been used."""

    helpful: int = 0
    harmful: int = 0
    used: int = 0

    def plus(self, other: "Count") -> "Count":
        """Both together."""
        return Count(self.helpful + other.helpful, self.harmful + other.harmful, self.used + other.used)


NEVER = Count()


@dataclass(frozen=True, slots=True)
class Playbook:
    """All bullets by number, their counts, the number that the next one gets, and how many attempts were curated."""

    bullets: tuple[Bullet, ...] = ()
    counts: Mapping[str, Count] = field(default_factory=dict)
    following: int = 1
    tasks: int = 0

    def count(self, bullet: Bullet) -> Count:
        """The count of a bullet."""
        return self.counts.get(bullet.id, NEVER)

    def by_id(self) -> Mapping[str, Bullet]:
        """The bullets by their ids."""
        return {bullet.id: bullet for bullet in self.bullets}

    def counted(self, name: str, more: Count) -> "Playbook":
        """With this much more of one bullet."""
        return replace(self, counts={**self.counts, name: self.counts.get(name, NEVER).plus(more)})

    def added(self, section: str, text: str) -> "Playbook":
        """With one bullet more, under a number that none had before."""
        bullet = Bullet(section, self.following, text)
        return replace(self, bullets=(*self.bullets, bullet), following=self.following + 1)

    def reworded(self, name: str, text: str) -> "Playbook":
        """With another text in the place of one."""
        texts = (replace(each, text=text) if each.id == name else each for each in self.bullets)
        return replace(self, bullets=tuple(texts))

    def without(self, name: str) -> "Playbook":
        """With one bullet less."""
        counts = {key: count for key, count in self.counts.items() if key != name}
        return replace(self, bullets=tuple(each for each in self.bullets if each.id != name), counts=counts)


# --------------------------------------------------------------------------------------------- what is shown


def shown(playbook: Playbook, *, counts: bool) -> str:
    """The bullets below the headings of their sections; nothing at all for none."""
    return "\n".join(_lines(playbook, counts=counts))


def _lines(playbook: Playbook, *, counts: bool) -> Iterator[str]:
    for section, heading in SECTIONS.items():
        own = [bullet for bullet in playbook.bullets if bullet.section == section]
        yield from [f"## {heading}"] if own else []
        yield from (line(each, playbook.count(each) if counts else None) for each in own)


def line(bullet: Bullet, count: Count | None = None) -> str:
    """A bullet as it is shown, with its count where one is given.

    >>> line(Bullet("clues", 7, "Look up."), Count(2, 1))
    '[clues-00007] helpful=2 harmful=1 :: Look up.'
    """
    said = f" helpful={count.helpful} harmful={count.harmful} ::" if count is not None else ""
    return f"[{bullet.id}]{said} {bullet.text}"


def tokens(playbook: Playbook) -> int:
    """About how many tokens the playbook takes where it is longest: with its counts.

    >>> tokens(Playbook((Bullet("others", 1, "abcd"),)))
    13
    """
    size = len(shown(playbook, counts=True).encode("utf-8", "replace"))
    return -(-size // BYTES_A_TOKEN)


# --------------------------------------------------------------------------------------------- the files


def read(state: State, variant: Variant) -> Playbook:
    """The playbook of a state. What is no bullet, no count and no number is left out."""
    bullets = {each.number: each for each in map(_bullet, reversed(_texts(state, PLAYBOOK))) if each is not None}
    ordered = tuple(bullets[number] for number in sorted(bullets))
    known = {bullet.id for bullet in ordered}
    records = [_record(text) for text in _texts(state, COUNTERS[variant])]
    meta = _record("".join(_texts(state, META)))
    return Playbook(
        ordered,
        {str(each["id"]): _count(each) for each in records if each.get("id") in known},
        max([_whole(meta.get("next")), 1, *(each.number + 1 for each in ordered)]),
        _whole(meta.get("tasks")),
    )


def _texts(state: State, path: str) -> Sequence[str]:
    return state.files.get(path, b"").decode("utf-8", "replace").split("\n")


def _bullet(line: str) -> Bullet | None:
    record = _record(line)
    found, told = _ID.fullmatch(str(record.get("id", ""))), record.get("text")
    if found is None or found["section"] not in SECTIONS or not isinstance(told, str):
        return None
    text = plain(told)[:MAX_CHARACTERS]
    return Bullet(found["section"], int(found["number"]), text) if text else None


def _record(text: str) -> Mapping[str, object]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) and isinstance(record.get("id", ""), str) else {}


def _count(record: Mapping[str, object]) -> Count:
    return Count(*(_whole(record.get(key)) for key in ("helpful", "harmful", "used")))


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER else 0


def write(state: State, playbook: Playbook, variant: Variant) -> State:
    """The state with this playbook in it."""
    counts = (_told(name, count) for name, count in sorted(playbook.counts.items(), key=_numbered))
    bullets = ({"id": bullet.id, "text": bullet.text} for bullet in playbook.bullets)
    meta = {"next": playbook.following, "tasks": playbook.tasks}
    return state.with_files(
        {
            PLAYBOOK: "".join(f"{canonical(record)}\n" for record in bullets).encode(),
            COUNTERS[variant]: "".join(f"{canonical(record)}\n" for record in counts).encode(),
            META: f"{canonical(meta)}\n".encode(),
        }
    )


def _told(name: str, count: Count) -> Mapping[str, JSON]:
    return {"id": name, "helpful": count.helpful, "harmful": count.harmful, "used": count.used}


def _numbered(item: tuple[str, Count]) -> int:
    return int(item[0].rsplit("-", 1)[1])
