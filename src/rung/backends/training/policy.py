"""`local/policy`: a policy in numpy that learns in seconds and needs nothing installed.

It is linear: what is seen is cut into words, the last of them each at its place and in pairs are features, and each
feature has a weight for each legal call, all hashed into one table. Softmax over the legal calls, trained by cross
entropy in steps of plain gradient. It begins with small weights that mean nothing, which is to play nearly at random.
On one machine and one numpy it is exact: equal examples give equal bytes.
"""

import io
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from rung.backends.training.choosing import choices, place_of, refuse_uncounted, reply, sight, spelt
from rung.core.errors import ModelUnusable
from rung.core.seeds import Seed
from rung.core.training import Diverged, Epoch, Example, TrainSpec
from rung.core.values import Call, ModelReply, ModelRequest, Tool

NAME = "local/policy"
MODEL = "policy-v1"
"""The id that it reports, and the format of its weights: what changes its features makes it another."""

BITS = 15
WINDOW = 40
"""Words from the end of what is seen that become features: three rounds of Trust, or a board of 6 by 6."""
RATE = 0.1
SPREAD = 0.05
KEPT = 8
"""Tables of weights held in memory, for a study asks several snapshots in turn."""

Table = NDArray[np.float32]
Places = NDArray[np.intp]

_WORD = re.compile(r"[A-Za-z]+|-?[0-9]+|[^\sA-Za-z0-9]")
_MIX = np.uint32(0x9E3779B1)


class Policy:
    """The model and its training (see `rung.backends.models.backend.Backend`, `rung.core.training.Trainable`)."""

    format = MODEL
    seeded = True  # it draws by the request's seed
    writes = False  # it chooses among the legal calls of tools

    def __init__(self) -> None:
        self._read: Callable[[str], bytes] | None = None
        self._tables: dict[str, Table] = {}

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Where weights are read from."""
        self._read = read

    async def once(self, request: ModelRequest) -> ModelReply:
        """One of the legal calls of the request's tools."""
        calls = choices(NAME, request.tools)
        table = self._table(request.weights)
        scores = table[_places(_features(sight(request)), calls)].sum(axis=1, dtype=np.float64)
        return reply(MODEL, request, calls, scores.tolist())

    def refuse_tools(self, tools: Sequence[Tool]) -> None:
        """Refuse tools whose calls cannot be counted."""
        refuse_uncounted(NAME, tools)

    async def close(self) -> None:
        """Let go of the tables."""
        self._tables.clear()

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """Once through the examples in an order drawn for this epoch."""
        table = loaded(weights).astype(np.float64)
        lessons = _lessons(examples)
        order = list(range(len(lessons)))
        Seed("training").child(spec.seed, number).rng().shuffle(order)
        losses = [
            _step(table, [lessons[place] for place in order[at : at + spec.batch]], spec.rate or RATE)
            for at in range(0, len(order), spec.batch)
        ]
        loss = sum(losses) / len(examples)
        with np.errstate(all="ignore"):
            after = table.astype(np.float32)
        if not (isfinite(loss) and np.isfinite(after).all()):
            raise Diverged(
                f"{NAME}: loss or weights are no numbers any more in epoch {number} (loss {loss:g}); lower the rate "
                f"(now {spec.rate or RATE:g})"
            )
        return Epoch(dumped(after), loss)

    def _table(self, digest: str | None) -> Table:
        if digest is None:
            return newborn()
        table = self._tables.pop(digest, None)
        if table is None:
            if self._read is None:
                raise ModelUnusable(
                    f"{NAME} is asked with weights {digest[:12]} and was not told where weights are kept"
                )
            table = loaded(self._read(digest))
        self._tables[digest] = table
        if len(self._tables) > KEPT:
            del self._tables[next(iter(self._tables))]
        return table


@lru_cache(maxsize=1)
def newborn() -> Table:
    """The weights it begins with: evenly spread between -SPREAD and SPREAD, the same on every machine.

    Not zeros: then it would think the same of every call, and there would be nothing to judge its own play by.
    """
    with np.errstate(over="ignore"):
        mixed = np.arange(1 << BITS, dtype=np.uint32) * _MIX
        mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA6B)
        mixed ^= mixed >> np.uint32(13)
    table: Table = ((mixed / 2.0**31 - 1.0) * SPREAD).astype(np.float32)
    return table


# --------------------------------------------------------------------------------------------- weights as bytes


def dumped(table: Table) -> bytes:
    """A table of weights as the bytes of an npy file: no date and no name in it."""
    file = io.BytesIO()
    np.lib.format.write_array(file, table, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def loaded(weights: bytes | None) -> Table:
    """The table that these bytes are; a newborn's without any. Raises `ModelUnusable` for others."""
    if weights is None:
        return newborn()
    try:
        table: Table = np.lib.format.read_array(io.BytesIO(weights), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ModelUnusable(f"{NAME}: {len(weights):,} bytes are no weights of it ({error})") from None
    if table.shape != (1 << BITS,) or table.dtype != np.float32 or not np.isfinite(table).all():
        raise ModelUnusable(
            f"{NAME} reads a table of {1 << BITS:,} finite 32-bit floats, seen {table.dtype} {table.shape}"
        )
    return table


# --------------------------------------------------------------------------------------------- learning


@dataclass(frozen=True, slots=True)
class _Lesson:
    """Where the weights of each call's features are, how much each feature has to say, and the call that is right."""

    places: Places
    says: NDArray[np.float64]
    right: int


def _lessons(examples: Sequence[Example]) -> list[_Lesson]:
    """A feature that is there in nearly every example tells nothing apart, and there are many such: the words around
    what changes. Together they would outvote the rest, and make one call of all; so a feature learns by the share of
    examples that it is not in, and all examples of one call weigh as much as all of another."""
    seen = [_features(sight(example.request)) for example in examples]
    names, counts = np.unique(np.concatenate([np.unique(each) for each in seen]), return_counts=True)
    absent = 1.0 - counts / (len(examples) + 1)
    shown = Counter(_answer(example) for example in examples)
    lessons = []
    for example, features in zip(examples, seen, strict=True):
        calls = choices(NAME, example.request.tools)
        weight = len(examples) / (len(shown) * shown[_answer(example)])
        says = weight * absent[np.searchsorted(names, features)]
        lessons.append(_Lesson(_places(features, calls), says, place_of(NAME, calls, example.answer)))
    return lessons


def _answer(example: Example) -> str:
    return spelt(example.answer) if isinstance(example.answer, Call) else example.answer


def _step(table: NDArray[np.float64], lessons: Sequence[_Lesson], rate: float) -> float:
    """One step along the mean gradient of these lessons; the sum of their losses before it."""
    gradient = np.zeros_like(table)
    total = 0.0
    with np.errstate(all="ignore"):  # what overflows is seen in the loss
        for each in lessons:
            scores = table[each.places].sum(axis=1)
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            total -= float(np.log(chances[each.right]))
            chances[each.right] -= 1.0
            np.add.at(gradient, each.places, chances[:, None] * each.says / len(lessons))
        table -= rate * gradient
    return total


# --------------------------------------------------------------------------------------------- features


def _places(features: NDArray[np.uint32], calls: Sequence[Call]) -> Places:
    """Where in the table the weights of each call's features are: a row for each call."""
    names = np.array([_hash(spelt(call)) for call in calls], np.uint32)
    with np.errstate(over="ignore"):
        mixed = (features[None, :] ^ (names[:, None] * _MIX)) * _MIX
    return (mixed >> np.uint32(32 - BITS)).astype(np.intp)


@lru_cache(maxsize=1024)
def _features(text: str) -> NDArray[np.uint32]:
    """The last words at their places from the end, and their pairs."""
    words = _WORD.findall(text[-16 * WINDOW :])[-WINDOW:]
    placed = [_hash(f"{place} {word}") for place, word in enumerate(reversed(words))]
    pairs = sorted({_hash(f"{one} {two}") for one, two in itertools.pairwise(words)})
    return np.array([*placed, *pairs], np.uint32)


@lru_cache(maxsize=1 << 16)
def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
