"""Model calls, kept so that a long conversation costs each of its messages once.

A call is the fact (path of the attempt, `call/000007`). It names its messages by hash; each message is a blob of
canonical JSON, and so are its images and the list of tools, so a history that grows by one message a call costs one
new blob a call. A message names its calls only where it has some, a decoding its `tool_choice` only where that is
`auto`, and its `weights` and `seed` only where there are some:

    {"messages": [hash, ...], "role": ..., "tools": hash or null, "decoding": {"max_tokens", "temperature"},
     "reply": {"text", "stop_reason", "calls": [{"tool", "arguments"}, ...], "reasoning"}, "model": as reported,
     "usage": {"input_tokens", "output_tokens", "cached_tokens"} or null}

What an agent tells of a call that it made by other means is the fact (path, `told/000007`), with the step's number.
A call that brought no answer is the fact (path, `failed/000007`): the same request, and {"error", "where", "detail"} in
place of reply, model and usage. Calls and failures of one path are numbered together.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from rung.core.canonical import JSON
from rung.core.errors import ContextOverflow, EmptyReply, InstrumentFault, LimitReached, ModelFault
from rung.core.ports import Artifacts, Journal
from rung.core.values import (
    Call,
    Image,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    Tool,
    Usage,
)
from rung.store.rows import spell


def kind_of_call(index: int) -> str:
    """The kind of an attempt's call number `index`; padded, so that key order is call order.

    >>> kind_of_call(7)
    'call/000007'
    """
    return f"call/{index:06d}"


class JournalCalls:
    """The calls of a run in its journal: the `CallStore` port, and reading them back."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def record(self, path: str, index: int, call: ModelCall) -> None:
        """Keep one call under an attempt's path."""
        record_call(self._journal, path, index, call)

    def read(self, path: str, index: int) -> ModelCall | None:
        """The call kept there; None when there is none."""
        return read_call(self._journal, path, index)


Kept: TypeAlias = dict[Message, str]
"""Messages that are kept already, by what was said: a conversation says them again with each call."""


def record_call(journal: Journal, path: str, index: int, call: ModelCall, kept: Kept | None = None) -> None:
    """Keep one call under an attempt's path. Arguments and tools come back as JSON has them: tuples as lists."""
    journal.put(path, kind_of_call(index), _call_row(journal, call, kept))


def record_told(journal: Journal, path: str, step: int, call: ModelCall) -> None:
    """Keep what an agent tells of a call that it made for a step by other means."""
    journal.put(path, f"told/{step:06d}", _call_row(journal, call))


def _call_row(artifacts: Artifacts, call: ModelCall, kept: Kept | None = None) -> dict[str, JSON]:
    reply = call.reply
    return {
        **request_row(artifacts, call.request, kept),
        "reply": {
            "text": reply.text,
            "stop_reason": reply.stop_reason,
            "calls": [{"tool": made.tool, "arguments": made.arguments} for made in reply.calls],
            "reasoning": reply.reasoning,
        },
        "model": reply.model,
        "usage": None if reply.usage is None else _usage(reply.usage),
    }


def request_row(artifacts: Artifacts, request: ModelRequest, kept: Kept | None = None) -> dict[str, JSON]:
    """What was asked, as a call's row holds it; its messages are kept as blobs. Equal rows are equal requests.

    `kept` remembers those of earlier calls, and is added to.
    """
    known = {} if kept is None else kept
    return {
        "messages": [_keep_once(artifacts, message, known) for message in request.messages],
        "role": request.role,
        "tools": _keep(artifacts, [_tool(tool) for tool in request.tools]) if request.tools else None,
        "decoding": _decoding(request),
    }


def _decoding(request: ModelRequest) -> dict[str, JSON]:
    decoding: dict[str, JSON] = {"max_tokens": request.max_tokens, "temperature": request.temperature}
    if request.tool_choice != "required":
        decoding["tool_choice"] = request.tool_choice
    rare: dict[str, JSON] = {"weights": request.weights, "seed": request.seed}
    return decoding | {key: value for key, value in rare.items() if value is not None}


Failure: TypeAlias = ModelFault | ContextOverflow | LimitReached
"""What a call can come to in place of an answer, without the run being stopped."""

_FAILURES: Mapping[str, Callable[[str, str], Failure]] = {
    "EmptyReply": EmptyReply,
    "ModelFault": ModelFault,
    "ContextOverflow": lambda where, detail: ContextOverflow(detail),
    "LimitReached": lambda where, detail: LimitReached(detail),
}


def record_failure(journal: Journal, path: str, index: int, request: ModelRequest, failure: Failure) -> None:
    """Keep a call that brought no answer."""
    where, detail = (failure.where, failure.detail) if isinstance(failure, InstrumentFault) else ("", str(failure))
    about: dict[str, JSON] = {"error": _error_of(failure), "where": where, "detail": detail}
    journal.put(path, f"failed/{index:06d}", {**request_row(journal, request), **about})


def _error_of(failure: Failure) -> str:
    return next(name for name in _FAILURES if name in {kind.__name__ for kind in type(failure).__mro__})


def read_answer(journal: Journal, path: str, index: int) -> tuple[Mapping[str, JSON], ModelReply | Failure] | None:
    """What was asked there, as `request_row` has it, and what came of it; None when no call is recorded."""
    row = cast("Mapping[str, Any] | None", journal.get(path, kind_of_call(index)))
    if row is not None:
        return _asked(row), _reply(row)
    row = cast("Mapping[str, Any] | None", journal.get(path, f"failed/{index:06d}"))
    if row is not None:
        return _asked(row), _FAILURES[row["error"]](row["where"], row["detail"])
    return None


def _asked(row: Mapping[str, Any]) -> Mapping[str, JSON]:
    return {key: row[key] for key in ("messages", "role", "tools", "decoding")}


Read: TypeAlias = dict[str, Message]
"""Messages that were read already, by their hash."""


def read_call(journal: Journal, path: str, index: int, known: Read | None = None) -> ModelCall | None:
    """The call kept there, equal to the one recorded; None when there is none.

    `known` are messages that were read of earlier calls, and is added to.
    """
    return _read_call(journal, journal.get(path, kind_of_call(index)), {} if known is None else known)


def read_told(journal: Journal, path: str, step: int) -> ModelCall | None:
    """What an agent told of its call for a step; None when it told of none."""
    return _read_call(journal, journal.get(path, f"told/{step:06d}"), {})


def _read_call(journal: Journal, fact: JSON | None, known: Read) -> ModelCall | None:
    if fact is None:
        return None
    row = cast(Mapping[str, Any], fact)
    request = ModelRequest(
        messages=tuple(_read_once(journal, digest, known) for digest in row["messages"]),
        role=row["role"],
        tools=tuple(Tool(**tool) for tool in _read(journal, row["tools"])) if row["tools"] else (),
        **row["decoding"],
    )
    return ModelCall(request, _reply(row))


def _reply(row: Mapping[str, Any]) -> ModelReply:
    return ModelReply(
        text=row["reply"]["text"],
        model=row["model"],
        stop_reason=row["reply"]["stop_reason"],
        usage=None if row["usage"] is None else Usage(**row["usage"]),
        calls=tuple(Call(**made) for made in row["reply"]["calls"]),
        reasoning=row["reply"].get("reasoning", ""),
    )


def _keep_once(artifacts: Artifacts, message: Message, kept: Kept) -> str:
    if message.calls:  # 1 and 1.0 are equal arguments, and not the same
        return _keep_message(artifacts, message)
    if message not in kept:
        kept[message] = _keep_message(artifacts, message)
    return kept[message]


def _keep_message(artifacts: Artifacts, message: Message) -> str:
    images = [{"media_type": image.media_type, "hash": artifacts.blob(image.data)} for image in message.images]
    about: dict[str, JSON] = {"author": message.author, "text": message.text, "images": images}
    if message.calls:
        about["calls"] = [{"tool": made.tool, "arguments": made.arguments} for made in message.calls]
    return _keep(artifacts, about)


def _read_once(artifacts: Artifacts, digest: str, known: Read) -> Message:
    if digest not in known:
        known[digest] = _read_message(artifacts, digest)
    return known[digest]


def _read_message(artifacts: Artifacts, digest: str) -> Message:
    row = _read(artifacts, digest)
    images = tuple(Image(image["media_type"], artifacts.read_blob(image["hash"])) for image in row["images"])
    calls = tuple(Call(**made) for made in row.get("calls", ()))
    return Message(row["author"], row["text"], images, calls)


def _tool(tool: Tool) -> JSON:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _usage(usage: Usage) -> JSON:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def _keep(artifacts: Artifacts, value: Mapping[str, JSON] | Sequence[JSON]) -> str:
    return artifacts.blob(spell(value).encode())


def _read(artifacts: Artifacts, digest: str) -> Any:
    return json.loads(artifacts.read_blob(digest))
