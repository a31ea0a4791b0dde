"""Promises about episodes, whatever is called in them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rung.core.canonical import canonical
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Image, Invalid, Reply, Task, Tool, View
from rung.protocols.toolbox import tools_of
from rung.testing.contracts.families.case import CLOSE, FamilyCase, Played, call, evaluate, start
from rung.testing.contracts.promise import Check, into, require, wait

CHECKS: list[Check[FamilyCase]] = []
promise = into(CHECKS)

LOOKED_AT = 20
"""Views from one whose pictures are looked at to the next."""
_ONE_TASK = "an episode is a function of (task, calls): keep all state in the episode, and draw from the task's seed"


def _all(case: FamilyCase) -> Sequence[Played]:
    return (*case.solved, *case.attempted, *case.muddled)


def _difference(one: Played, other: Played) -> str:
    for index, (mine, theirs) in enumerate(zip(one.views, other.views, strict=False)):
        if mine != theirs:
            return f"{one.task.cell}: view {index} differs"
        if one.replies[index : index + 1] != other.replies[index : index + 1]:
            return f"{one.task.cell}: reply {index} differs"
    return "" if one == other else f"{one.task.cell}: {one.evaluation} and {other.evaluation}"


@promise
def repeating_the_calls_repeats_the_episode(case: FamilyCase) -> None:
    """An episode is a function of task and calls: the same views, replies and evaluation, step for step."""
    for played in _all(case):
        require(not (seen := _difference(played, case.replay(played.task, played.calls))), seen=seen, mend=_ONE_TASK)


@promise
def episodes_do_not_meet(case: FamilyCase) -> None:
    """Two episodes worked in turns go as each would alone; a replayable one is rebuilt in the middle by its calls."""
    for played in _all(case):
        require(not (seen := wait(_interleaved(case, played))), seen=seen, mend=_ONE_TASK)


async def _interleaved(case: FamilyCase, played: Played) -> str:
    """One episode begins; halfway another is rebuilt beside it from the calls so far; then both go on in turns."""
    half = len(played.calls) // 2
    one = await start(case, played.task)
    for move in played.calls[:half]:
        await call(one, move)
    both = [one, await start(case, played.task)] if case.family.replayable else [one]
    for move in played.calls[:half] if len(both) > 1 else ():
        await call(both[1], move)
    for index, move in enumerate(played.calls[half:], half):
        for episode in both:
            if episode.view() != played.views[index] or await call(episode, move) != played.replies[index]:
                return f"{played.task.cell}: step {index} went another way beside another episode"
    ends = [await evaluate(episode) for episode in both]
    return "" if all(end == played.evaluation for end in ends) else f"{played.task.cell}: {ends}, {played.evaluation}"


@promise
def looking_and_measuring_change_nothing(case: FamilyCase) -> None:
    """Looking twice and measuring after every call leave the episode as it is."""
    for played in (*case.attempted, *case.muddled):
        require(not (seen := wait(_measured(case, played))), seen=seen, mend="view and evaluate only read")


async def _measured(case: FamilyCase, played: Played) -> str:
    episode = await start(case, played.task)
    for index, move in enumerate(played.calls):
        first = await evaluate(episode)
        if episode.view() != episode.view() or await evaluate(episode) != first:
            return f"{played.task.cell}: a second look at step {index} saw something else"
        if episode.view() != played.views[index] or await call(episode, move) != played.replies[index]:
            return f"{played.task.cell}: step {index} went another way after being measured"
    last = await evaluate(episode)
    return "" if last == played.evaluation else f"{played.task.cell}: {last}, {played.evaluation}"


@promise
def a_task_that_went_through_json_plays_the_same(case: FamilyCase) -> None:
    """An episode does not notice that its payload was written down and read again."""
    for played in case.attempted:
        copy = replace(played.task, payload=json.loads(canonical(played.task.payload)))
        again = replace(case.replay(copy, played.calls), task=played.task)
        seen = _difference(played, again)
        require(not seen, seen=seen, mend="lean neither on tuples nor on the order of keys")


@promise
def doing_nothing_scores_the_floor(case: FamilyCase) -> None:
    """An episode measured before any call scores the declared floor, and is no success."""
    floor = case.family.scale.floor
    for task in case.tasks:
        nothing = case.replay(task, ())
        seen = f"{task.cell}: {nothing.evaluation.score}, floor {floor}, success {nothing.evaluation.success}"
        kept = abs(nothing.evaluation.score - floor) <= CLOSE and not nothing.evaluation.success
        require(kept, seen=seen, mend="declare in Scale.floor what an agent scores that does nothing")


@promise
def scores_lie_on_the_declared_scale(case: FamilyCase) -> None:
    """No episode, however played, is scored outside the declared scale; the floor lies on it too."""
    scale = case.family.scale
    high = float("inf") if scale.high is None else scale.high
    require(scale.low <= scale.floor <= high, seen=scale, mend="low <= floor <= high")
    for played in _all(case):
        score = played.evaluation.score
        seen = f"{played.task.cell}: {score} on {scale.low} to {scale.high}"
        require(scale.low - CLOSE <= score <= high + CLOSE, seen=seen, mend="declare the true bounds in Scale")


@promise
def every_episode_ends_within_its_calls(case: FamilyCase) -> None:
    """After task.calls calls of any kind the episode is over: no answer, legal or not, is free."""
    for task in case.tasks:
        nothing_legal = case.replay(task, [Invalid("no call")] * (task.calls + 1))
        unknown = case.replay(task, [Call("no such tool", {})] * (task.calls + 1))
        for played in (nothing_legal, unknown, case.play(task, case.noise(task))):
            _ended(played)
    for played in (*case.solved, *case.attempted):
        _ended(played)


def _ended(played: Played) -> None:
    seen = f"{played.task.cell}: {len(played.calls)} calls, {played.task.calls} declared, done: {played.done}"
    kept = len(played.calls) <= played.task.calls and (played.done or len(played.calls) < played.task.calls)
    require(kept, seen=seen, mend="count every call, also an invalid one, and end at task.calls")


@promise
def nothing_happens_after_the_end(case: FamilyCase) -> None:
    """Calls after the end raise nothing and change neither the view nor the evaluation."""
    for played in _all(case):
        if played.done:
            require(not (seen := wait(_after(case, played))), seen=seen, mend="answer that it is over, and do nothing")


async def _after(case: FamilyCase, played: Played) -> str:
    episode = await start(case, played.task)
    for move in played.calls:
        await call(episode, move)
    for move in (*played.calls[:3], played.calls[-1], Invalid("no call"), Call("no such tool", {})):
        reply = await call(episode, move)
        if not reply.done:
            return f"{played.task.cell}: over, and then not"
    kept = _still(episode.view()) == _still(played.views[-1]) and await evaluate(episode) == played.evaluation
    return "" if kept else f"{played.task.cell}: calls after the end changed the view or the evaluation"


def _still(view: View) -> View:
    return replace(view, reply="")


@promise
def what_an_episode_says_can_be_recorded(case: FamilyCase) -> None:
    """Views, replies and evaluations hold text and finite JSON of the declared types."""
    for played in _all(case):
        for view in played.views:
            _require_view(view)
        for image in _pictures(played):
            require(isinstance(image.data, bytes), seen=image, mend="images hold bytes")
        for reply in played.replies:
            _require_reply(reply)
        _require_evaluation(played.evaluation)


def _require_view(view: View) -> None:
    require(isinstance(view, View), seen=view, mend="view() gives a View")
    texts = [view.text, view.rules, view.reply, *(tool.name + tool.description for tool in view.tools)]
    canonical(texts)
    require(all(legible(text) for text in texts), seen=texts, mend="keep to text that UTF-8 can spell")
    canonical([tool.parameters for tool in view.tools])
    require(all(isinstance(image, Image) for image in view.images), seen=view.images, mend="images are Images")


def _pictures(played: Played) -> Iterator[Image]:
    """What is looked at of an episode's pictures, for one may take long to draw: the first, the last, some between."""
    for view in (*played.views[::LOOKED_AT], played.views[-1]):
        yield from view.images


def _require_reply(reply: Reply) -> None:
    require(isinstance(reply, Reply), seen=reply, mend="call() gives a Reply")
    canonical([reply.text, reply.done, reply.invalid, reply.score, reply.success, reply.feedback])
    require(legible(reply.text) and type(reply.done) is bool, seen=reply, mend="text as text, done as a bool")


def _require_evaluation(evaluation: Evaluation) -> None:
    require(isinstance(evaluation, Evaluation), seen=evaluation, mend="evaluate() gives an Evaluation")
    require(type(evaluation.success) is bool, seen=evaluation, mend="success is True or False")
    canonical([evaluation.score, evaluation.metrics, evaluation.feedback])


def legible(text: object) -> bool:
    """True for text that UTF-8 can spell: no lone surrogates."""
    return isinstance(text, str) and not any("\ud800" <= letter <= "\udfff" for letter in text)


@promise
def an_agent_is_shown_neither_seed_nor_task_id(case: FamilyCase) -> None:
    """Payload, rules, views, replies and tools name neither the seed nor the task's id or constants."""
    for played in (*case.attempted, *case.muddled):
        task = played.task
        shown = "\n".join(_shown(case, played))
        leaks = [name for name, secret in _secrets(task) if len(secret) >= 6 and secret in shown]
        require(not leaks, seen=f"{task.cell}: shown: {leaks}", mend="show the problem, and nothing that can redraw it")


def _shown(case: FamilyCase, played: Played) -> Iterator[str]:
    yield canonical(played.task.payload)
    yield case.family.rules(played.task)
    for view in played.views:
        yield from (view.text, view.rules, view.reply)
        yield from (f"{tool.name} {tool.description} {canonical(tool.parameters)}" for tool in view.tools)
    yield from (image.data.decode("latin-1") for image in _pictures(played))
    for reply in played.replies:
        yield from (reply.text, reply.feedback or "")


def _secrets(task: Task) -> Sequence[tuple[str, str]]:
    hashed = Seed(task.seed).hex
    names = {"the seed": task.seed, "the seed's hash": hashed[:16], "the task id": task.id.rsplit(":", 1)[-1]}
    return [*names.items(), ("the generator's constants", task.constants)]


@promise
def a_program_is_told_of_every_tool_beforehand(case: FamilyCase) -> None:
    """Every tool in any view is among those that a program is told of before its first task."""
    told: dict[str, Sequence[Tool]] = {}
    for played in _all(case):
        setting = played.task.setting
        if setting.name not in told:
            told[setting.name] = wait(tools_of(case.family, setting))
        shown = (tool for view in played.views for tool in view.tools)
        new = sorted({tool.name for tool in shown if tool not in told[setting.name]})
        mend = "give the family tools(setting), with every tool that an episode of the setting may show"
        require(not new, seen=f"{played.task.cell}: {new} in a later view", mend=mend)
