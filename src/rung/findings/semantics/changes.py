"""What a change brought, revised and took out: the difference of two states in pieces."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rung.findings.semantics.pieces import Piece
from rung.findings.semantics.words import content, sharing

SAME = 0.4
"""Share of the words of both from which a piece is held to be another one revised, where no name says so."""
MOST = 40_000
"""Pairs of pieces that are compared; in a larger change only names tell what was revised."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A piece that came, and the one that it took the place of."""

    piece: Piece
    before: Piece | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """What came and what went without anything in its place. A piece that moved to another file did neither."""

    came: tuple[Changed, ...]
    went: tuple[Piece, ...]


def difference(before: Sequence[Piece], after: Sequence[Piece]) -> Difference:
    """The difference of two states."""
    came = _less(after, Counter(each.key for each in before))
    gone = _less(before, Counter(each.key for each in after))
    by_name = {(each.path, each.name): each for each in reversed(gone) if each.name}
    left: dict[str, list[Piece]] = defaultdict(list)
    for each in gone:
        left[each.path].append(each)
    alike = len(came) * len(gone) <= MOST
    changed = [Changed(each, _replaced(each, by_name, left, alike=alike)) for each in came]
    return Difference(tuple(changed), tuple(each for some in left.values() for each in some))


def _less(some: Sequence[Piece], others: Counter[str]) -> list[Piece]:
    """The pieces that are not among the others, each as often as it is more often here."""
    left, found = Counter(others), []
    for each in some:
        if left[each.key]:
            left[each.key] -= 1
        else:
            found.append(each)
    return found


def _replaced(
    piece: Piece, by_name: Mapping[tuple[str, str], Piece], left: Mapping[str, list[Piece]], *, alike: bool
) -> Piece | None:
    """The piece whose place another took: that of the same name, else the one most like it; it is no longer left."""
    among = left.get(piece.path, [])
    named = by_name.get((piece.path, piece.name))
    if named is not None and any(each is named for each in among):
        among.remove(named)
        return named
    likeness, best = 0.0, None
    for each in among if alike else ():
        shared = sharing(content(piece.text), content(each.text))[1]
        if shared > likeness:
            likeness, best = shared, each
    if best is None or likeness < SAME:
        return None
    among.remove(best)
    return best
