"""How an answer is judged: one of four kinds of check, each a line of the user's own file.

A check that says no is a score of 0. A check that cannot say anything has broken: an `InstrumentFault`, and no score.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from rung.core.canonical import JSON, sha256
from rung.core.errors import InstrumentFault
from rung.core.ports import Ran, Sandbox

PATTERN_SECONDS = 1.0
"""Seconds of processor time for matching one answer. No honest pattern needs them; one that backtracks does."""

ANSWER_FILE = "answer.txt"

NOT_STARTED = (126, 127)
"""What a shell or `env` exits with when the program it was to start cannot be executed, or is not there."""

LONGEST_NUMBER = 400

# A sign counts where no letter, digit, point or bracket stands before it: 3-5 ends in 5, and x = -5 in -5. Commas
# count in groups of three. Linear in any text, and exponents are short, so that no number is slow to work out.
_NUMBER = re.compile(
    r"(?:(?<![\w.)\]])[-+\u2212])?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:[eE][-+]?[0-9]{1,3}(?![0-9]))?"
)
_SAID = re.compile(r"score:[ \t]*([^ \t]+)")
_SHARE = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE]-?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Exact:
    """The answer is this text, with no regard to white space around it."""

    text: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """The whole answer matches this regular expression."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Number:
    """The last number in the answer is this one, give or take the tolerance. Both are exact: 1.1 is 11/10."""

    value: Fraction
    tolerance: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Command:
    """A command says whether the answer is right. `files` are what it needs, by their path beside the user's file."""

    argv: tuple[str, ...]
    seconds: float
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)


Check: TypeAlias = Exact | Pattern | Number | Command


def spelt(check: Check) -> JSON:
    """All that a check is, to be hashed: other answers pass only where this differs."""
    if isinstance(check, Exact):
        return ["exact", check.text, check.ignore_case]
    if isinstance(check, Pattern):
        return ["regex", check.pattern]
    if isinstance(check, Number):
        return ["number", str(check.value), str(check.tolerance)]
    return ["command", list(check.argv), check.seconds, {name: sha256(data) for name, data in check.files.items()}]


async def judge(check: Check, answer: str, *, sandbox: Sandbox | None) -> float:
    """The share of right in an answer, 0 to 1; raises `InstrumentFault` when the check itself breaks."""
    if not isinstance(check, Command):
        return float(passes(check, answer))
    if sandbox is None:
        raise InstrumentFault("sandbox", "there is none, and this check is a command")
    given = answer.encode()
    files = {**check.files, ANSWER_FILE: given}
    return _share(check, await sandbox.run(check.argv, files=files, seconds=check.seconds, stdin=given))


def passes(check: Exact | Pattern | Number, answer: str) -> bool:
    """Whether an answer passes a check that runs nothing."""
    if isinstance(check, Exact):
        return _fold(check, check.text) == _fold(check, answer)
    if isinstance(check, Number):
        said = last_number(answer)
        return said is not None and abs(said - check.value) <= check.tolerance
    try:
        return compiled(check.pattern).fullmatch(answer.strip(), timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        raise InstrumentFault(
            "check", f"the regex took more than {PATTERN_SECONDS:g} s over an answer of {len(answer)} letters"
        ) from None


def _fold(check: Exact, text: str) -> str:
    return text.strip().casefold() if check.ignore_case else text.strip()


def last_number(text: str) -> Fraction | None:
    """The last number in a text, in plain digits; None where there is none, or where it is absurdly long.

    >>> str(last_number("between 3-5, so 1,250.5 EUR.")), last_number("none")
    ('2501/2', None)
    """
    found = deque(_NUMBER.finditer(text), maxlen=1)
    if not found or len(found[0][0]) > LONGEST_NUMBER:
        return None
    return Fraction(found[0][0].replace(",", "").replace("\u2212", "-"))


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """The pattern, ready to match; raises `regex.error` for one that is none.

    Python's own `re` can be made to match for ever; `regex` reads the same patterns and can be told when to stop.
    """
    import regex

    return regex.compile(pattern)


def _share(check: Command, ran: Ran) -> float:
    if ran.late:
        raise InstrumentFault("check", f"the command did not end within {check.seconds:g} s")
    if ran.status is None:
        raise InstrumentFault("check", "the command was ended by a signal")
    if ran.status in NOT_STARTED:
        raise InstrumentFault("check", f"the command ended with {ran.status}: what it calls could not be started")
    said = _said(ran.out)
    return float(ran.status == 0) if said is None else said


def _said(out: bytes) -> float | None:
    """The share in the last line that a command printed; None where that line says nothing of a score."""
    lines: Sequence[str] = out.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    found = _SAID.fullmatch(last)
    if found is None:
        return None
    share = float(found[1]) if _SHARE.fullmatch(found[1]) else -1.0
    if not 0.0 <= share <= 1.0:
        raise InstrumentFault("check", f"the command said score: {found[1][:40]!a}, and a share is from 0 to 1")
    return share
