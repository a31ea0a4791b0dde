"""What passes through the model gateway: what a program asks, what it is answered, and the record of both.

A program speaks one of three wire formats. `Heard` is a request in none of them, for a model or a scripted brain that
knows no format; `Answer` is what comes back. `Exchange` is the record of one request, whatever became of it. No key and
no authorisation header is ever in one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rung.core.canonical import JSON
from rung.core.ports import Amount
from rung.core.values import Image, Usage

WireName: TypeAlias = Literal["anthropic-messages", "openai-chat", "openai-responses"]

# --------------------------------------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a program offers a model. A program may name it in two pieces, `mcp__tasks` and `get_task`.

    `freeform` takes text and no arguments; `parameters` then has the one string `input`.
    """

    name: str
    description: str
    parameters: Mapping[str, JSON] = field(hash=False)
    namespace: str = ""
    freeform: bool = False

    @property
    def full(self) -> str:
        """Its whole name, the same for every program: `mcp__tasks__get_task`."""
        return whole_name(self.namespace, self.name)


def whole_name(namespace: str, name: str) -> str:
    """Two pieces of a tool's name as one.

    >>> whole_name("mcp__tasks", "get_task"), whole_name("", "bash")
    ('mcp__tasks__get_task', 'bash')
    """
    return f"{namespace.removesuffix('__')}__{name}" if namespace else name


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool by a model. An empty `id` is filled in where a format needs one.

    Arguments that are no object stand under the one key `input`, as text.
    """

    name: str
    arguments: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    id: str = ""
    namespace: str = ""

    @property
    def full(self) -> str:
        """Its tool's whole name."""
        return whole_name(self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a program answers a call with. `call` is that call, where the conversation has it."""

    id: str
    text: str
    images: tuple[Image, ...] = ()
    failed: bool = False
    call: ToolCall | None = None


Part: TypeAlias = str | Image | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, its parts in order."""

    author: Literal["user", "assistant"]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its text alone."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls it makes."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The results it brings."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as a model hears it, whatever format it came in.

    `choice` is `auto` (text or calls), `required` (a call of any tool), `none`, or the whole name of the one tool that
    must be called. Tools of the provider's own and what the policy took out are not in it.
    """

    wire: WireName
    model: str
    system: str
    turns: tuple[Turn, ...]
    tools: tuple[ToolOffer, ...] = ()
    choice: str = "auto"
    parallel: bool = True
    max_tokens: int | None = None
    temperature: float | None = None

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Every result of the conversation so far, oldest first."""
        return tuple(result for turn in self.turns for result in turn.results)

    def offer(self, full: str) -> ToolOffer | None:
        """The tool with this whole name; None where there is none."""
        return next((tool for tool in self.tools if tool.full == full), None)

    def named(self, verb: str) -> ToolOffer | None:
        """The first tool of this name, whatever the program put before it: `get_task` is `mcp__tasks__get_task` to one
        and `tasks_get_task` to another. None where there is none."""
        return next((tool for tool in self.tools if f"_{tool.full}".endswith(f"_{verb}")), None)


# --------------------------------------------------------------------------------------------- what is answered

Stop: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "refusal"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a model says: texts and calls in order, and why it stopped.

    No `stop` means `tool_calls` where there is a call, and else `stop`. No `usage` is a count by bytes; no `model` the
    one that was asked for.
    """

    parts: tuple[str | ToolCall, ...]
    stop: Stop | None = None
    usage: Usage | None = None
    model: str = ""
    reasoning: str = ""

    @property
    def stopped(self) -> Stop:
        """Why it stopped."""
        called = any(isinstance(part, ToolCall) for part in self.parts)
        return self.stop or ("tool_calls" if called else "stop")


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is an error, with a status of HTTP. `retry_after` are seconds that it asks to wait.

    With `final` it says that there is no use in trying again, as far as its format can.
    """

    status: int
    message: str
    retry_after: float | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """An answer whose connection breaks after so many events of its stream, or half-way where there is no stream."""

    said: Said
    events: int = 2


@dataclass(frozen=True, slots=True)
class Never:
    """No answer at all, for as long as the program waits."""


Answer: TypeAlias = Said | Refused | Cut | Never
Brain: TypeAlias = Callable[[Heard], Answer]
"""Who answers in a test: a function of what it hears. One that always says the same is an agent's loop."""

# --------------------------------------------------------------------------------------------- the record

Came: TypeAlias = Literal[
    "answered", "refused", "unreachable", "cut", "client_gone", "closed", "bad_request", "budget", "policy", "stray"
]
"""What became of a request: `answered` in whole; `refused` by who was asked; `unreachable`, or `cut` half-way by the
other side; left by the program (`client_gone`); in flight when the gateway `closed`; a `bad_request` that never left;
refused for want of `budget`, or by `policy`; or `stray`: nothing that is served here."""


@dataclass(frozen=True, slots=True)
class Split:
    """A request in pieces, so that a history that grows costs each of its messages once.

    `pieces` holds, by SHA-256, the canonical JSON of those pieces that this session had not sent before; `system`,
    `tools` and `messages` name them. `head` is all the rest of the request.
    """

    head: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    system: str | None = None
    tools: str | None = None
    messages: tuple[str, ...] = ()
    pieces: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ProviderTools:
    """What a request offered that the provider would do by itself, beyond our record: names of tools, `url:` and a host
    for links it would follow, `state:` and a key for what it keeps. `removed` was taken out; `used` the answer says."""

    offered: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer says, read from its stream or its body.

    `body` is the answer as its format has it, put together again where it was streamed. `extra_input` are tokens' worth
    of input that are charged above `usage`, as for writing to a cache.
    """

    body: JSON = None
    model: str = ""
    stop: str = ""
    usage: Usage | None = None
    extra_input: float = 0.0
    used: tuple[str, ...] = ()
    error: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of a program and what became of it. `started`, `first` and `ended` are seconds of the given clock,
    and so observations, as is `cost`. All else is a fact about the program and who answered it.

    `wire` is empty and `session` may be for what is `stray`. `asked` is the model that the program named; who was asked
    is the gateway's to say. `status` is what the program saw, None where the connection just ended.
    """

    session: str
    index: int
    path: str
    came: Came
    status: int | None
    wire: WireName | Literal[""] = ""
    streamed: bool = False
    asked: str = ""
    request: Split = Split()
    answer: Read = Read()
    provider_tools: ProviderTools = ProviderTools()
    detail: str = ""
    cost: Amount | None = None
    started: float = 0.0
    first: float | None = None
    ended: float = 0.0


@dataclass(frozen=True, slots=True)
class Total:
    """What a session has cost so far. `usd` is None once a call had no price."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def plus(self, cost: Amount) -> "Total":
        """With one more call."""
        usd = None if self.usd is None or cost.usd is None else self.usd + cost.usd
        return Total(self.calls + 1, self.tokens + cost.tokens, usd)


ProviderToolPolicy: TypeAlias = Literal["strip", "refuse", "allow"]


@dataclass(frozen=True, slots=True)
class ProxyPolicy:
    """What the gateway lets through.

    `provider_tools`: what a provider would do by itself is taken out, or makes the request refused, or is let through.
    `output_tokens` bound an answer where the program sets no bound; without one no worst cost is known. A request of
    more than `body_bytes` is refused.
    """

    provider_tools: ProviderToolPolicy = "strip"
    output_tokens: int = 32_768
    body_bytes: int = 64 * 2**20


Hears: TypeAlias = Callable[[Exchange], None]


def texts(parts: Sequence[Part]) -> str:
    """The texts among some parts, a line apart."""
    return "\n".join(part for part in parts if isinstance(part, str))
