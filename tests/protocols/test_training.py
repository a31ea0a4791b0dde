"""Training in a study: every epoch is on record, gone on with where it was interrupted, and acted on as named."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from rung.backends.models.gateway import Gateway
from rung.core import crashpoints
from rung.core.canonical import sha256
from rung.core.config import Config, ModelConfig, parse, read
from rung.core.errors import InstrumentFault, ModelFault, ModelUnusable, UsageError
from rung.core.training import ArtifactRef, Diverged, Epoch, Example, TrainSpec
from rung.core.values import Call, Message, ModelReply, ModelRequest, Tool, Usage
from rung.protocols import launch, wiring
from rung.protocols.training import Coach
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal

DOCUMENT: dict[str, Any] = {
    "name": "training",
    "protocol": "explore",
    "lineages": 1,
    "agent": {
        "kind": "chat",
        "model": "local/policy",
        "answers": "tools",
        "history": 0,
        "temperature": 1.0,
        "seeded": True,
    },
    "explore": {
        "games": [{"family": "trust-v1", "explore": "evaluate"}],
        "episodes": 8,
        "plays": 4,
        "checkpoint_every": 4,
        "checkpoint_episodes": 1,
        "baseline_episodes": 2,
        "judges": ["verdict"],
    },
    "arms": [{"name": "train", "method": {"name": "training", "every": 4, "epochs": 2}}],
    "exam": {"secret": "a fixed secret for tests"},
}


def study(**method: Any) -> Config:
    arms = [{"name": "train", "method": {"name": "training", "every": 4, "epochs": 2, **method}}]
    return parse({**DOCUMENT, "arms": arms})


def simulate(config: Config, journal: MemoryJournal | None = None) -> MemoryJournal:
    return launch.simulate(config, secret="s", journal=journal)


@pytest.fixture(scope="module")
def whole() -> MemoryJournal:
    return simulate(study())


def epochs(journal: MemoryJournal, under: str = "train-verdict.trust-v1") -> list[tuple[str, str, dict]]:
    facts = journal.facts(under=under)
    return [(fact.path, fact.kind, dict(fact.value)) for fact in facts if fact.kind.startswith("training/")]


# --------------------------------------------------------------------------------------------- a coach


@dataclass
class Pupil:
    """A model whose weights are the story of their training."""

    seen: list[tuple[bytes | None, int]] = field(default_factory=list)
    fails: dict[int, Exception] = field(default_factory=dict)
    format: str = "story-v1"

    def borrow(self, read) -> None:
        """It reads nothing."""

    async def epoch(self, weights: bytes | None, examples, spec: TrainSpec, number: int) -> Epoch:
        self.seen.append((weights, number))
        if number in self.fails:
            raise self.fails.pop(number)
        return Epoch((weights or b"") + f"[{number} {len(examples)}]".encode(), 1.0 / number)


EXAMPLE = Example(ModelRequest((Message("user", "Left or right?"),), "agent"), Call("go", {"to": "left"}))


def train(coach: Coach, spec: TrainSpec, examples=(EXAMPLE,), base: ArtifactRef | None = None) -> ArtifactRef:
    return asyncio.run(coach.train(base, examples, spec))


def test_every_epoch_is_a_fact_with_what_it_came_from_and_what_came_of_it():
    journal = MemoryJournal()
    weights = train(Coach(journal, "a/L1/work/0004", Pupil()), TrainSpec(epochs=2, seed=3))
    assert journal.read_blob(weights.sha256) == b"[1 1][2 1]"
    first, second = epochs(journal, "a")
    assert first[:2] == ("a/L1/work/0004", "training/00/epoch/0001")
    assert first[2] | {"examples": ""} == {
        "base": None,
        "epoch": 1,
        "examples": "",
        "count": 1,
        "spec": {"epochs": 2, "rate": None, "batch": 8, "seed": 3, "extent": "adapter"},
        "weights": sha256(b"[1 1]"),
        "format": "story-v1",
        "loss": 1.0,
    }
    assert (second[2]["base"], second[2]["weights"]) == (sha256(b"[1 1]"), weights.sha256)


def test_what_is_on_record_is_not_trained_again_and_a_second_training_is_another():
    journal, pupil = MemoryJournal(), Pupil()
    first = train(Coach(journal, "a", pupil), TrainSpec(epochs=2))
    coach = Coach(journal, "a", pupil)
    assert train(coach, TrainSpec(epochs=2)) == first
    assert [number for _, number in pupil.seen] == [1, 2]
    train(coach, TrainSpec(), base=first)
    assert pupil.seen[2] == (b"[1 1][2 1]", 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelUnusable("out of memory in epoch 2; run again")])
def test_training_that_was_interrupted_goes_on_with_the_epoch_that_was_not_finished(error: BaseException):
    journal, pupil = MemoryJournal(), Pupil(fails={2: error})  # type: ignore[dict-item]
    with pytest.raises(type(error)):
        train(Coach(journal, "a", pupil), TrainSpec(epochs=3))
    weights = train(Coach(journal, "a", pupil), TrainSpec(epochs=3))
    assert journal.read_blob(weights.sha256) == b"[1 1][2 1][3 1]"
    assert [number for _, number in pupil.seen] == [1, 2, 2, 3]


def test_what_is_on_record_of_other_examples_is_never_taken_for_these():
    journal = MemoryJournal()
    train(Coach(journal, "a", Pupil()), TrainSpec())
    other = replace(EXAMPLE, answer="right")
    with pytest.raises(InstrumentFault, match="trains something else than is on record"):
        train(Coach(journal, "a", Pupil()), TrainSpec(), examples=(other,))


def test_a_recording_is_played_without_training_and_its_weights_are_taken_over():
    recording, journal, pupil = MemoryJournal(), MemoryJournal(), Pupil()
    weights = train(Coach(recording, "a", Pupil()), TrainSpec(epochs=2))
    assert train(Coach(journal, "a", pupil, recording), TrainSpec(epochs=2)) == weights
    assert pupil.seen == []
    assert journal.read_blob(weights.sha256) == b"[1 1][2 1]"
    assert journal.digest() == recording.digest()


def test_no_example_and_weights_of_another_model_are_refused():
    with pytest.raises(UsageError, match="one example at least"):
        train(Coach(MemoryJournal(), "a", Pupil()), TrainSpec(), examples=())
    with pytest.raises(
        UsageError, match="weights of the format 'policy-v1' were named, and the model reads 'story-v1'"
    ):
        train(Coach(MemoryJournal(), "a", Pupil()), TrainSpec(), base=ArtifactRef("policy-v1", "0" * 64))


@pytest.mark.parametrize("error", [ModelUnusable("out of memory"), ValueError("broken")])
def test_what_halted_a_training_is_raised_again_also_when_a_method_caught_it(error: Exception):
    coach = Coach(MemoryJournal(), "a", Pupil(fails={1: error}))
    with pytest.raises((ModelUnusable, InstrumentFault)):
        train(coach, TrainSpec())
    with pytest.raises((ModelUnusable, InstrumentFault), match=r"out of memory|ValueError: broken"):
        coach.check()


def test_a_loss_that_is_no_number_halts_nothing():
    coach = Coach(MemoryJournal(), "a", Pupil(fails={1: Diverged("the loss became nan")}))
    with pytest.raises(Diverged):
        train(coach, TrainSpec())
    coach.check()


# --------------------------------------------------------------------------------------------- a study


def test_the_state_names_the_weights_that_were_trained_and_the_agent_asks_with_them(whole: MemoryJournal):
    home = "train-verdict.trust-v1/L1"
    trained = [row["weights"] for path, kind, row in epochs(whole) if kind.endswith("0002")]
    assert len(trained) == 2
    asked = [
        fact.value["decoding"].get("weights") for fact in whole.facts(under=f"{home}/work/0006") if "call" in fact.kind
    ]
    assert asked == [trained[0]] * 10
    exam = whole.facts(under="exam/train-verdict.trust-v1.L1.x0008")
    assert {fact.value["decoding"].get("weights") for fact in exam if "call" in fact.kind} == {trained[1]}
    snapshot = whole.get(home, "final")["snapshot"]
    named = whole.get(f"snapshot/{snapshot}", "snapshot")["files"]["agent/weights.json"]
    assert json.loads(whole.read_blob(named))["sha256"] == trained[1]


def test_a_0_names_no_weights_and_is_what_every_pathway_begins_with(whole: MemoryJournal):
    both = parse(
        {**DOCUMENT, "arms": [*DOCUMENT["arms"], {"name": "other", "method": {"name": "training", "every": 8}}]}
    )
    journal = simulate(both)
    begun = {journal.get(name, "arm")["A_0"] for name in ("train", "train-verdict", "other", "other-verdict")}
    assert len(begun) == 1
    assert (
        "agent/weights.json" not in whole.get(f"snapshot/{whole.get('train', 'arm')['snapshot']}", "snapshot")["files"]
    )


def test_two_runs_come_to_the_same_digest(whole: MemoryJournal):
    assert simulate(study()).digest() == whole.digest()


@pytest.mark.parametrize("label", crashpoints.TRAINING_LABELS)
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_a_study_that_died_in_training_comes_to_the_same_weights(
    whole: MemoryJournal, monkeypatch: pytest.MonkeyPatch, label: str, passes: int
):
    left = passes

    def die(here: str) -> None:
        nonlocal left
        if here == label:
            left -= 1
            if left < 0:
                monkeypatch.setattr(crashpoints, "hook", None)
                raise KeyboardInterrupt

    journal = MemoryJournal()
    monkeypatch.setattr(crashpoints, "hook", die)
    with pytest.raises(KeyboardInterrupt):
        simulate(study(), journal)
    assert simulate(study(), journal).digest() == whole.digest()


def test_a_set_that_filters_to_nothing_is_recorded_with_its_counts_and_the_weights_stay():
    journal = simulate(study(filter="step", bar=99))
    reasons = [
        fact.value["skipped"] for fact in journal.facts(under="train.trust-v1") if "skipped" in (fact.value or {})
    ]
    assert reasons == ["no example is left (4 episodes, 40 steps, 40 judged, 40 low)"] * 2
    assert epochs(journal, "train.trust-v1") == []


def test_a_training_that_diverges_is_recorded_and_the_weights_stay():
    journal = simulate(study(rate=1e308))
    skipped = [
        fact.value["skipped"]
        for fact in journal.facts(under="train-verdict.trust-v1")
        if "skipped" in (fact.value or {})
    ]
    assert len(skipped) == 2
    assert all(
        each.startswith("the weights it had are kept: local/policy: loss or weights are no numbers") for each in skipped
    )


def test_steps_judged_low_are_answered_anew_by_the_model_and_learned_so():
    journal = simulate(study(filter="step", bar=0.0, correct=True))
    refined = [fact.value for fact in journal.facts(under="train-verdict.trust-v1", kind="refined")]
    about = [each["candidates"][0]["manifest"] for each in refined if each["candidates"]]
    assert about
    asked = [
        fact
        for fact in journal.facts(under="train-verdict.trust-v1")
        if "refine/" in f"{fact.path}/" and "call" in fact.kind
    ]
    assert len(asked) == sum(each["low"] for each in about)
    assert 0 < sum(each["corrected"] for each in about) < len(asked)
    assert all(each["examples"] == each["judged"] - each["low"] + each["corrected"] for each in about)


def test_a_method_that_trains_is_refused_over_a_model_that_cannot_be_trained():
    other = {**DOCUMENT, "agent": {"kind": "chat", "model": "scripted/first"}}
    with pytest.raises(UsageError, match=r"trains the weights .* and it acts with scripted/first; give .*local/policy"):
        simulate(parse(other))


def test_an_agent_without_a_model_is_told_to_act_with_one_that_can_be_trained():
    with pytest.raises(UsageError, match=r"it acts with no model; give \[agent\] kind = .*local/policy"):
        simulate(parse({**DOCUMENT, "agent": {"kind": "phantom:general"}}))


def test_a_model_that_chooses_among_calls_is_refused_an_agent_that_answers_in_words():
    agent = {key: value for key, value in DOCUMENT["agent"].items() if key != "answers"}
    with pytest.raises(UsageError, match=r"local/policy chooses .* agent.answers = 'text'; give"):
        simulate(parse({**DOCUMENT, "agent": agent}))


def test_a_method_that_trains_takes_no_other_model_to_ask():
    arms = [{"name": "train", "method": {"name": "training", "model": "scripted/first"}}]
    with pytest.raises(UsageError, match=r"asks the model it trains alone; remove \[method\] model"):
        simulate(parse({**DOCUMENT, "arms": arms}))


# --------------------------------------------------------------------------------------------- a gateway


class Plain:
    async def once(self, request: ModelRequest) -> ModelReply:
        return ModelReply("yes", "plain", "stop", Usage(1, 1))

    async def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    ("more", "why"), [({"weights": "0" * 64}, "has no weights of ours"), ({"seed": 5}, "draws by no seed")]
)
def test_a_model_that_would_pass_over_weights_or_a_seed_is_not_asked(more: dict, why: str):
    gateway = Gateway("a/b", Plain(), ModelConfig(), price=None, live=False)
    request = ModelRequest((Message("user", "x"),), "agent", **more)
    with pytest.raises(ModelUnusable, match=why):
        asyncio.run(gateway.ask(request, None))  # type: ignore[arg-type]


def test_weights_that_are_kept_nowhere_are_no_answer_and_no_crash():
    arms = wiring.arms(study(), models=launch.providers.made(study()))
    launch.training.lend(arms, MemoryJournal())
    request = ModelRequest((Message("user", "x"),), "agent", tools=(), weights="0" * 64)
    tool = {"type": "object", "properties": {"to": {"enum": ["a", "b"]}}}
    with pytest.raises(ModelFault, match="000000000000 are named by a state and not kept here"):
        asyncio.run(arms[0].model.trainable.once(replace(request, tools=(Tool("go", "", tool),))))


SMALL = {**DOCUMENT, "explore": {**DOCUMENT["explore"], "episodes": 4}, "exam": {}}


def test_a_run_that_is_replayed_trains_nothing_and_has_the_same_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    launch.run(parse(SMALL), tmp_path / "run")

    async def never(*_: object) -> None:
        raise AssertionError("it was trained")

    monkeypatch.setattr("rung.backends.training.policy.Policy.epoch", never)
    launch.run(parse(SMALL), tmp_path / "again", launch.Wishes(replay=tmp_path / "run"))
    digests = []
    for name in ("run", "again"):
        journal = SqliteJournal(tmp_path / name / "journal.sqlite", read_only=True)
        digests.append(journal.digest())
        assert len(epochs(journal)) == 2  # type: ignore[arg-type]
        journal.close()
    assert digests[0] == digests[1]


def test_weights_lie_outside_git(tmp_path: Path):
    directory = launch.run(parse(SMALL), tmp_path / "run")
    size = sum(file.stat().st_size for file in directory.git.rglob("*") if file.is_file())
    assert size < 100_000  # one set of weights alone has 131,200 bytes


def test_a_forecast_trains_nobody():
    forecast = wiring.arms(study(), models=launch.providers.unreached(study()))
    assert [arm.name for arm in forecast] == ["train", "train-verdict"]
    with pytest.raises(InstrumentFault, match="a forecast, which trains nobody"):
        asyncio.run(forecast[0].model.trainable.epoch(None, [EXAMPLE], TrainSpec(), 1))


@pytest.mark.parametrize("control", ["random-edit", "shuffled"])
def test_controls_that_rewrite_text_are_refused_where_there_is_none(control: str):
    with pytest.raises(UsageError, match=r"rewrite text, and training writes none; .*shuffle"):
        simulate(parse({**DOCUMENT, "controls": [control]}))


def test_a_control_that_discards_trains_and_acts_as_a_0():
    journal = simulate(parse({**SMALL, "controls": ["discard"], "exam": {"secret": "s"}}))
    trained = {path.partition(".")[0] for path, _, _ in epochs(journal, "")}
    discarding = [arm for arm in trained if "discard" in arm]
    assert discarding
    for arm in discarding:
        exams = journal.facts(under=f"exam/{arm}.trust-v1.L1.x0004")
        assert {fact.value["decoding"].get("weights") for fact in exams if "call/" in fact.kind} == {None}


def test_the_example_runs_and_trains():
    example = read(Path(__file__).parents[2] / "examples" / "training.toml", overrides=["lineages=1"])
    journal = launch.simulate(example, secret="example")
    assert len(epochs(journal)) == 2
    assert {fact.value["error"] for fact in journal.facts() if fact.kind.startswith("failed/")} == set()
