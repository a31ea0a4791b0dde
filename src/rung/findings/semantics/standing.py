"""How long proposals stood: the first state of a lineage in which one does, and the first in which it is gone.

As `git blame` over the states after each refinement, but for pieces and not for lines, so that a file that is written
anew keeps the age of what stands in it still. The unit is one refinement of the lineage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rung.findings.semantics.annotator import annotate
from rung.findings.semantics.pieces import Piece, key_of
from rung.findings.semantics.record import Line, Recorded
from rung.findings.semantics.values import Earlier, Proposal


@dataclass(frozen=True, slots=True)
class Stood:
    """What became of a proposal that was taken over.

    It stood from the state after refinement number `born` on, and `gone` is the first after that without it, None
    where it stands in A_T. One that is gone may be there `reworded`: the final state says the same in other words.
    """

    born: int
    gone: int | None
    refinements: int
    reworded: bool = False

    @property
    def retained(self) -> bool:
        """Whether it stands in A_T as it was written."""
        return self.gone is None

    @property
    def lifetime(self) -> int:
        """Refinements through which it stood; at least so many where it still stands."""
        return (self.refinements + 1 if self.gone is None else self.gone) - self.born


def stood(line: Line) -> list[Stood | None]:
    """For each proposal of a lineage what became of it; None for one that never stood."""
    places = {step.place: number for number, step in enumerate(line.steps)}
    found = [_one(each, line, places[each.place]) for each in line.recorded]
    gone = [
        each.proposal for each, how in zip(line.recorded, found, strict=True) if how is not None and not how.retained
    ]
    again = _reworded(gone, line.steps[-1].pieces)
    return [
        Stood(how.born, how.gone, how.refinements, reworded=each.proposal.id in again) if how is not None else None
        for each, how in zip(line.recorded, found, strict=True)
    ]


def _one(recorded: Recorded, line: Line, born: int) -> Stood | None:
    if recorded.fate != "adopted" or recorded.keys.isdisjoint(line.steps[born].keys):
        return None
    last = len(line.steps) - 1
    later = range(born + 1, last + 1)
    gone = next((number for number in later if recorded.keys.isdisjoint(line.steps[number].keys)), None)
    return Stood(born, gone, last)


def _reworded(gone: Sequence[Proposal], final: Sequence[Piece]) -> frozenset[str]:
    """Of proposals that are gone, those that a final state holds in other words: one that came back is another's."""
    back = {piece.key for piece in final}
    there = tuple(Earlier(str(number), piece.text) for number, piece in enumerate(final))
    asked = [
        Proposal(each.id, each.game, each.category, each.method, each.path, "add", each.text, None, there)
        for each in gone
        if key_of(each.text) not in back
    ]
    labels = annotate(asked) if asked and there else []
    return frozenset(each.id for each, said in zip(asked, labels, strict=False) if said.relation == "duplicate")


def median_lifetime(found: Sequence[Stood]) -> float | None:
    """After how many refinements half of the proposals were gone; None where fewer than half ever are.

    Kaplan and Meier 1958: a proposal that still stands at the end counts as one that stood at least so long.

    >>> median_lifetime([Stood(1, 2, 9), Stood(1, 4, 9), Stood(1, None, 9)])
    3.0
    """
    share = 1.0
    for age in sorted({each.lifetime for each in found if each.gone is not None}):
        at_risk = sum(each.lifetime >= age for each in found)
        died = sum(each.lifetime == age and each.gone is not None for each in found)
        share *= 1 - died / at_risk
        if share <= 0.5:
            return float(age)
    return None
