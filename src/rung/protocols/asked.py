"""`Asked`: the driver that pulls a task and asks an actor step by step, so that a chat model, a phantom and a program
share one kind of session."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from rung.core import crashpoints
from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Actor, Kit, Post
from rung.core.values import Action, Exit, Served, View


@runtime_checkable
class Recalls(Protocol):
    """An actor that can be told what it did before an interruption, instead of being asked again."""

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
                return Exit("agent_crashed", str(crash))
        return Exit("queue_empty")

    async def _work(self, post: Post, served: Served) -> None:
        actor = self._actor_for(served, post.kit(served.handle))
        for view, action in served.played:
            await _remind(actor, view, action)
        seen: View | None = served.view
        while seen is not None:
            reply = await post.stream.answer(served.handle, await actor.act(seen))
            crashpoints.reach("reply.after")
            seen = reply.view


async def _remind(actor: Actor, view: View, action: Action) -> None:
    """Bring an actor to where it was. One that cannot be told is asked again, and must answer the same."""
    if isinstance(actor, Recalls):
        actor.recall(view, action)
        return
    again = await actor.act(view)
    if again.answer != action.answer:
        raise InstrumentFault("asked", "an interrupted actor did not repeat its recorded answer; give it `recall`")
