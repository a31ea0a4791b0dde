"""What a detector finds, and how much it weighs."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Detector: TypeAlias = Literal["network", "commands", "content", "provider", "states", "stream"]

Weight: TypeAlias = Literal["proof", "strong", "weak"]
"""`proof`: content of the exam, or its secret, lies where it cannot have come by work. `strong`: something was fetched
or read that only a cheat wants. `weak`: it was tried, or cannot be told from that."""

When: TypeAlias = Literal["before", "work", "exam"]
"""In the exam of A_0, in work, or in the exam of what work left."""

QUOTED = 240
"""Characters of a quote: enough to be judged by a reader, and too few to hand on a key."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was found. `place` is the journal path it rests on, `quote` what stands there.

    `who` is the arm's lineage or the examinee it speaks of (`codex.L1`, `A0.3f9a2c`); `touched` are the places of exam
    items that it names, none where it speaks of all. `says` is what it is, in words.
    """

    detector: Detector
    weight: Weight
    when: When
    who: str
    place: str
    says: str
    quote: str
    touched: tuple[int, ...] = ()


def quoted(text: str, *, around: int = 0) -> str:
    """The part of a text that is quoted: on one line, and no longer than `QUOTED`.

    >>> quoted("a\\n  b")
    'a b'
    """
    start = 0 if len(text) <= QUOTED else max(0, around - QUOTED // 4)
    piece = re.sub(r"\s+", " ", text[start : start + 2 * QUOTED]).strip()
    return piece if len(piece) <= QUOTED else f"{piece[: QUOTED - 1]}…"
