"""Training for real: weights as artifacts that a state names, examples, and the port that makes new weights of both.

Weights are content-addressed bytes and lie outside git: a state holds their name alone, in `agent/weights.json`. An
agent that acts with a model names them in each request (`ModelRequest.weights`), and the model answers with these.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from rung.core.canonical import JSON, canonical
from rung.core.errors import InstrumentFault, UsageError
from rung.core.values import Call, ModelRequest, State

WEIGHTS = "agent/weights.json"
"""The file of a state that names the weights its model acts with; without it the model acts with its own."""

JUDGED = "self_score"
"""The argument by which a call says what it is worth to whoever makes it; no choice of the game's."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FORMAT = re.compile(r"[a-z][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """Trained weights by their SHA-256, and the format that says which model can read them: `policy-v1`."""

    format: str
    sha256: str

    def __post_init__(self) -> None:
        if not (_FORMAT.fullmatch(self.format) and _DIGEST.fullmatch(self.sha256)):
            raise UsageError(
                f"weights are named by a format and a SHA-256, seen {self.format!r:.80} {self.sha256!r:.80}"
            )


def named_in(state: State) -> ArtifactRef | None:
    """The weights that a state names; None where it names none. Raises `UsageError` for a file that is no such name."""
    file = state.files.get(WEIGHTS)
    if file is None:
        return None
    try:
        value = json.loads(file)
        return ArtifactRef(value["format"], value["sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UsageError(f"{WEIGHTS} holds no name of weights, seen {file[:80]!r}") from None


def naming(state: State, weights: ArtifactRef) -> State:
    """A state that names these weights.

    >>> named_in(naming(State(), ArtifactRef("policy-v1", "0" * 64))).format
    'policy-v1'
    """
    text = canonical({"format": weights.format, "sha256": weights.sha256})
    return state.with_files({WEIGHTS: f"{text}\n".encode()})


def unjudged(answer: Call | str) -> Call | str:
    """An answer without what it says of its own worth.

    >>> unjudged(Call("go", {"to": "left", "self_score": 0.5}))
    Call(tool='go', arguments={'to': 'left'})
    """
    if isinstance(answer, str) or JUDGED not in answer.arguments:
        return answer
    return Call(answer.tool, {name: value for name, value in answer.arguments.items() if name != JUDGED})


@dataclass(frozen=True, slots=True)
class Example:
    """What a model was asked, and what it shall answer to that."""

    request: ModelRequest
    answer: Call | str

    def __post_init__(self) -> None:
        if not self.request.messages:
            raise UsageError("an example needs a message that is answered, and its request has none")


Extent: TypeAlias = Literal["adapter", "full"]


@dataclass(frozen=True, slots=True)
class TrainSpec:
    """How weights are trained: times through the examples, step size, examples a step, and the seed of their order.

    `rate` is None for the model's own. `extent` is what a large model trains: low-rank adapters beside its weights, or
    all of them; a small one always trains all.
    """

    epochs: int = 1
    rate: float | None = None
    batch: int = 8
    seed: int = 0
    extent: Extent = "adapter"

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1:
            raise UsageError(f"training takes an epoch and a batch of one at least, seen {self.epochs}, {self.batch}")
        if self.rate is not None and not (isfinite(self.rate) and self.rate > 0.0):
            raise UsageError(f"a rate is a number above 0, seen {self.rate!r}")

    def row(self) -> dict[str, JSON]:
        """As records hold it."""
        return {
            "epochs": self.epochs,
            "rate": self.rate,
            "batch": self.batch,
            "seed": self.seed,
            "extent": self.extent,
        }


class Trainer(Protocol):
    """Makes new weights. What it has made of a base, examples and a spec it makes again, or reads from the record."""

    async def train(self, base: ArtifactRef | None, examples: Sequence[Example], spec: TrainSpec) -> ArtifactRef:
        """Weights trained from a base, or from the model's own where there is none.

        Raises `Diverged` when a loss is no number any more, and `ModelUnusable` for what the operator has to mend, such
        as memory that does not suffice: running again goes on after the last epoch that was finished.
        """
        ...


class Diverged(InstrumentFault):
    """Training came to a loss that is no number. The weights it began with stay; the text says where and what helps."""

    def __init__(self, detail: str) -> None:
        super().__init__("training", detail)


# --------------------------------------------------------------------------------------------- what a model brings


@dataclass(frozen=True, slots=True)
class Epoch:
    """Weights after one time through the examples, and the mean loss on the way there, in nats an example."""

    weights: bytes
    loss: float


@runtime_checkable
class Trainable(Protocol):
    """A model whose weights can be trained, and that answers with the weights a request names.

    An epoch is a function of its arguments: no optimizer outlives it. So training that was interrupted begins again
    with the epoch that was not finished, and comes to what it would have come to.
    """

    @property
    def format(self) -> str:
        """The format of its weights; it reads no other."""
        ...

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Be told where weights are read from by their SHA-256, before the first request that names some."""
        ...

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """Go through the examples once, as epoch `number` (from 1); raises what `Trainer.train` does."""
        ...
