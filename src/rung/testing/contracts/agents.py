"""The contract suite of agents: a harness that can be a state, and actors as `actors` asks of them."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import TypeAlias

from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Actor, Agent
from rung.core.seeds import Seed
from rung.core.values import Action, State
from rung.testing.contracts import actors, scripts
from rung.testing.contracts.promise import Check, into, require, wait
from rung.testing.models import Broken

AgentMaker: TypeAlias = Callable[[], Agent]
"""Makes the configured agent afresh."""

CHECKS: list[Check[AgentMaker]] = []
promise = into(CHECKS)


@promise
def an_agent_made_again_is_the_same(make: AgentMaker) -> None:
    """Made twice from the same options, an agent has the same id and the same harness."""
    one, other = make(), make()
    require(one.id and one.id == other.id, seen=f"{one.id!r} and {other.id!r}", mend="name what acts, and no instance")
    require(dict(one.harness()) == dict(other.harness()), seen="two harnesses", mend="harness() is a constant")


@promise
def a_harness_lies_under_agent(make: AgentMaker) -> None:
    """The harness is a set of bytes under agent/ by plain paths."""
    files = dict(make().harness())
    State(files)
    stray = [path for path, data in files.items() if not path.startswith("agent/") or not isinstance(data, bytes)]
    require(not stray, seen=stray, mend="put bytes under agent/")


@promise
def making_an_actor_changes_no_state(make: AgentMaker) -> None:
    """Making an actor and acting leave the state as it was."""
    agent = make()
    files = dict(agent.harness())
    actor = agent.actor(State(files), scripts.ports(), Seed("contract").rng())
    wait(_act_once(actor))
    require(files == dict(agent.harness()), seen=sorted(files), mend="read the state, and write nothing into it")


async def _act_once(actor: Actor) -> Action:
    return await actors.acted(actor, actors.views()["a plain view"])


@promise
def an_agent_that_ruined_its_files_takes_no_run_down(make: AgentMaker) -> None:
    """An agent whose own files hold garbage acts, or raises AgentCrash or InstrumentFault; nothing else comes out."""
    agent = make()
    for garbage in (b"", b"\xff\xfe\x00", b"[" * 5000, b"{}", b"null"):
        state = State(dict.fromkeys(agent.harness(), garbage))
        for ruined in (state, State()):
            with suppress(AgentCrash, InstrumentFault):
                wait(_act_once(agent.actor(ruined, scripts.ports(), Seed("contract").rng())))


@promise
def an_agent_that_cannot_act_without_a_model_says_so(make: AgentMaker) -> None:
    """An agent that cannot act without a model has `needs_model = True`, so that no study starts without one."""
    agent = make()
    if getattr(agent, "needs_model", False):
        return
    bare = replace(scripts.ports(), model=None)
    try:
        wait(_act_once(agent.actor(State(dict(agent.harness())), bare, Seed("contract").rng())))
    except Exception as error:  # noqa: BLE001 (foreign code may raise anything)
        require(False, seen=f"{type(error).__name__}: {error}", mend="needs_model = True")


@promise
def an_agents_model_that_is_down_is_a_fault(make: AgentMaker) -> None:
    """When its model cannot be reached, acting lets the InstrumentFault through and does nothing instead."""
    agent, model = make(), Broken()
    ports = replace(scripts.ports(), model=model)
    with suppress(InstrumentFault):
        wait(_act_once(agent.actor(State(dict(agent.harness())), ports, Seed("contract").rng())))
        require(not model.calls, seen="the fault was swallowed", mend="catch no InstrumentFault: it is recorded")


def _of_actor(check: Check[actors.ActorMaker]) -> Check[AgentMaker]:
    @wraps(check)
    def kept(make: AgentMaker) -> None:
        check(actor_maker(make()))

    return kept


def actor_maker(agent: Agent) -> actors.ActorMaker:
    """Actors of an agent's first state, each in a fresh scripted world."""

    def maker(rng: random.Random) -> Actor:
        return agent.actor(State(dict(agent.harness())), scripts.ports(), rng)

    return maker


CHECKS += [_of_actor(check) for check in actors.CHECKS]
