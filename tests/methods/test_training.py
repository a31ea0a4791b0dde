"""The training pathway: which steps become examples, and what is recorded where none do."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from rung.core.errors import EmptyReply, InstrumentFault, UsageError
from rung.core.ports import Ports, RefineContext
from rung.core.training import ArtifactRef, Diverged, Example, TrainSpec, named_in, naming
from rung.core.values import (
    Call,
    FeedbackResult,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    Selection,
    Skipped,
    State,
    Step,
    Tool,
    Trial,
)
from rung.methods.training import make
from rung.methods.training.lessons import Lesson, Played, kept, played, shuffled
from rung.testing.models import Scripted

GO = Tool("go", "Go.", {"type": "object", "properties": {"to": {"enum": ["left", "right"]}}})
JUMP = Tool("jump", "Jump.", {"type": "object", "properties": {"far": {"type": "boolean"}}})


def example(text: str, to: str = "left", tool: Tool = GO) -> Example:
    name = "to" if tool is GO else "far"
    return Example(ModelRequest((Message("user", text),), "agent", tools=(tool,)), Call(tool.name, {name: to}))


def episode(task: str, *judged: float | None, to: str = "left") -> Played:
    lessons = tuple(Lesson(example(f"{task} {n}", to), each) for n, each in enumerate(judged))
    return Played(task, lessons, None if None in judged else float(sum(judged)))  # type: ignore[arg-type]


def texts(examples) -> list[str]:
    return [each.request.messages[0].text for each in examples]


# --------------------------------------------------------------------------------------------- what is kept


def test_of_the_episodes_of_one_task_the_best_are_kept_and_only_above_its_mean():
    easy = [episode("easy", 9.0), episode("easy", 9.0), episode("easy", 9.0), episode("easy", 9.0)]
    hard = [episode("hard", 0.0), episode("hard", 3.0), episode("hard", 1.0), episode("hard", 2.0)]
    found = kept([*easy, *hard], "task", share=0.5, bar=0.0)
    assert texts(found.examples) == ["hard 0", "hard 0"]
    assert [each.answer.arguments for each in found.examples] == [{"to": "left"}] * 2
    assert found.counts == {"episodes": 8, "steps": 8, "judged whole": 8, "of a task played once": 0, "kept": 2}


def test_an_episode_with_a_step_that_was_not_judged_is_compared_with_none():
    found = kept([episode("a", 9.0, None), episode("a", 1.0, 1.0), episode("a", 0.0, 0.0)], "task", share=1.0, bar=0.0)
    assert texts(found.examples) == ["a 0", "a 1"]
    assert found.counts["judged whole"] == 2


def test_tasks_that_were_played_once_have_nothing_to_be_compared_with_and_that_is_said():
    found = kept([episode("a", 9.0), episode("b", 1.0)], "task", share=0.5, bar=0.0)
    assert found.examples == ()
    assert found.why_none == (
        "no example is left (2 episodes, 2 steps, 2 judged whole, 2 of a task played once, 0 kept)"
    )


def test_by_step_what_is_judged_above_the_bar_is_kept_and_the_rest_is_low():
    found = kept([episode("a", 0.5, 0.0, None, 2.0)], "step", share=1.0, bar=0.5)
    assert texts(found.examples) == ["a 3"]
    assert [each.judged for each in found.low] == [0.5, 0.0]
    assert found.counts == {"episodes": 1, "steps": 4, "judged": 3, "low": 2}


def test_without_a_filter_everything_is_kept():
    assert len(kept([episode("a", 0.0, None)], "none", share=0.1, bar=9.0).examples) == 2


def step(index: int, *, judged: float | None = 1.0, invalid: bool = False, told: bool = True) -> Step:
    request = ModelRequest((Message("user", f"view {index}"),), "agent", tools=(GO,))
    call = ModelCall(request, ModelReply("", "m", "tool_calls", calls=(Call("go", {"to": "left"}),)))
    return Step(
        index, f"view {index}", (), "left", "", invalid=invalid, self_score=judged, agent_call=call if told else None
    )


def feedback(*steps: Step, task: str = "t") -> FeedbackResult:
    return FeedbackResult("h", {"instance": task, "rules": "Go.", "family": "f", "setting": "s"}, steps, None)


def test_a_step_that_was_no_move_or_asked_no_model_teaches_nothing_and_still_counts_for_its_episode():
    found = played(feedback(step(0), step(1, invalid=True, judged=-4.0), step(2, told=False)))
    assert texts(each.example for each in found.lessons) == ["view 0"]
    assert found.worth == -2.0


def test_an_episode_without_steps_is_worth_nothing_known():
    assert played(feedback()).worth is None


# --------------------------------------------------------------------------------------------- controls


def test_dealt_rewards_are_the_same_rewards_on_other_episodes():
    episodes = [episode(str(n), float(n), float(n)) for n in range(20)]
    dealt = shuffled(episodes, "rewards", random.Random(1))
    assert Counter(each.worth for each in dealt) == Counter(each.worth for each in episodes)
    assert [each.worth for each in dealt] != [each.worth for each in episodes]
    assert [[each.example for each in one.lessons] for one in dealt] == [
        [each.example for each in one.lessons] for one in episodes
    ]


def test_dealt_labels_are_the_same_answers_where_the_same_are_legal():
    episodes = [episode(str(n), 1.0, 2.0, to="left" if n % 2 else "right") for n in range(20)]
    jumps = Played("j", tuple(Lesson(example(f"j {n}", "true", JUMP), 1.0) for n in range(3)), 3.0)
    dealt = shuffled([*episodes, jumps], "labels", random.Random(1))
    answers = [each.example.answer for one in dealt for each in one.lessons]
    before = [each.example.answer for one in [*episodes, jumps] for each in one.lessons]
    assert Counter(map(str, answers)) == Counter(map(str, before))
    assert answers != before
    assert all(answer.tool == "jump" for answer in answers[-3:])
    assert [one.worth for one in dealt] == [one.worth for one in [*episodes, jumps]]


def test_without_a_shuffle_nothing_is_touched():
    episodes = [episode("a", 1.0)]
    assert shuffled(episodes, "none", random.Random(1)) is episodes


# --------------------------------------------------------------------------------------------- refining


@dataclass
class Trainer:
    """A trainer that remembers what it was given."""

    given: list[tuple] = field(default_factory=list)
    fails: Exception | None = None

    async def train(self, base, examples, spec: TrainSpec) -> ArtifactRef:
        self.given.append((base, list(examples), spec))
        if self.fails is not None:
            raise self.fails
        return ArtifactRef("story-v1", f"{len(self.given):064d}")


class Agent:
    id = "agent"

    def harness(self):
        return {"agent/system.md": b"Be brief."}


def context(trainer: Trainer | None, *log: FeedbackResult, state: State = State(), model=None) -> RefineContext:  # noqa: B008
    ports = Ports(model=model, trainer=trainer)
    return RefineContext("a" * 40, state, log[-1], list(log), Agent(), ports, random.Random(1))  # type: ignore[arg-type]


def refine(method, *args, **more):
    return asyncio.run(method.refine(context(*args, **more)))


GOOD, BAD = feedback(step(0, judged=3.0)), feedback(step(0, judged=1.0))


def test_it_trains_every_so_many_episodes_on_those_since_the_last_time():
    trainer, method = Trainer(), make({"every": 2, "share": 1.0})
    assert refine(method, trainer, GOOD) == ()
    refine(method, trainer, GOOD, BAD)
    assert refine(method, trainer, GOOD, BAD, GOOD) == ()
    refine(method, trainer, GOOD, BAD, BAD, GOOD)
    assert [len(examples) for _, examples, _ in trainer.given] == [1, 1]


def test_the_candidate_names_the_new_weights_and_says_what_they_are_made_of():
    trainer = Trainer()
    state = naming(State({"agent/system.md": b"Be brief."}), ArtifactRef("story-v1", "f" * 64))
    (candidate,) = refine(make({"every": 2}), trainer, GOOD, BAD, state=state)
    assert named_in(candidate.state) == ArtifactRef("story-v1", f"{1:064d}")
    assert candidate.state.files["agent/system.md"] == b"Be brief."
    assert candidate.manifest["examples"] == candidate.manifest["kept"] == 1
    assert candidate.manifest["weights"] == f"{1:064d}"
    assert trainer.given[0][0] == ArtifactRef("story-v1", "f" * 64)


def test_the_spec_is_that_of_the_options_with_a_seed_drawn_from_the_refinement():
    trainer = Trainer()
    refine(make({"every": 2, "epochs": 3, "rate": 0.5, "batch": 2, "extent": "full"}), trainer, GOOD, BAD)
    seed = random.Random(1).getrandbits(32)
    assert trainer.given[0][2] == TrainSpec(epochs=3, rate=0.5, batch=2, seed=seed, extent="full")


def test_a_set_that_filters_to_nothing_is_skipped_with_the_counts():
    found = refine(make({"every": 2}), Trainer(), GOOD, GOOD)
    assert isinstance(found, Skipped)
    assert found.reason == "no example is left (2 episodes, 2 steps, 2 judged whole, 0 of a task played once, 0 kept)"


def test_a_training_that_diverges_is_skipped_with_the_reason():
    found = refine(make({"every": 2}), Trainer(fails=Diverged("the loss became nan; lower the rate")), GOOD, BAD)
    assert isinstance(found, Skipped)
    assert "the weights it had are kept: the loss became nan" in found.reason


def test_without_a_trainer_it_is_a_fault_that_says_so():
    with pytest.raises(InstrumentFault, match="cannot be trained"):
        refine(make({"every": 2}), None, GOOD, BAD)


def answering(*answers: str | Exception):
    said = iter(answers)

    def next_one(request: ModelRequest):
        answer = next(said)
        if isinstance(answer, Exception):
            raise answer
        return ModelReply("", "m", "tool_calls", calls=(Call("go", {"to": answer}),))

    return Scripted(next_one)


def test_low_steps_are_asked_again_under_the_weights_in_use_and_learned_where_the_answer_is_another():
    trainer, model = Trainer(), answering("right", "left", EmptyReply("m", "empty"))
    state = naming(State(), ArtifactRef("story-v1", "f" * 64))
    low = feedback(*(step(n, judged=-1.0) for n in range(3)))
    method = make({"every": 1, "filter": "step", "correct": True})
    (candidate,) = refine(method, trainer, low, state=state, model=model)
    assert [(texts([each]), each.answer) for each in trainer.given[0][1]] == [(["view 0"], Call("go", {"to": "right"}))]
    assert candidate.manifest["corrected"] == 1
    assert {request.weights for request in model.asked} == {"f" * 64}
    assert "judged that this earns -1. Give a better answer." in model.asked[0].messages[0].text
    assert [message.text for message in model.asked[1].messages[1:]] == ["view 1"]


def test_the_new_weights_are_taken_over_untried_and_a_0_is_the_agent_alone():
    method = make({})
    chosen = asyncio.run(method.select(context(None, GOOD), Trial(-1, ()), [Trial(0, ())]))
    assert chosen == Selection(0, "taken without trial")
    assert method.initial_state(Agent()) == State({"agent/system.md": b"Be brief."})
    assert (method.wrapping, method.trials) == ("", 0)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"every": 0}, "every is a whole number from 1 up"),
        ({"filter": "best"}, "filter is one of task, step, none"),
        ({"shuffle": "all"}, "shuffle is one of none, rewards, labels"),
        ({"share": 1.5}, "share is a share between 0 and 1"),
        ({"rate": -1.0}, "method.name = 'training': rate is a number above 0, seen -1.0; leave it out"),
        ({"correct": True}, "correct = true answers low steps anew, and filter = 'task' has none; give 'step'"),
        ({"epoch": 3}, "unknown key 'epoch' .*did you mean 'epochs'"),
    ],
)
def test_an_option_that_cannot_be_is_refused_with_the_mend(options: dict, why: str):
    with pytest.raises(UsageError, match=why):
        make(options)


def test_the_same_answer_with_another_judgement_is_no_correction():
    trainer = Trainer()
    said = ModelReply("", "m", "tool_calls", calls=(Call("go", {"to": "left", "self_score": 0.9}),))
    low = feedback(replace(step(0, judged=-1.0)))
    found = refine(make({"every": 1, "filter": "step", "correct": True}), trainer, low, model=Scripted(lambda _: said))
    assert isinstance(found, Skipped)
