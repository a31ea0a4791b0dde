"""`Asked`: the driver that pulls a task and asks an actor step by step, so that a chat model, a phantom and a program
share one kind of session."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, runtime_checkable

from rung.core import crashpoints
from rung.core.errors import AgentCrash, InstrumentFault, LimitReached, Stopped
from rung.core.ports import Actor, Kit, Post
from rung.core.values import Action, Exit, Served, View
from rung.core.waiting import settle
from rung.protocols.answers import tidy

MAX_DETAIL = 2000
"""Characters kept of what an agent's code says when it crashes."""

Result = TypeVar("Result")


@runtime_checkable
class Recalls(Protocol):
    """An actor that can be told what it did before an interruption, instead of being asked again.

    For those that call no model: one that does is asked again, and its model answers from the record.
    """

    def recall(self, view: View, action: Action) -> None:
        """Take this step as played."""
        ...


class Asked:
    """Asks one fresh actor per task until the stream is empty."""

    def __init__(self, actor_for: Callable[[Served, Kit], Actor]) -> None:
        self._actor_for = actor_for

    async def run(self, post: Post) -> Exit:
        """Work the stream. An actor whose own code raises ends the session; the instrument's faults pass through."""
        while (served := await post.stream.get_task()) is not None:
            try:
                await self._work(post, served)
            except AgentCrash as crash:
                return Exit("agent_crashed", str(crash)[:MAX_DETAIL])
            except LimitReached as limit:
                return Exit("limit_reached", str(limit)[:MAX_DETAIL])
        return Exit("queue_empty")

    async def _make(self, served: Served, kit: Kit) -> Actor:
        return self._actor_for(served, kit)

    async def _work(self, post: Post, served: Served) -> None:
        actor = await _own(self._make, served, post.kit(served.handle))
        for view, action in served.played:
            await _remind(actor, view, action)
        seen: View | None = served.view
        while seen is not None:
            reply = await post.stream.answer(served.handle, await _acted(actor, seen))
            crashpoints.reach("reply.after")
            seen = reply.view


async def _own(function: Callable[..., Awaitable[Result]], *arguments: object) -> Result:
    """What the agent's own code answers. Whatever it raises is the agent's, but for what the instrument did to it."""
    try:
        return await settle(function, *arguments)
    except (InstrumentFault, AgentCrash, LimitReached, Stopped):
        raise
    except Exception as error:
        raise AgentCrash(f"{type(error).__name__}: {error}") from error


async def _acted(actor: Actor, view: View) -> Action:
    """The actor's action as plain data. What is odd about it shows here, and is the agent's own doing."""

    async def answered() -> Action:
        action: object = await settle(actor.act, view)
        if not isinstance(action, Action):
            raise TypeError(f"an actor must answer with an Action, not with {type(action).__name__}")
        return tidy(action)[0]

    return await _own(answered)


async def _remind(actor: Actor, view: View, action: Action) -> None:
    """Bring an actor to where it was. One that cannot be told is asked again, and must answer the same."""
    if isinstance(actor, Recalls):
        actor.recall(view, action)
        return
    again = await _acted(actor, view)
    if again.answer != action.answer:
        raise InstrumentFault("asked", "an interrupted actor did not repeat its recorded answer; give it `recall`")
