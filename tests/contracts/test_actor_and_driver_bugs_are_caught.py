"""No check that cannot fail: bugs planted in honest actors, agents and drivers are caught by the checks named alone."""

import random
from contextlib import suppress
from dataclasses import replace
from itertools import count

import pytest

from rung.core.errors import AgentCrash, InstrumentFault, UsageError
from rung.core.values import Action, Call, Exit, Message, ModelRequest
from rung.methods._function import FunctionMethod
from rung.testing.contracts import SUITES, MethodCase, run_suite
from rung.testing.contracts.scripts import ScriptedActor, ScriptedAgent

BUGS = []


def failures(kind, thing):
    return {finding.name for finding in run_suite(kind, thing) if not finding.passed}


def bug(kind, *caught_by):
    def plant(thing):
        BUGS.append(pytest.param(kind, thing, set(caught_by), id=thing.__name__))
        return thing

    return plant


# --------------------------------------------------------------------------------------------- actors


class Actor(ScriptedActor):
    """An honest actor."""

    def __init__(self, rng):
        super().__init__("honest", rng)


@bug("actors", "every_answer_is_an_action", "any_view_is_survived")
class AnswersWithBareText(Actor):
    async def act(self, view):
        return (await super().act(view)).answer


@bug("actors", "every_answer_is_an_action")
class GuessesInfinity(Actor):
    async def act(self, view):
        return replace(await super().act(view), self_score=float("inf"))


@bug("actors", "every_answer_is_an_action")
class SaysInfinity(Actor):
    async def act(self, view):
        return Action(Call("say", {"value": float("inf")}))


@bug("actors", "the_same_views_give_the_same_actions", "two_actors_share_nothing")
class DrawsFromTheSystem(Actor):
    async def act(self, view):
        return Action(str(random.SystemRandom().getrandbits(64)))


@bug("actors", "the_same_views_give_the_same_actions", "two_actors_share_nothing")
class DrawsFromTheGlobalRandom(Actor):
    async def act(self, view):
        return Action(str(random.getrandbits(64)))


@bug("actors", "any_view_is_survived")
class NeedsATool(Actor):
    async def act(self, view):
        return Action(Call(view.tools[0].name, {"value": self.rng.randrange(10)}))


class KnowsOneGameAlone(Actor):
    """Reads its own game's views, and gives up on all others, as it may."""

    async def act(self, view):
        raise AgentCrash(f"no farm to be seen in {id(view)}")


class TalksNonsense(Actor):
    async def act(self, view):
        return Action("I know nothing but farms.")


@pytest.mark.parametrize("actor", [KnowsOneGameAlone, TalksNonsense])
def test_an_actor_that_knows_one_game_alone_keeps_every_promise(actor):
    assert failures("actors", actor) == set()


def test_an_agent_that_knows_one_game_alone_keeps_every_promise():
    class OneGame(ScriptedAgent):
        def actor(self, state, ports, rng):
            return KnowsOneGameAlone(rng)

    assert failures("agents", OneGame) == set()
    assert failures("methods", MethodCase(lambda: FunctionMethod(as_it_is, name="m", options={}), OneGame)) == set()


def as_it_is(feedback, files):
    return None


@bug("actors", "acting_does_not_change_the_view")
class ChangesATool(Actor):
    async def act(self, view):
        for tool in view.tools:
            tool.parameters["title"] = "mine"
        return await super().act(view)


@bug("actors", "two_actors_share_nothing")
class SharesItsLastView(Actor):
    shown = []  # noqa: RUF012 (the planted bug)

    def __init__(self, rng):
        super().__init__(rng)
        self.shown.clear()

    async def act(self, view):
        self.shown.append(view.text)
        return Action(f"I have seen {len(self.shown)} views")


# --------------------------------------------------------------------------------------------- agents


@bug("agents", "an_agent_made_again_is_the_same")
class IsNumbered(ScriptedAgent):
    made = count()

    def __init__(self):
        super().__init__(id=f"agent {next(self.made)}")


@bug("agents", "a_harness_lies_under_agent")
class StartsWithAConversation(ScriptedAgent):
    def harness(self):
        return {**super().harness(), "conversation/0.md": b"hello"}


@bug("agents", "making_an_actor_changes_no_state")
class WritesIntoTheState(ScriptedAgent):
    def actor(self, state, ports, rng):
        state.files["agent/prompt.md"] = b"changed"
        return super().actor(state, ports, rng)


@bug("agents", "an_agent_that_ruined_its_files_takes_no_run_down")
class TrustsItsFiles(ScriptedAgent):
    def actor(self, state, ports, rng):
        state.files["agent/prompt.md"].decode()
        return super().actor(state, ports, rng)


class Asks(Actor):
    """An actor that asks a model."""

    def __init__(self, model):
        self.model = model

    async def act(self, view):
        reply = await self.model.generate(ModelRequest((Message("user", view.text),), "agent"))
        return Action(reply.text)


@bug("agents", "an_agent_that_cannot_act_without_a_model_says_so")
class DoesNotSayThatItNeedsAModel(ScriptedAgent):
    def actor(self, state, ports, rng):
        return Asks(ports.model)


@bug("agents", "an_agents_model_that_is_down_is_a_fault")
class CallsAModelThatIsDownAnEmptyAnswer(ScriptedAgent):
    needs_model = True

    def actor(self, state, ports, rng):
        return Swallows(ports.model)


class Swallows(Asks):
    async def act(self, view):
        try:
            return await super().act(view)
        except InstrumentFault:
            return Action("")


# --------------------------------------------------------------------------------------------- drivers


class Driver:
    """An honest driver."""

    def __init__(self, actor_for):
        self.actor_for = actor_for

    async def run(self, post):
        try:
            while (served := await post.stream.get_task()) is not None:
                await self.work(post, served)
        except AgentCrash as crash:
            return Exit("agent_crashed", str(crash))
        return Exit("queue_empty")

    async def work(self, post, served):
        actor = self.actor_for(served, post.kit(served.handle))
        for view, _ in served.played:
            await actor.act(view)
        view = served.view
        while view is not None:
            view = (await post.stream.answer(served.handle, await actor.act(view))).view


@bug("drivers", "a_driver_pulls_until_the_queue_is_empty")
class StopsAfterThree(Driver):
    async def run(self, post):
        for _ in range(3):
            served = await post.stream.get_task()
            if served is None:
                return Exit("queue_empty")
            try:
                await self.work(post, served)
            except AgentCrash as crash:
                return Exit("agent_crashed", str(crash))
        return Exit("queue_empty")


@bug("drivers", "a_driver_pulls_until_the_queue_is_empty", "an_empty_queue_is_an_exit")
class ReturnsNothing(Driver):
    async def run(self, post):
        done = await super().run(post)
        return done if done.reason == "agent_crashed" else None


@bug("drivers", "an_empty_queue_is_an_exit")
class CallsAnEmptyQueueACrash(Driver):
    async def run(self, post):
        done = await super().run(post)
        return done if post.stream.pulled else Exit("agent_crashed", "nothing to do")


@bug("drivers", "only_handles_in_flight_are_answered")
class AnswersOnceTooOften(Driver):
    async def work(self, post, served):
        await super().work(post, served)
        with suppress(UsageError):
            await post.stream.answer(served.handle, Action("thanks"))


@bug("drivers", "each_attempt_has_an_actor_and_a_kit_of_its_own")
class MakesAnActorTooMany(Driver):
    async def work(self, post, served):
        self.actor_for(served, post.kit(served.handle))
        await super().work(post, served)


@bug("drivers", "a_driver_adds_nothing_of_its_own")
class SpellsItsOwnAnswers(Driver):
    async def work(self, post, served):
        stream = _Rewriting(post.stream)
        await super().work(_Post(stream, post), served)


class _Rewriting:
    def __init__(self, inner):
        self.inner = inner

    async def answer(self, handle, action):
        return await self.inner.answer(handle, replace(action, self_score=0.5))


class _Post:
    def __init__(self, stream, post):
        self.stream, self.kit = stream, post.kit


@bug("drivers", "an_interrupted_task_is_taken_up_where_it_was")
class StartsOverAfterAnInterruption(Driver):
    async def work(self, post, served):
        await super().work(post, replace(served, played=()))


@bug("drivers", "an_agents_crash_is_told_in_the_exit")
class LosesTheDetail(Driver):
    async def run(self, post):
        return replace(await super().run(post), detail="")


@bug("drivers", "an_agents_crash_is_told_in_the_exit")
class LetsTheCrashThrough(Driver):
    async def run(self, post):
        while (served := await post.stream.get_task()) is not None:
            await self.work(post, served)
        return Exit("queue_empty")


@bug("drivers", "a_broken_instrument_is_let_through")
class CallsEveryErrorACrash(Driver):
    async def run(self, post):
        try:
            return await super().run(post)
        except InstrumentFault as fault:
            return Exit("agent_crashed", str(fault))


def test_honest_ones_pass():
    assert failures("actors", Actor) | failures("agents", ScriptedAgent) | failures("drivers", Driver) == set()


@pytest.mark.parametrize(("kind", "thing", "caught_by"), BUGS)
def test_a_planted_bug_is_caught(kind, thing, caught_by):
    assert failures(kind, thing) == caught_by


@pytest.mark.parametrize("kind", ["actors", "drivers"])
def test_every_check_has_caught_a_bug(kind):
    caught = set().union(*(param.values[2] for param in BUGS if param.values[0] == kind))
    assert caught == {check.__name__ for check in SUITES[kind]}


def test_every_check_of_agents_has_caught_a_bug():
    caught = set().union(*(param.values[2] for param in BUGS if param.values[0] in ("agents", "actors")))
    assert caught >= {check.__name__ for check in SUITES["agents"]}
