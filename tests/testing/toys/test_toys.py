import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core import registry
from rung.core.errors import UsageError
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Task
from rung.tasks import keys

TOYS = ("toy-lock-v1", "toy-lamp-v1", "toy-road-v1")


async def worked(task: Task, *actors: Actor) -> Evaluation:
    """Play a task with one actor for each call, the last one going on to the end."""
    episode = await registry.family(task.family).start(task, Ports())
    for turn in range(task.calls):
        action = await actors[min(turn, len(actors) - 1)].act(episode.view())
        await episode.call(action.answer)
    return await episode.evaluate()


def draw(toy: str, seed: str = "s", setting: str = "d1") -> Task:
    family = registry.family(toy)
    return family.draw(family.setting(setting), Seed(seed))


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("setting", ["d1", "d5", "d50", "tiny"])
def test_the_naive_policy_scores_exactly_0_and_the_solver_exactly_1(toy, setting):
    key, tasks = keys.key(toy), [draw(toy, str(n), setting) for n in range(20)]
    naive = [asyncio.run(worked(task, key.naive(task))).score for task in tasks]
    solver = [asyncio.run(worked(task, key.solver(task))).score for task in tasks]
    assert naive == [0.0] * 20
    assert solver == [1.0] * 20


def test_each_signpost_of_the_road_is_half_of_the_score():
    task, key = draw("toy-road-v1"), keys.key("toy-road-v1")
    mixed = asyncio.run(worked(task, key.solver(task), key.naive(task)))
    assert (mixed.score, mixed.success) == (0.5, False)


@pytest.mark.parametrize("toy", TOYS)
def test_tiny_holds_exactly_8_instances(toy):
    key = keys.key(toy)
    seen = {key.fingerprint(draw(toy, str(n), "tiny")) for n in range(300)}
    assert len(seen) == 8


@pytest.mark.parametrize("toy", TOYS)
def test_the_same_seed_gives_the_same_task_and_another_seed_another(toy):
    assert draw(toy, "a") == draw(toy, "a")
    assert draw(toy, "a").payload == draw(toy, "a").payload
    assert len({keys.key(toy).fingerprint(draw(toy, str(n))) for n in range(200)}) == 200


def test_the_answer_of_one_toy_is_not_the_answer_of_another():
    lock, lamp = registry.family("toy-lock-v1"), registry.family("toy-lamp-v1")
    assert lock.answer_to(5) != lamp.answer_to(5)


@pytest.mark.parametrize("toy", TOYS)
def test_the_answer_of_an_instance_is_told_afterwards_and_opens_the_same_instance_again(toy):
    async def told() -> tuple[str, float]:
        family, task = registry.family(toy), draw(toy)
        first, again = await family.start(task, Ports()), await family.start(task, Ports())
        for _ in range(task.calls):
            reply = await first.call(Call("answer", {"value": 0}))
            await again.call(family.parse(reply.feedback))
        return reply.feedback, (await again.evaluate()).score

    feedback, score = asyncio.run(told())
    assert feedback.startswith("The right answer to ")
    assert score == 1.0


@pytest.mark.parametrize("toy", TOYS)
def test_a_call_after_the_end_changes_nothing(toy):
    async def ended() -> None:
        task = draw(toy)
        episode = await registry.family(toy).start(task, Ports())
        for _ in range(task.calls):
            await episode.call(Invalid("nothing"))
        before = await episode.evaluate()
        reply = await episode.call(Call("answer", {"value": 1}))
        assert (reply.invalid, reply.done, reply.text) == (True, True, "the task is over; nothing was changed")
        assert await episode.evaluate() == before
        assert (await episode.evaluate()).metrics["invalid_actions"] == task.calls

    asyncio.run(ended())


@pytest.mark.parametrize("value", [None, True, 1.0, "1", [1], {}, -1])
def test_a_typed_answer_of_the_wrong_type_is_a_wrong_answer_with_a_reason(value):
    async def answered() -> None:
        episode = await registry.family("toy-lock-v1").start(draw("toy-lock-v1"), Ports())
        reply = await episode.call(Call("answer", {"value": value}))
        assert reply.score == 0.0
        assert reply.invalid == (value != -1)
        assert "\n" not in reply.text

    asyncio.run(answered())


def test_the_last_whole_number_in_plain_digits_is_the_answer():
    parse = registry.family("toy-lock-v1").parse
    assert parse("not 12 but 34, said he") == Call("answer", {"value": 34})
    assert parse("٣٤") == Invalid("no whole number found in the answer")
    assert parse("9" * 1_000_000) == Invalid("no whole number found in the answer")


@given(st.text())
def test_any_text_is_an_answer_or_a_reason(text):
    assert isinstance(registry.family("toy-lock-v1").parse(text), Call | Invalid)


def test_an_unknown_setting_is_refused_by_name():
    with pytest.raises(UsageError, match="toy-lock-v1 has no setting 'hard'"):
        registry.family("toy-lock-v1").setting("hard")
