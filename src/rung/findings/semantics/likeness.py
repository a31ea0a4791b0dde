"""How alike many short texts are: a cosine over runs of three and four letters and over whole words, in sparse rows.

The letters find words in another form, the words (with one for all of a meaning, see `words`) those in other letters.
No weight comes from the other texts at hand, so the likeness of two texts is always the same.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rung.findings.semantics.values import BEFORE, Earlier, Held, Proposal
from rung.findings.semantics.words import content, telling

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WIDTH = 1 << 14
"""Places for runs of letters, and as many for words."""
NEAREST = 6
"""Earlier proposals that are looked at closely."""
LEAST = 0.12
"""Below this likeness none is."""
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Near:
    """An earlier proposal by its place in `against`, and how alike it is, from 0 to 1."""

    place: int
    likeness: float


def nearest(proposals: Sequence[Proposal]) -> list[list[Near]]:
    """For each proposal the earlier ones most like it, the most alike first, the latest first among equals."""
    numbers = _Numbers()
    places = [numbers.of(each) for each in proposals]
    if not numbers.texts:
        return []
    rows = _rows(list(numbers.texts))
    columns = rows.T.tocsc()
    found: list[list[Near]] = []
    for start in range(0, len(proposals), BLOCK):
        some = places[start : start + BLOCK]
        likenesses = (rows[[mine for mine, _ in some]] @ columns).toarray()
        found += [_best(row[np.concatenate(others)]) for row, (_, others) in zip(likenesses, some, strict=True)]
    return found


class _Numbers:
    """A number for each text. Of what several proposals share, the numbers are found once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self._shared: dict[int, NDArray[np.int64]] = {}

    def of(self, proposal: Proposal) -> tuple[int, list[NDArray[np.int64]]]:
        """The number of a proposal's text, and of all that it is held against, in the order of `against`."""
        earlier = proposal.earlier
        before = [] if proposal.before is None else [Earlier(BEFORE, proposal.before)]
        if not isinstance(earlier, Held):
            return self._one(proposal.text), [self._all(earlier), self._all(before)]
        shared = self._shared.get(id(earlier.standing))
        if shared is None:
            shared = self._shared[id(earlier.standing)] = self._all(earlier.standing)
        return self._one(proposal.text), [shared, self._all(earlier.said[: earlier.many]), self._all(before)]

    def _all(self, some: Sequence[Earlier]) -> NDArray[np.int64]:
        return np.array([self._one(each.text) for each in some], dtype=np.int64)

    def _one(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


def _best(likenesses: NDArray[np.float32]) -> list[Near]:
    some = np.flatnonzero(likenesses >= LEAST)
    if len(some) > NEAREST:  # of thousands only those need an order that are no less alike than the last that is wanted
        least = np.partition(likenesses[some], -NEAREST)[-NEAREST]
        some = some[likenesses[some] >= least]
    order = sorted(some, key=lambda place: (-likenesses[place], -place))[:NEAREST]
    return [Near(int(place), float(likenesses[place])) for place in order]


def _rows(texts: Sequence[str]) -> "csr_matrix":
    """One row of length 1 for each text: half of it its letters, half its words."""
    from scipy.sparse import hstack

    letters = _unit([Counter(map(_place, _runs(text))) for text in texts])
    whole = _unit([Counter(map(_place, content(text))) for text in texts])
    rows: csr_matrix = hstack([letters, whole], format="csr")
    rows.data *= np.float32(np.sqrt(0.5))
    return rows


def _unit(counts: Sequence[Mapping[int, int]]) -> "csr_matrix":
    from scipy.sparse import csr_matrix

    lengths = np.array([len(each) for each in counts], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.fromiter((place for each in counts for place in each), dtype=np.int64, count=int(starts[-1]))
    many = np.fromiter((n for each in counts for n in each.values()), dtype=np.float64, count=int(starts[-1]))
    weight = 1.0 + np.log(many)
    row = np.repeat(np.arange(len(counts)), lengths)
    length = np.sqrt(np.bincount(row, weight**2, len(counts)))
    return csr_matrix(((weight / length[row]).astype(np.float32), places, starts), shape=(len(counts), WIDTH))


def _runs(text: str) -> list[str]:
    whole = f" {' '.join(telling(text))} "
    return [whole[at : at + size] for size in (3, 4) for at in range(len(whole) - size + 1)]


def _place(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace")) % WIDTH
