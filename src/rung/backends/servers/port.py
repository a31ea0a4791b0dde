"""A model of ours behind the gateway: what a program asks in its own format becomes a `ModelRequest`, and the reply an
answer in that format. For models that are scripted or recorded, or whose servers speak another format.

The model's own gateway tries again, prices and bounds each try; here nothing is added to that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rung.backends.servers.played import spelled
from rung.backends.servers.upstream import JSON_TYPE, STREAM_TYPE, Chunks, Flow, Sent, pieces, whole
from rung.backends.servers.wires import Malformed, counted
from rung.core.canonical import JSON, canonical
from rung.core.config import PriceConfig
from rung.core.ports import Provider, Spending
from rung.core.proxied import Heard, Said, Stop, ToolCall, ToolOffer, ToolResult, Turn, WireName, texts
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Role, Tool

_STOPS: dict[str, Stop] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "refusal": "refusal",
}


@dataclass(frozen=True, slots=True)
class Port:
    """See `upstream.Upstream`."""

    provider: Provider
    role: Role = "agent"

    @property
    def model(self) -> str:
        """Provider and name as configured."""
        return self.provider.id

    @property
    def price(self) -> PriceConfig | None:
        """What it is paid by."""
        return self.provider.price

    def speaks(self, wire: WireName) -> bool:
        """It is asked in none of them, so in each."""
        return True

    async def open(self, sent: Sent, spending: Spending) -> Flow:
        """What the model says, once it has said it."""
        heard = sent.format.hear(sent.body)
        if sent.kind == "count":
            return Flow(200, JSON_TYPE, whole({"input_tokens": counted(heard, Said(())).input_tokens}))
        request = as_request(heard, self.role, images=self.provider.images)
        answered = await self.provider.ask(request, spending)
        headers = STREAM_TYPE if sent.streamed else JSON_TYPE
        return Flow(200, headers, _chunks(sent, heard, as_said(answered.reply, heard)))

    async def close(self) -> None:
        """Let go of what the model holds."""
        await self.provider.close()


def _chunks(sent: Sent, heard: Heard, said: Said) -> Chunks:
    return pieces(spelled(sent, heard, said))


# --------------------------------------------------------------------------------------------- asking


def as_request(heard: Heard, role: Role, *, images: bool = True) -> ModelRequest:
    """What a program asks as our own request.

    Raises `Malformed` for pictures where the model reads `images` not, and for a tool that must be called and is none.
    """
    if not images and any(_pictures(turn) for turn in heard.turns):
        raise Malformed("this model reads text alone")
    tools = () if heard.choice == "none" else heard.tools
    if heard.choice not in ("auto", "required", "none"):
        tools = tuple(tool for tool in tools if tool.full == heard.choice)
        if not tools:
            raise Malformed(f"tool_choice: no tool {heard.choice!r} is offered")
    return ModelRequest(
        tuple(_messages(heard)),
        role,
        tuple(_tool(tool) for tool in tools),
        heard.max_tokens,
        heard.temperature,
        "auto" if heard.choice in ("auto", "none") else "required",
    )


def _pictures(turn: Turn) -> list[Image]:
    own = [part for part in turn.parts if isinstance(part, Image)]
    return own + [image for result in turn.results for image in result.images]


def _tool(offer: ToolOffer) -> Tool:
    return Tool(offer.full, offer.description, offer.parameters)


def _messages(heard: Heard) -> Iterator[Message]:
    if heard.system:
        yield Message("system", heard.system)
    turns = list(_joined(heard.turns))
    for index, turn in enumerate(turns):
        if turn.author == "assistant":
            yield Message("assistant", texts(turn.parts), (), tuple(Call(c.full, c.arguments) for c in turn.calls))
            yield from _answers(turn.calls, turns[index + 1].results if index + 1 < len(turns) else ())
            continue
        before = turns[index - 1].calls if index else ()
        yield from _own(turn, {call.id for call in before})


def _joined(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Turns of one author after each other as one: some formats have a turn for each call and each result."""
    held: Turn | None = None
    for turn in turns:
        if held is not None and held.author == turn.author:
            held = Turn(held.author, (*held.parts, *turn.parts))
        else:
            if held is not None:
                yield held
            held = turn
    if held is not None:
        yield held


def _answers(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Iterator[Message]:
    """One message for each call, in order, also where the program brings none."""
    by_id = {result.id: result for result in results}
    for call in calls:
        result = by_id.get(call.id, ToolResult(call.id, "(no result)"))
        yield Message("tool", result.text, result.images)


def _own(turn: Turn, answered: set[str]) -> Iterator[Message]:
    """What a user's turn holds beside results of the calls just made."""
    stray = [result for result in turn.results if result.id not in answered]
    for result in stray:
        yield Message("tool", result.text, result.images)
    images = tuple(part for part in turn.parts if isinstance(part, Image))
    text = texts(turn.parts)
    if text or images:
        yield Message("user", text, images)


# --------------------------------------------------------------------------------------------- answering


def as_said(reply: ModelReply, heard: Heard) -> Said:
    """A reply as what is said. Arguments for a freeform tool are its one text, or all of them where there is none."""
    calls = tuple(ToolCall(call.tool, _arguments(call, heard)) for call in reply.calls)
    stop = _STOPS.get(reply.stop_reason)
    if calls and stop == "stop":  # some servers say so of calls too, and programs would not run them
        stop = "tool_calls"
    return Said((*((reply.text,) if reply.text else ()), *calls), stop, reply.usage, reply.model, reply.reasoning)


def _arguments(call: Call, heard: Heard) -> Mapping[str, JSON]:
    offer = heard.offer(call.tool)
    if offer is not None and offer.freeform and not isinstance(call.arguments.get("input"), str):
        return {"input": canonical(call.arguments)}
    return dict(call.arguments)
