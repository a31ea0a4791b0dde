"""From evidence to a word: clean, suspicious or contaminated; and which exam items are touched.

    contaminated    a proof; or strong evidence from two sources; or the same strong deed in work and again in the exam
    suspicious      any other evidence
    clean           none. It says that the record shows nothing, and not that there was nothing

The two sources have to be of those that see different things: what the network carried, what the provider did, what
texts hold, what was done. What a session ran and what it wrote are both its deeds, and one source.

An item is touched when evidence names it, and every item is where evidence names none: what was fetched in work may
hold all. Both rules look at evidence alone and at no score, so that they are the same whatever the outcomes were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rung.findings.audit.evidence import Evidence, When

Word: TypeAlias = Literal["clean", "suspicious", "contaminated"]

WORDS: Sequence[Word] = ("clean", "suspicious", "contaminated")
"""From good to bad."""

PHASES: Sequence[When] = ("before", "work", "exam")

SOURCES = 2
"""Different sources of strong evidence that are as good as a proof: each alone has a harmless reading, both not."""


def judged(evidence: Iterable[Evidence]) -> Word:
    """The verdict over the evidence of one lineage, or of one examinee."""
    found = list(evidence)
    strong = [each for each in found if each.weight == "strong"]
    again = {each.when for each in strong if _source(each) == "deeds"} >= {"work", "exam"}
    if any(each.weight == "proof" for each in found) or len(set(map(_source, strong))) >= SOURCES or again:
        return "contaminated"
    return "suspicious" if found else "clean"


def _source(each: Evidence) -> str:
    return "deeds" if each.detector in ("commands", "states", "stream") else each.detector


def worst(words: Iterable[Word]) -> Word:
    """The worst of some verdicts; clean of none.

    >>> worst(["clean", "contaminated", "suspicious"])
    'contaminated'
    """
    return max(words, key=WORDS.index, default="clean")


def in_time(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Evidence in the order of the study: before, work, exam, and there as the journal has it.

    What the network shows of a session comes first in it: who looks a host up reads what it brought later.
    """
    return tuple(sorted(evidence, key=_time))


def _time(each: Evidence) -> tuple[int, str, int, str]:
    session, _, rest = each.place.partition("/exchange/")
    session = session.partition("/leg/")[0].removesuffix("/ended")
    turn = 0 if each.detector == "network" else 1 if rest else 2
    return PHASES.index(each.when), session, turn, each.place


@dataclass(frozen=True, slots=True)
class Audit:
    """All evidence of a run in the order of time. `sessions` were looked at; `unsaid` is what could not be looked at.

    `whos` are the lineages and examinees there are: `codex.L1`, `A0.3f9a2c`.
    """

    evidence: tuple[Evidence, ...]
    whos: tuple[str, ...]
    sessions: int
    unsaid: tuple[str, ...] = ()

    def of(self, *whos: str) -> tuple[Evidence, ...]:
        """The evidence of some lineages or examinees."""
        return tuple(each for each in self.evidence if each.who in whos)

    def word(self, *whos: str) -> Word:
        """The verdict on one lineage or examinee; the worst of several."""
        return worst(judged(self.of(who)) for who in whos)

    @property
    def verdict(self) -> Word:
        """The worst of all."""
        return self.word(*self.whos)

    def touched(self, who: str, places: Iterable[int]) -> frozenset[int]:
        """Which of these exam items are touched in one lineage, or in the exam of one examinee."""
        mine = self.of(who)
        if any(not each.touched for each in mine):
            return frozenset(places)
        return frozenset(places) & {place for each in mine for place in each.touched}
