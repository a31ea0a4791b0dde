"""Which piece carried the gain: the after-exam of a cell once more, from what a session left with pieces taken out.

A carry names what goes along: one class of what was left (conversation, harness state, files, cache), all but one, a
pattern of paths, or nothing. For each the same sealed tasks are attempted by forks of the reduced snapshot, as the
after-exam was; the full fork's exam is the one that has been sat. Every carry's attempts are shuffled together.

    exam/<arm>.L3+only-files/0001/1      an attempt of lineage 3's end, with its files alone
    plan/carry/only-files      carry     what goes along
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast

from rung.core.canonical import sha256
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.protocols.exam import Examinee, sit
from rung.protocols.plan import Plan
from rung.protocols.study import Arm, Bench, Study

CLASSES = ("conversation", "harness state", "files", "cache")
"""What all that a program left is divided into (see `rung.agents.command.paths`)."""

MARK = "+"
"""What stands between the name of a lineage's end and that of a carry."""


@dataclass(frozen=True, slots=True)
class Carry:
    """What goes along: the `kept` classes and patterns, or, where `out`, all but those. `name` is it as a path."""

    name: str
    kept: tuple[str, ...]
    out: bool = False

    def keeps(self, kind: str, path: str) -> bool:
        """Whether a file of this class at this path (`home/notes.md`, `workspace/x.py`) goes along."""
        return any(_fits(each, kind, path) for each in self.kept) is not self.out

    @property
    def conversation(self) -> bool:
        """Whether the conversation is forked; without it a session begins a new one."""
        return ("conversation" in self.kept) is not self.out

    @property
    def words(self) -> str:
        """In words: `files alone`, `all but the files`, `nothing`."""
        if not self.kept:
            return "everything" if self.out else "nothing"
        named = " and ".join(self.kept)
        return f"all but {named}" if self.out else f"{named} alone"


def _fits(wanted: str, kind: str, path: str) -> bool:
    return wanted == kind or (wanted not in CLASSES and fnmatchcase(path, wanted))


def carry(text: str) -> Carry:
    """A carry as it is written on a command line: classes or patterns with commas between; `-` before them all for all
    but those; `none`.

    >>> carry("files").name, carry("-harness state").words, carry("none").words
    ('only-files', 'all but harness state', 'nothing')
    """
    if text.strip() == "none":
        return Carry("nothing", ())
    out = text.strip().startswith("-")
    kept = tuple(dict.fromkeys(filter(None, (part.strip() for part in text.strip().removeprefix("-").split(",")))))
    if not kept:
        raise UsageError(f"--carry {text!r} names nothing; for example --carry files, --carry -conversation, or none")
    for each in kept:
        if each not in CLASSES and "/" not in each:
            raise UsageError(
                f"--carry {each!r} is no class and no path; the classes are {', '.join(CLASSES)}, and a pattern begins "
                "with home/ or workspace/: 'home/notes/**'"
            )
    plain = "-".join(re.sub(r"[^a-z0-9]+", "-", each.lower()).strip("-") for each in kept)
    exact = all(each in CLASSES for each in kept)
    name = plain if exact else f"{plain[:30].strip('-')}-{sha256(','.join(kept))[:6]}"
    return Carry(f"{'no' if out else 'only'}-{name}", kept, out)


def each(classes: Sequence[str] = CLASSES[:3]) -> tuple[Carry, ...]:
    """Each of these classes alone, each left out, and nothing at all."""
    return (*(carry(one) for one in classes), *(carry(f"-{one}") for one in classes), carry("none"))


async def conduct(drawn: Plan, arms: tuple[Arm, ...], bench: Bench, *, carries: Iterable[Carry]) -> None:
    """Sit the exam with every carry. Running it again on the same journal resumes it, and sits nothing twice."""
    study, wanted = Study(bench), tuple(carries)
    examinees = []
    for arm in arms:
        for number in range(1, len(drawn.held.lineages) + 1):
            left = _left(bench.journal, arm, number)
            if left is not None:
                examinees += _reduced(arm, number, left, wanted, drawn.exam.repeats)
    if not examinees:
        raise UsageError("no working session of this run has ended with anything kept; run it to its end first")
    for one in wanted:
        study.note(f"plan/carry/{one.name}", "carry", {"kept": list(one.kept), "out": one.out, "words": one.words})
    await sit(study, drawn.exam, examinees, order=drawn.seed.child("carry-order"))


def _left(journal: Journal, arm: Arm, number: int) -> str | None:
    ended = cast("dict[str, Any]", journal.get(f"{arm.name}/L{number}/work", "ended") or {})
    return cast("str | None", ended.get("left"))


def _reduced(arm: Arm, number: int, left: str, carries: Sequence[Carry], repeats: int) -> list[Examinee]:
    assert arm.hand is not None
    return [
        Examinee(
            f"{arm.name}.L{number}{MARK}{one.name}", arm, arm.hand.reduced(left, one.keeps, one.conversation), repeats
        )
        for one in carries
    ]
