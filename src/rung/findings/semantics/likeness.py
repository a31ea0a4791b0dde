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

from rung.findings.semantics.values import Proposal
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
    numbers: dict[str, int] = {}
    for each in proposals:
        for text in (each.text, *(earlier.text for earlier in each.against)):
            numbers.setdefault(text, len(numbers))
    if not numbers:
        return []
    rows = _rows(list(numbers))
    columns = rows.T.tocsc()
    found: list[list[Near]] = []
    for start in range(0, len(proposals), BLOCK):
        some = proposals[start : start + BLOCK]
        likenesses = (rows[[numbers[each.text] for each in some]] @ columns).toarray()
        for row, each in zip(likenesses, some, strict=True):
            against = np.fromiter((numbers[earlier.text] for earlier in each.against), dtype=np.int64)
            found.append(_best(row[against]))
    return found


def _best(likenesses: NDArray[np.float32]) -> list[Near]:
    some = np.flatnonzero(likenesses >= LEAST)
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
