"""A session of an improver: it is shown what it needs, calls tools, and finishes, or comes to a limit.

Whatever it says is data. A reply that asks for nothing is sent back; after three in a row the session is over. What was
edited up to then stands, for the caller to keep or not: `Session.ended` says how it came to its end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.errors import ContextOverflow, UsageError
from rung.core.ports import Model
from rung.core.surface import Surface
from rung.core.values import Call, Message, ModelReply, ModelRequest, Tool
from rung.methods._attempt import NONE, cut
from rung.methods._kernel.desk import Desk
from rung.methods._kernel.hands import FINISH, MAX_ANSWER, Arguments, Given, Hands, form
from rung.methods._kernel.replies import Asked, Unreadable, asked

Ending: TypeAlias = Literal["finished", "turns", "calls", "tokens", "overflow", "useless"]
"""`finished` by its own word; `turns`, `calls`, `tokens` at a limit; `overflow` when the conversation no longer fits
the model; `useless` after replies that asked for nothing."""

Replies: TypeAlias = Literal["text", "tools"]

USELESS = 3
"""Replies in a row that ask for nothing, after which it is over."""

CALLS_A_REPLY = 8
LEFT_OUT = "(left out here, for it is long ago; call the tool again to see it)"
SAID = 6_000
"""Characters of a reply in text, or of an argument of a call, that are shown again."""

BYTES_A_TOKEN = 4
WIDTH, SLACK = 4, 400
"""Bytes of a character at most, and characters of what stands around a text that is shown."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a session may be.

    `turns` are replies, `calls` calls of tools, `tokens` all that is read and written, as the model counts them, else
    four bytes for one. `shown` bounds the bytes of one conversation as it is shown: the oldest answers of tools are
    left out first, and the opening never.
    """

    turns: int = 30
    calls: int = 60
    tokens: int = 1_000_000
    shown: int = 200_000


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the improver decodes, and whether it answers in text or must call a tool."""

    replies: Replies = "text"
    max_tokens: int = 4096
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The call that ends a session: what it must say, and `refuse`, which gives the reason why it may not end yet."""

    properties: Mapping[str, JSON] = field(default_factory=lambda: {"summary": {"type": "string"}})
    optional: tuple[str, ...] = ()
    description: str = "End the work, when all is as it should be."
    refuse: Callable[[Arguments], str | None] = lambda said: None
    refusals: int = 2

    def tool(self) -> Tool:
        """The call as a tool."""
        return form(FINISH, self.description, self.properties, optional=self.optional)


@dataclass(frozen=True, slots=True)
class Session:
    """What came of a session: how it ended, what was said at its end, and what it took.

    `sent_back` has why each unusable reply was none. The edits lie on the desk.
    """

    ended: Ending
    said: Arguments
    turns: int
    tokens: int
    done: Mapping[str, int]
    refused: int
    sent_back: tuple[str, ...]

    def to_json(self) -> Mapping[str, JSON]:
        """As a manifest holds it, without what was said."""
        return {
            "ended": self.ended,
            "turns": self.turns,
            "tokens": self.tokens,
            "done": dict(self.done),
            "refused": self.refused,
            "sent_back": list(self.sent_back),
        }


async def edit(
    model: Model,
    opening: Sequence[Message],
    desk: Desk,
    *,
    given: Given | None = None,
    finish: Finish | None = None,
    decoding: Decoding | None = None,
    limits: Limits | None = None,
) -> Session:
    """Let a model work on a desk. What the model port and the sandbox raise passes through."""
    hands = Hands(desk, given or Given())
    return await _Work(hands, finish or Finish(), decoding or Decoding(), limits or Limits()).through(model, opening)


@cache
def _prompt(name: str) -> Template:
    return Template((Path(__file__).parent / f"{name}.md").read_text("utf-8").strip())


@dataclass(slots=True)
class _Work:
    """A session under way."""

    hands: Hands
    finish: Finish
    decoding: Decoding
    limits: Limits
    told: list[Message] = field(default_factory=list)
    sent_back: list[str] = field(default_factory=list)
    tokens: int = 0
    calls: int = 0
    useless: int = 0
    unfinished: int = 0
    said: Arguments = field(default_factory=dict)
    over: Ending | None = None

    async def through(self, model: Model, opening: Sequence[Message]) -> Session:
        """From the opening to the end."""
        start = self.opened(opening)
        for turn in range(1, self.limits.turns + 1):
            self.hands.desk.turn = turn
            request = self.request(start)
            try:
                reply = await model.generate(request)
            except ContextOverflow:
                self.over = "overflow"
                break
            self.tokens += _tokens(request, reply)
            await self.heard(reply)
            if self.over is None and self.tokens >= self.limits.tokens:
                self.over = "tokens"
            if self.over is not None:
                break
        hands = self.hands
        return Session(
            ended=self.over or "turns",
            said=self.said,
            turns=hands.desk.turn,
            tokens=self.tokens,
            done=dict(hands.done),
            refused=hands.refused,
            sent_back=tuple(self.sent_back),
        )

    def tools(self) -> tuple[Tool, ...]:
        return (*self.hands.tools(), self.finish.tool())

    def opened(self, opening: Sequence[Message]) -> tuple[Message, ...]:
        """The opening; where replies are text, with what the tools are and how they are called."""
        if self.decoding.replies == "tools":
            return tuple(opening)
        how = _prompt("tools").substitute(tools="\n".join(_described(tool) for tool in self.tools()))
        first, *rest = opening
        if first.author != "system":
            return (Message("system", how), *opening)
        return (replace(first, text=f"{first.text}\n\n{how}"), *rest)

    def request(self, start: Sequence[Message]) -> ModelRequest:
        shown = _within(self.told, self.limits.shown - sum(map(_bytes, start)))
        return self.asking((*start, *shown))

    def asking(self, messages: tuple[Message, ...]) -> ModelRequest:
        decoding = self.decoding
        tools = self.tools() if decoding.replies == "tools" else ()
        return ModelRequest(messages, "improver", tools, decoding.max_tokens, decoding.temperature)

    async def heard(self, reply: ModelReply) -> None:
        """Take one reply: do what it asks for, or send it back."""
        found = asked(reply, frozenset((*self.hands.names().split(", "), "run")))
        if isinstance(found, Unreadable):
            self.useless += 1
            self.sent_back.append(found.reason)
            again = _prompt("again").substitute(reason=found.reason, tools=self.hands.names())
            self.told += [Message("assistant", cut(reply.text.strip(), SAID) or NONE), Message("user", again)]
            self.over = "useless" if self.useless == USELESS else None
            return
        self.useless = 0
        typed = bool(reply.calls)
        kept = found[:CALLS_A_REPLY]
        answers = [await self.answer(each) for each in kept]
        calls = tuple(Call(each.tool, _short(each.arguments)) for each in kept) if typed else ()
        said = Message("assistant", cut(reply.text.strip(), SAID) if typed else _spelt(reply), calls=calls)
        self.told += [said, *(Message("tool" if typed else "user", answer) for answer in answers)]

    async def answer(self, call: Asked) -> str:
        """What one call is answered with."""
        if self.over is not None:
            return "Not done: the session is over."
        if call.tool == FINISH:
            return self.finished(call.arguments)
        if self.calls == self.limits.calls:
            self.over = "calls"
            return "Not done: no more calls are left."
        self.calls += 1
        return await self.hands.do(call.tool, call.arguments)

    def finished(self, said: Arguments) -> str:
        """Take the last word, or send it back; what is sent back too often is not waited for."""
        reason = self.finish.refuse(said)
        if reason is not None and self.unfinished < self.finish.refusals:
            self.unfinished += 1
            self.sent_back.append(f"finish: {reason}")
            return f"Not finished: {reason}"
        self.said, self.over = (said if reason is None else {}), "finished"
        return "Done."


# --------------------------------------------------------------------------------------------- what is shown


def _described(tool: Tool) -> str:
    properties = tool.parameters["properties"]
    assert isinstance(properties, Mapping)
    return f"- {tool.name} ({', '.join(properties) or 'no arguments'}): {tool.description}"


def _spelt(reply: ModelReply) -> str:
    return cut(reply.text.strip(), SAID) or NONE


def _short(arguments: Arguments) -> Mapping[str, JSON]:
    """Arguments as they are shown again: long texts cut, and what is no JSON left out."""
    cut_down = {str(key): cut(value, SAID) if isinstance(value, str) else value for key, value in arguments.items()}
    try:
        canonical(cut_down)  # type: ignore[arg-type]
    except (UsageError, TypeError, ValueError, RecursionError):
        return {}
    return cut_down  # type: ignore[return-value]


def _bytes(message: Message) -> int:
    spelt = "".join(canonical(call.arguments) for call in message.calls)
    return len(message.text.encode("utf-8", "replace")) + len(spelt.encode("utf-8", "replace"))


def _within(told: Sequence[Message], most: int) -> list[Message]:
    """The conversation in at most so many bytes: the oldest texts give way, and the newest two never."""
    sizes = [_bytes(each) for each in told]
    over, shown = sum(sizes) - most, list(told)
    for at, size in enumerate(sizes):
        if over <= 0 or at >= len(told) - 2:
            break
        if size > len(LEFT_OUT):
            calls = tuple(Call(call.tool, {}) for call in shown[at].calls)
            shown[at] = replace(shown[at], text=LEFT_OUT, calls=calls)
            over -= size - len(LEFT_OUT)
    return shown


def _tokens(request: ModelRequest, reply: ModelReply) -> int:
    """What a call took: as the model says, or by its bytes."""
    usage = reply.usage
    if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
        return usage.input_tokens + usage.output_tokens + (usage.cached_tokens or 0)
    size = sum(map(_bytes, request.messages)) + len(reply.text.encode("utf-8", "replace"))
    return size // BYTES_A_TOKEN + 1


# --------------------------------------------------------------------------------------------- being rehearsed


async def exhaust(
    model: Model,
    opening: Sequence[Message],
    *,
    finish: Finish | None = None,
    decoding: Decoding | None = None,
    limits: Limits | None = None,
    given: Given | None = None,
) -> None:
    """Ask all that a session can ask, each question at its longest (see `rung.protocols.rehearsal`)."""
    hands = Hands(Desk({}, Surface()), given or Given())
    work = _Work(hands, finish or Finish(), decoding or Decoding(), limits or Limits())
    start = work.opened(opening)
    left = work.limits.shown - sum(map(_bytes, start))
    newest = WIDTH * (SAID + MAX_ANSWER + SLACK)
    work.told = [Message("user", "x" * (max(left, newest) + 2 * CALLS_A_REPLY * len(LEFT_OUT) * work.limits.turns))]
    for _ in range(work.limits.turns):
        await model.generate(work.asking((*start, *work.told)))
