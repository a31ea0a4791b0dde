"""Training as a study has it: an epoch at a time, each on record before the next begins.

Where a method trains, its attempt's path has a fact for every epoch, `training/00/epoch/0001`: what was trained from,
by which examples and spec, what came of it and at which loss. Weights are blobs, outside git. So training that was
interrupted goes on after the last epoch on record, and a study that is replayed has the same weights.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from rung.core import crashpoints
from rung.core.canonical import JSON, fingerprint
from rung.core.errors import InstrumentFault, ModelFault, ModelUnusable, RungError, StoreFault, UsageError
from rung.core.ports import Journal, Provider
from rung.core.training import ArtifactRef, Epoch, Example, Trainable, TrainSpec
from rung.store import calls

if TYPE_CHECKING:
    from rung.protocols.study import Arm

MAX_DETAIL = 2000
"""Characters kept of what went wrong in a model's own code."""

REWRITING = ("random-edit", "shuffled")
"""Controls that would make the name of weights a name of none."""


class Unasked:
    """Stands for weights that are trained nowhere, where a recording is played."""

    format = "none"

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Nothing is read."""

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """There is nobody to train."""
        raise InstrumentFault(
            "training", "the recording has no such training; it replays whole runs of the same config"
        )


def trainable(model: Provider | None) -> Trainable | None:
    """What can be trained behind a configured model; None where nothing can."""
    found = getattr(model, "trainable", None)
    return found if isinstance(found, Trainable) else None


def refuse_untrainable(arm: "Arm") -> None:
    """Refuse a method that trains, over a model that cannot be."""
    if not getattr(arm.method, "trains", False):
        return
    if trainable(arm.model) is None:
        acts = "no model" if arm.model is None else arm.model.id
        raise UsageError(
            f"arm {arm.name!r}: method {arm.method.id!r} trains the weights that the agent acts with, and it acts with "
            f'{acts}; give [agent] kind = "chat" and model = "local/policy", "local/tiny" or "local/smollm2"'
        )
    ready = getattr(trainable(arm.model), "refuse_training", None)
    if ready is not None:
        ready()
    if arm.improver is not arm.model:
        raise UsageError(
            f"arm {arm.name!r}: method {arm.method.id!r} asks the model it trains alone; remove [method] model"
        )
    if getattr(arm.method, "control", None) in REWRITING:
        raise UsageError(
            f"arm {arm.name!r}: controls {' and '.join(REWRITING)} rewrite text, and training writes none; give "
            'controls = ["discard", "no-op"], and an arm with method.shuffle = "rewards" or "labels"'
        )


def lend(arms: "Iterable[Arm]", journal: Journal) -> None:
    """Tell every model that can be trained where weights are kept."""

    def read(digest: str) -> bytes:
        try:
            return journal.read_blob(digest)
        except StoreFault as fault:
            raise ModelFault(
                "weights", f"{digest[:12]} are named by a state and not kept here ({fault.detail})"
            ) from None

    for arm in arms:
        found = trainable(arm.model)
        if found is not None:
            found.borrow(read)


@dataclass(slots=True)
class Coach:
    """The trainer of one refinement (see `rung.core.training.Trainer`).

    Where a recording is played its weights are taken over, for another machine would train others. `halt` is what no
    method may answer for, by catching it and going on as if nothing had happened.
    """

    journal: Journal
    path: str
    pupil: Trainable
    recording: Journal | None = None
    made: int = 0
    halt: RungError | None = None

    async def train(self, base: ArtifactRef | None, examples: Sequence[Example], spec: TrainSpec) -> ArtifactRef:
        """New weights, an epoch at a time."""
        if not examples:
            raise UsageError("training takes one example at least; a method that kept none answers with Skipped")
        if base is not None and self.recording is None and base.format != self.pupil.format:
            raise UsageError(
                f"weights of the format {base.format!r} were named, and the model reads {self.pupil.format!r}"
            )
        index, self.made = self.made, self.made + 1
        names = [_kept(self.journal, example) for example in examples]
        about: dict[str, JSON] = {"examples": fingerprint(names), "count": len(names), "spec": spec.row()}
        weights = base
        for number in range(1, spec.epochs + 1):
            kind = f"training/{index:02d}/epoch/{number:04d}"
            weights = await self._epoch(kind, weights, examples, spec, {**about, "epoch": number})
        assert weights is not None
        return weights

    def check(self) -> None:
        """Raise again what has halted the training, if anything has."""
        if self.halt is not None:
            raise self.halt

    async def _epoch(
        self, kind: str, base: ArtifactRef | None, examples: Sequence[Example], spec: TrainSpec, about: dict[str, JSON]
    ) -> ArtifactRef:
        asked: dict[str, JSON] = {**about, "base": base.sha256 if base is not None else None}
        known = self._known(self.journal, kind, asked)
        if known is None:
            known = self._recorded(kind, asked)
            known = known or {**asked, **await self._trained(base, examples, spec, number=about["epoch"])}
            self.journal.put(self.path, kind, known)
            await self.journal.flush(durable=True)
            crashpoints.reach("epoch.recorded")
        return ArtifactRef(known["format"], known["weights"])

    def _known(self, record: Journal, kind: str, asked: Mapping[str, JSON]) -> dict[str, Any] | None:
        known = cast("dict[str, Any] | None", record.get(self.path, kind))
        if known is not None and any(known[key] != value for key, value in asked.items()):
            raise InstrumentFault("record", f"{kind} of {self.path} trains something else than is on record")
        return known

    def _recorded(self, kind: str, asked: Mapping[str, JSON]) -> dict[str, Any] | None:
        if self.recording is None:
            return None
        found = self._known(self.recording, kind, asked)
        if found is not None:
            self.journal.blob(self.recording.read_blob(found["weights"]))
        return found

    async def _trained(
        self, base: ArtifactRef | None, examples: Sequence[Example], spec: TrainSpec, *, number: Any
    ) -> dict[str, JSON]:
        before = None if base is None else self.journal.read_blob(base.sha256)
        try:
            epoch = await self.pupil.epoch(before, examples, spec, number)
        except ModelUnusable as halt:
            self.halt = halt
            raise
        except RungError:
            raise
        except Exception as error:
            self.halt = InstrumentFault("training", f"{type(error).__name__}: {error}"[:MAX_DETAIL])
            raise self.halt from error
        crashpoints.reach("epoch.trained")
        return {"weights": self.journal.blob(epoch.weights), "format": self.pupil.format, "loss": epoch.loss}


def _kept(journal: Journal, example: Example) -> JSON:
    """An example by what it was made of; its messages are kept with those of the calls."""
    answer = example.answer
    said: JSON = answer if isinstance(answer, str) else {"tool": answer.tool, "arguments": answer.arguments}
    return {"asked": calls.request_row(journal, example.request), "answer": said}
