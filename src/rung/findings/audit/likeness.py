"""Exam items told again in any words, held against fresh items of their kind that nobody was given.

Whoever retells an item keeps its numbers and names in their order, and little else: the table goes, small words come
between, figures become words, the language changes. So a text is read as the stream of what its kind of task has words
for (all numbers digit by digit, see `numerals`), and the runs of that stream are those of an item or are not. How many
are too many is not chosen here. `FRESH` other tasks of the same family and setting are drawn, from seeds of their own,
and their runs are looked for in the same texts: who knows nothing of the exam is as near to these as to its items. An
item is told again where it stands out from the fresh ones more than any of these does from the rest, over all texts of
the session, by `FACTOR` and `MARGIN`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rung.findings.audit.numerals import in_figures, plain

FRESH = 60
"""Fresh items of each family and setting: so many that the best of them is not by luck much worse than the next."""
FACTOR, MARGIN = 1.0, 32.0
"""By how much an item has to stand out: so many times what any fresh one does, and 32 nats more, eight runs that
none of the others has. One stretch that two optimal plans share by chance is ten tokens long, and rarely more."""
LONGEST = 6_000
"""Tokens of an item: what a long game goes on with is like what came before."""
MOST = 200_000
"""Letters of a text that are compared: longer is a log, and what it says is looked at where it was said."""

View: TypeAlias = tuple[Literal["all", "answer", "digits", "words"], int]
VIEWS: Sequence[View] = (("all", 6), ("all", 12), ("answer", 10), ("answer", 24), ("digits", 8), ("words", 4))
"""What the runs are of, and their length: short ones survive small words between, long ones tell alike plans apart;
answers alone survive words of the question between their parts, digits alone any language, and words alone numbers that
were left out."""

_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_WEIGHTS = np.random.default_rng(7).integers(1, 1 << 62, size=24, dtype=np.uint64) | np.uint64(1)


Course: TypeAlias = tuple[str, str]
"""What is first seen of a task, and how it is best played."""


@dataclass(frozen=True, slots=True)
class Kin:
    """The exam items of one family and setting by their place, and as many fresh ones as could be drawn."""

    items: Mapping[int, Course] = field(hash=False)
    fresh: Sequence[Course] = field(hash=False)


def tokens(text: str) -> list[str]:
    """The words of a text without accents, and its numbers digit by digit, however they are spelt.

    >>> tokens("Plant twenty-seven beans, 10 Erbsen")
    ['plant', '2', '7', 'beans', '1', '0', 'erbsen']
    """
    found: list[str] = []
    for word in in_figures(_TOKEN.findall(plain(text))):
        if word[0].isdigit():
            found.extend(word)
        else:
            found.append(word)
    return found


@dataclass(frozen=True)
class Table:
    """The runs of one view: the words it sees, each with a number; the hashes of its runs, sorted; and what each of
    them weighs for each member, which are the items in the order of their places, and then the fresh ones."""

    view: View
    words: Mapping[str, int]
    hashes: NDArray[np.uint64]
    weights: NDArray[np.float32]

    def scores(self, said: Sequence[str]) -> NDArray[np.float32] | None:
        """How much of each member is said, in nats of the rarity of its runs; None where no run could be."""
        ids = _ids(said, self.words)
        if len(ids) < self.view[1]:
            return None
        there = np.unique(_runs(ids, self.view[1]))
        at = np.minimum(np.searchsorted(self.hashes, there), len(self.hashes) - 1)
        found: NDArray[np.float32] = self.weights[at[self.hashes[at] == there]].sum(axis=0, dtype=np.float32)
        return found


@dataclass(frozen=True)
class Group:
    """What is known of one family and setting: the places of its items, and a table for each view."""

    places: tuple[int, ...]
    tables: tuple[Table, ...]


def _ids(said: Sequence[str], words: Mapping[str, int]) -> NDArray[np.int64]:
    """A stream of tokens as the numbers of those that a view sees."""
    return np.fromiter((words[word] for word in said if word in words), np.int64)


def _runs(ids: NDArray[np.int64], length: int) -> NDArray[np.uint64]:
    """The hash of every run of so many tokens."""
    count = len(ids) - length + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    values = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    found = np.zeros(count, np.uint64)
    for at in range(length):
        found += (values[at : at + count] ^ (values[at : at + count] >> np.uint64(29))) * _WEIGHTS[at]
    return found


def group(kin: Kin, work: Sequence[Sequence[str]]) -> Group | None:
    """The runs of items and of fresh ones, less those that work says, whose tokens these are. None where there are no
    fresh ones to hold the items against."""
    if len(kin.fresh) < 2:
        return None
    tables = (_without(table, work) for table in _tables(kin))
    found = tuple(table for table in tables if len(table.hashes))
    return Group(tuple(sorted(kin.items)), found) if found else None


def _without(table: Table, work: Sequence[Sequence[str]]) -> Table:
    runs = [_runs(_ids(each, table.words), table.view[1]) for each in work]
    keep = ~np.isin(table.hashes, np.concatenate([*runs, np.empty(0, np.uint64)]))
    return replace(table, hashes=table.hashes[keep], weights=table.weights[keep])


@lru_cache(maxsize=16)
def _tables(kin: Kin) -> tuple[Table, ...]:
    """The tables of one family and setting, whatever work says: one run after another has the same items."""
    courses = [*(kin.items[place] for place in sorted(kin.items)), *kin.fresh]
    answers = [tokens(answer)[:LONGEST] for _, answer in courses]
    whole = [(tokens(question) + answer)[:LONGEST] for (question, _), answer in zip(courses, answers, strict=True)]
    return tuple(_table(answers if view[0] == "answer" else whole, view) for view in VIEWS)


def _table(said: Sequence[Sequence[str]], view: View) -> Table:
    seen = dict.fromkeys(word for each in said for word in each)
    if view[0] in ("digits", "words"):
        seen = dict.fromkeys(word for word in seen if word.isdigit() == (view[0] == "digits"))
    words = {word: number for number, word in enumerate(seen, 1)}
    own = [np.unique(_runs(_ids(each, words), view[1])) for each in said]
    hashes, counts = np.unique(np.concatenate(own), return_counts=True)
    weights = np.zeros((len(hashes), len(said)), np.float32)
    for member, some in enumerate(own):
        rows = np.searchsorted(hashes, some)
        weights[rows, member] = np.log(len(said) / counts[rows])
    return Table(view, words, hashes, weights)


def groups(kinds: Iterable[Kin], work: Sequence[str]) -> tuple[Group, ...]:
    """Those of all families and settings of an exam."""
    worked = [tokens(text) for text in work]
    return tuple(found for kin in kinds if (found := group(kin, worked)) is not None)


# --------------------------------------------------------------------------------------------- over a session


@dataclass(frozen=True, slots=True)
class Told:
    """An item that a text tells again: which text, by its number, and what it says there."""

    text: int
    place: int
    quote: str


@dataclass
class Compared:
    """The texts of one session, each held against all items and fresh ones. `put` takes a text with the item that it is
    rightly about; `told` says, after the last, which items were told again."""

    groups: Sequence[Group]
    _best: dict[tuple[int, int, int], tuple[float, int, str]] = field(default_factory=dict)
    _null: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    _seen: set[int] = field(default_factory=set)

    def put(self, number: int, text: str, own: int | None, *, sought: bool = False) -> None:
        """Compare a text, which has a number of the caller's. One that was `sought` may say its own item, and not how
        that is best played."""
        mark = hash((text, own, sought))
        if not self.groups or mark in self._seen or len(text) > MOST:
            return
        self._seen.add(mark)
        said = tokens(text)
        for which, group in enumerate(self.groups):
            for view, table in enumerate(group.tables):
                scores = table.scores(said)
                if scores is not None:
                    but = None if sought and table.view[0] == "answer" else own
                    self._compare(number, said, but, (which, view), scores)

    def _compare(
        self, number: int, said: Sequence[str], own: int | None, at: tuple[int, int], scores: NDArray[np.float32]
    ) -> None:
        places = self.groups[at[0]].places
        fresh = np.sort(scores[len(places) :])
        self._null[at] = max(self._null[at], float(fresh[-1] - fresh[-2]))
        for member in np.flatnonzero(scores[: len(places)] - fresh[-1] >= MARGIN):
            place, stands_out = places[member], float(scores[member] - fresh[-1])
            if place != own and stands_out > self._best.get((*at, place), (0.0, 0, ""))[0]:
                self._best[*at, place] = (stands_out, number, " ".join(said[:60]))

    def told(self) -> Iterator[Told]:
        """The items that stand out from the fresh ones, each once, where it does most."""
        done: set[int] = set()
        for (which, view, place), (stands_out, number, quote) in sorted(self._best.items(), key=lambda row: -row[1][0]):
            if place not in done and stands_out >= FACTOR * self._null[which, view] + MARGIN:
                done.add(place)
                yield Told(number, place, quote)
