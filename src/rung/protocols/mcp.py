"""A stream as tools, for programs that call tools in whatever way: over MCP, or through the client file. Pure mapping.

    get_task     the next task, or that there is none; with a handle, that task once more
    queue_info   what is in flight, and how many tasks wait where the study tells
    the others   the calls of the games (see `rung.protocols.toolbox`), each with the handle of its task

The call that ends a task answers with its feedback in work, and in an exam with one fixed payload, whatever happened.
A call that is no good is a failed answer and says how to mend it. One that names a task in flight is a step of it, as
from any other agent; one that does not is noted beside the session's tasks.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rung.core.canonical import JSON
from rung.core.desk import OVER, ToolAnswer
from rung.core.values import Call, Evaluation, FeedbackResult, Served, Step, StreamReply, Tool, View
from rung.protocols.stream import NotInFlight, Stream
from rung.protocols.toolbox import GET_TASK, QUEUE_INFO, TASK, Cell, Toolbox

RECORDED = ToolAnswer("recorded", data={"recorded": True})
"""What every call answers that ends a task in an exam."""


@dataclass(slots=True)
class StreamDesk:
    """The tools of one session (see `rung.core.desk.ToolDesk`), over its stream.

    A call goes on to its end when its caller is cut off, and is recorded once. `broken` is what ended the session in
    such a call: the next one raises it. `heard` is called after each call.
    """

    stream: Stream
    box: Toolbox
    words: str = ""
    heard: Callable[[], None] = lambda: None
    broken: BaseException | None = None
    _under_way: set[asyncio.Task[ToolAnswer]] = field(default_factory=set)
    _closed: bool = False

    def tools(self) -> Sequence[Tool]:
        """`get_task`, the games' own, `queue_info`."""
        return self.box.tools

    def instructions(self) -> str:
        """What the study tells a program that connects; mostly nothing."""
        return self.words

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        """Answer one call (see `rung.core.desk.ToolDesk.call`)."""
        if self.broken is not None:
            raise self.broken
        if self._closed:
            return self._none_left() if tool == GET_TASK and not self.stream.unserved else OVER
        call = asyncio.ensure_future(self._answered(tool, arguments))
        self._under_way.add(call)
        call.add_done_callback(self._done)
        return await asyncio.shield(call)

    async def close(self) -> None:
        """Take no more calls, and wait for those under way. Comes before the stream's own close.

        A program that asks once more is told that there are no more tasks, if that is so, and else that it is over.
        """
        self._closed = True
        while self._under_way:
            await asyncio.wait(self._under_way)

    # ----------------------------------------------------------------------------------------- inside

    def _done(self, call: asyncio.Task[ToolAnswer]) -> None:
        self._under_way.discard(call)
        if not call.cancelled() and call.exception() is not None:
            self.broken = self.broken or call.exception()
        self.heard()

    async def _answered(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        handle = arguments.get(TASK)
        try:
            if tool == QUEUE_INFO:
                return await self._about()
            if tool == GET_TASK:
                return await self._shown(handle) if handle else await self._next()
            return await self._worked(tool, arguments)
        except NotInFlight as gone:
            return await self._refused(tool, arguments, str(gone))

    async def _worked(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        handle = arguments.get(TASK)
        if not isinstance(handle, str):
            seen = "is missing" if handle is None else f"must be a handle, got {type(handle).__name__}"
            return await self._refused(tool, arguments, f"the argument {TASK!r} {seen}; {self._which()}")
        reply = await self.stream.answer(handle, self.box.action(self._cell(handle), tool, arguments))
        return self._reply(handle, reply)

    async def _refused(self, tool: str, arguments: Mapping[str, JSON], reason: str) -> ToolAnswer:
        known = {each.name for each in self.box.tools}
        if tool not in known:
            reason = f"no tool named {tool!r:.80}; there are: {', '.join(sorted(known))}"
        await self.stream.stray(Call(tool, arguments), reason)
        return ToolAnswer(reason, data={"error": reason}, failed=True)

    def _which(self) -> str:
        flying = self.stream.in_flight
        return f"in flight: {', '.join(flying)}" if flying else f"none is in flight: call {GET_TASK} first"

    def _cell(self, handle: str) -> Cell:
        return self.stream.cell(handle)

    async def _about(self) -> ToolAnswer:
        info = await self.stream.queue_info()
        flying = list(self.stream.in_flight)
        lines = [f"in flight: {', '.join(flying) or 'none'}"]
        lines += [f"waiting: {info.waiting}"] if info.waiting is not None else []
        return ToolAnswer("\n".join(lines), data={"in_flight": flying, "waiting": info.waiting})

    async def _next(self) -> ToolAnswer:
        served = await self.stream.get_task()
        return self._none_left() if served is None else self._task(served)

    def _none_left(self) -> ToolAnswer:
        flying = list(self.stream.in_flight)
        text = "There are no more tasks." + (f" Still in flight: {', '.join(flying)}" if flying else "")
        return ToolAnswer(text, data={"done": True, "in_flight": flying})

    async def _shown(self, handle: JSON) -> ToolAnswer:
        try:
            return self._task(await self.stream.show(str(handle)))
        except NotInFlight as gone:
            if not gone.ended or not self.stream.told:
                raise
        return self._ended(str(handle), StreamReply("", None, self.stream.feedback(str(handle))))

    def _task(self, served: Served) -> ToolAnswer:
        view, handle = served.view, served.handle
        others = [each for each in self.stream.in_flight if each != handle]
        tools = list(self.box.legal((served.family, served.setting), view.tools))
        about: dict[str, JSON] = {"task": handle, "family": served.family, "setting": served.setting}
        about |= {"rules": view.rules, "view": view.text, "tools": tools, "in_flight": others}
        lines = [f"task: {handle}", f"family: {served.family}, setting: {served.setting}", f"tools: {', '.join(tools)}"]
        lines += [f"also in flight: {', '.join(others)}"] if others else []
        if served.calls:
            about |= {"calls": served.calls, "reply": view.reply}
            lines += [f"calls so far: {served.calls}; the last one was answered: {view.reply}"]
        return ToolAnswer("\n".join([*lines, "", view.rules, "", view.text]), view.images, about)

    def _reply(self, handle: str, reply: StreamReply) -> ToolAnswer:
        if reply.view is not None:
            return self._goes_on(handle, reply, reply.view)
        return self._ended(handle, reply) if self.stream.told else RECORDED

    def _ended(self, handle: str, reply: StreamReply) -> ToolAnswer:
        about: dict[str, JSON] = {"task": handle, "ended": True, "reply": reply.text}
        if reply.fault is not None:
            text = f"Task {handle} broke, which was not your doing. It is withdrawn and counts for nothing."
            return ToolAnswer(text, data={**about, "withdrawn": True}, failed=True)
        told, lines = _told(reply.feedback)
        text = "\n".join([*filter(None, [reply.text]), f"Task {handle} has ended.", *lines])
        return ToolAnswer(text, data={**about, **told}, failed=reply.invalid)

    def _goes_on(self, handle: str, reply: StreamReply, view: View) -> ToolAnswer:
        tools = list(self.box.legal((view.family, view.setting), view.tools))
        about: dict[str, JSON] = {"task": handle, "ended": False, "reply": reply.text, "view": view.text}
        text = "\n\n".join(filter(None, [reply.text, view.text]))
        return ToolAnswer(text, view.images, {**about, "tools": tools}, failed=reply.invalid)


def _told(feedback: FeedbackResult | None) -> tuple[Mapping[str, JSON], Sequence[str]]:
    """The feedback that ends a task, as data and in lines: what the evaluation says, and what each step earned."""
    if feedback is None or feedback.evaluation is None:
        return {}, []
    found = feedback.evaluation
    steps = [_earned(step) for step in feedback.trajectory]
    about: dict[str, JSON] = {"score": found.score, "success": found.success, "metrics": dict(found.metrics)}
    about |= {"feedback": found.feedback} if found.feedback is not None else {}
    about |= {"steps": steps} if any(steps) else {}
    return about, [*_lines(found), *(f"call {number}: {_words(step)}" for number, step in enumerate(steps, 1) if step)]


def _lines(found: Evaluation) -> Sequence[str]:
    lines = [f"score: {found.score:g}", f"success: {'yes' if found.success else 'no'}"]
    lines += [f"{name}: {value}" for name, value in found.metrics.items()]
    return [*lines, *([found.feedback] if found.feedback else [])]


def _earned(step: Step) -> Mapping[str, JSON]:
    said = {"score": step.score, "success": step.success, "feedback": step.feedback}
    return {name: value for name, value in said.items() if value is not None}


def _words(step: Mapping[str, JSON]) -> str:
    return ", ".join(f"{name} {value}" for name, value in step.items())
