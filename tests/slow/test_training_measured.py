"""Training measured: on Trust the verdict is to teach, and its controls are not; what else was measured is written down
as it is; and the two language models go through two rounds."""

import asyncio
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import training_study
from training_study import Design

from rung.backends.models.local import weights
from rung.backends.models.providers import provider
from rung.calibrate.pages import filled
from rung.core.config import parse
from rung.protocols import launch
from rung.protocols.training import lend
from rung.store.calls import read_call
from rung.store.memory import MemoryJournal

pytestmark = pytest.mark.slow
DOC = Path(__file__).parents[2] / "docs" / "training-measured.md"
TRUST = Design("trust-v1", "evaluate", lineages=10)
PERMISSIVE = Design("trust-v1", "explore", arms=("verdict", "itself"))
SNAKE = Design("snake-v1", "explore", trainings=4, episodes=80, arms=("verdict", "itself"))


def measured(design: Design, request: pytest.FixtureRequest, *, name: str) -> list[training_study.Row]:
    began = time.monotonic()
    rows = training_study.rows(training_study.run(design), design)
    about = (
        f"Measured {time.strftime('%Y-%m-%d')}, {time.monotonic() - began:.0f} s: K = {design.lineages} lineages of "
        f"{design.trainings} trainings on {design.episodes} episodes each, explored on `{design.explore}`, examined on "
        f"N = {design.tasks} tasks of `evaluate`."
    )
    text = f"{about}\n\n{training_study.table(rows)}"
    sys.stdout.write(f"{text}\n")
    if request.config.getoption("--write-tables"):
        DOC.write_text(filled(DOC.read_text("utf-8"), name, text), "utf-8")
    return rows


@pytest.fixture(scope="module")
def trust(request: pytest.FixtureRequest) -> dict[tuple[str, str], training_study.Row]:
    return {(row.told, row.decoding): row for row in measured(TRUST, request, name="trust")}


def test_on_trust_the_arm_told_the_verdict_rises_with_its_interval_above_zero(trust):
    found = trust["verdict", "sampled"].gain
    assert found.n_lineages == 10
    assert found.lo is not None
    assert found.lo > 0.0


@pytest.mark.parametrize("told", ["shuffled rewards", "shuffled labels"])
def test_on_trust_the_arms_told_the_verdict_of_others_span_zero(trust, told: str):
    found = trust[told, "sampled"].gain
    assert found.lo is not None
    assert found.lo <= 0.0 <= found.hi


@pytest.mark.parametrize(("design", "name"), [(PERMISSIVE, "permissive trust"), (SNAKE, "snake")])
def test_what_else_training_comes_to_is_written_down_as_it_is(design: Design, name: str, request):
    rows = measured(design, request, name=name)
    assert {row.gain.n_tasks for row in rows} == {design.tasks}


# --------------------------------------------------------------------------------------------- language models


def two_rounds(model: str, *, episodes: int, steps: int, **method: Any) -> MemoryJournal:
    """A lineage that is trained twice."""
    study = parse(
        {
            "name": "two rounds",
            "protocol": "explore",
            "lineages": 1,
            "agent": {**training_study.AGENT, "model": model, "temperature": 1.0, "seeded": True, "max_tokens": 64},
            "explore": {
                "games": [{"family": "trust-v1", "explore": "evaluate"}],
                "episodes": 2 * episodes,
                "checkpoint_every": episodes,
                "checkpoint_episodes": 1,
                "baseline_episodes": 1,
                "steps": steps,
            },
            "arms": [{"name": "train", "method": {"name": "training", "every": episodes, "filter": "none", **method}}],
            "exam": {"secret": "two rounds"},
        }
    )
    return launch.simulate(study, secret="two rounds")


@dataclass(frozen=True)
class Arm:
    model: Any


def reloaded(model: str, journal: MemoryJournal, episodes: int) -> None:
    """A model made afresh, bound to the weights in the journal, answers what was answered."""
    made = provider(model)
    lend([Arm(made)], journal)  # type: ignore[list-item]
    calls = [
        fact
        for fact in journal.facts(under=f"exam/train.trust-v1.L1.x{2 * episodes:04d}")
        if fact.kind.startswith("call/")
    ]

    async def again() -> None:
        for fact in calls:
            kept = read_call(journal, fact.path, int(fact.kind.removeprefix("call/")))
            assert kept is not None
            assert kept.request.weights is not None
            assert await made.trainable.once(kept.request) == kept.reply  # type: ignore[union-attr]
        await made.close()

    assert calls
    asyncio.run(again())


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("local/tiny", {"episodes": 4, "steps": 10}),
        ("local/smollm2", {"episodes": 1, "steps": 4, "batch": 2}),
        ("local/smollm2", {"episodes": 1, "steps": 2, "batch": 1, "extent": "full"}),
    ],
)
def test_a_language_model_is_trained_twice_and_its_weights_answer_the_same_when_read_again(
    model: str, size: dict[str, Any]
):
    if model == "local/smollm2" and (weights.missing() or not weights.converted()):
        pytest.skip("needs the local model: rung doctor --install-model")
    journal = two_rounds(model, **size)
    epochs = [fact.value for fact in journal.facts(under="train.trust-v1") if fact.kind.startswith("training/")]
    assert len(epochs) == 2
    first, second = epochs
    assert (first["base"], second["base"]) == (None, first["weights"])
    assert first["weights"] != second["weights"]
    reloaded(model, journal, size["episodes"])
