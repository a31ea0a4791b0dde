"""OpenAI's chat completions, spelled: our request as its JSON, its JSON as our reply. Pure."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from rung.backends.models.threads import Threaded, threaded
from rung.core.canonical import canonical
from rung.core.errors import UsageError
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Tool, Usage

OURS = ("messages", "model", "tools", "functions", "stream", "n", "best_of", "prompt")
"""Keys that a config's `body` may not hold: what is asked of whom, and how many answers are paid for."""

_STOPS = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
}


class Unreadable(Exception):
    """An answer that is no chat completion, with the reason as half a sentence."""


# --------------------------------------------------------------------------------------------- request


def check_body(model: str, body: Mapping[str, Any]) -> None:
    """Refuse a `body` that would ask something else than the study does."""
    for key in OURS:
        if key in body:
            raise UsageError(f'[models."{model}"] body holds {key!r}, which is the study\'s to say; remove it')


def request_body(request: ModelRequest, *, model: str, bound: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a request. Keys of `body` win over ours, and one that is null leaves ours out.

    `bound` is the endpoint's word for the most tokens that may be written; any word for it in `body` replaces ours.
    """
    sent: dict[str, Any] = {"model": model, "messages": [_threaded(each) for each in threaded(request.messages)]}
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    if request.max_tokens is not None and not {"max_tokens", "max_completion_tokens"} & set(body):
        sent[bound] = request.max_tokens
    if request.tools:
        sent["tools"] = [_tool(tool) for tool in request.tools]
        sent["tool_choice"] = request.tool_choice
    if request.tools and request.tool_choice == "required":
        sent["parallel_tool_calls"] = False
    return {key: value for key, value in {**sent, **body}.items() if value is not None}


def _threaded(each: Threaded) -> dict[str, Any]:
    """A message with the calls that it makes, or as the answer to one."""
    if each.answers is not None:
        return {"role": "tool", "tool_call_id": each.answers, "content": each.message.text}
    return _calling(each) if each.ids else _message(each.message)


def _calling(each: Threaded) -> dict[str, Any]:
    calls = [
        {"id": name, "type": "function", "function": {"name": call.tool, "arguments": canonical(call.arguments)}}
        for name, call in zip(each.ids, each.message.calls, strict=True)
    ]
    return {"role": "assistant", "content": each.message.text or None, "tool_calls": calls}


def _message(message: Message) -> dict[str, Any]:
    # A tool's answer to no call goes as the user's: in this format it would need the id of one.
    role = "user" if message.author == "tool" else message.author
    if not message.images:
        return {"role": role, "content": message.text}
    text = [{"type": "text", "text": message.text}] if message.text else []
    return {"role": role, "content": [*text, *map(_image, message.images)]}


def _image(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": _plain(tool.parameters)}
    return {"type": "function", "function": function}


def _plain(value: object) -> object:
    """Mappings and sequences as the dicts and lists that JSON is written from."""
    return json.loads(canonical(value))  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------- reply


def reply(answer: Mapping[str, Any]) -> ModelReply:
    """A chat completion as a reply; raises `Unreadable` where it lacks what a completion has."""
    choice = _first(answer.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Unreadable("its choice has no message")
    text, stop = _text(message.get("content")), _stop(choice.get("finish_reason"))
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, stop = refusal, "refusal"
    calls, broken = _calls(message.get("tool_calls"))
    return ModelReply(
        text=broken if broken is not None else text,
        model=_model(answer),
        stop_reason=stop,
        usage=usage(answer.get("usage")),
        calls=calls if broken is None else (),
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
    )


def _first(choices: object) -> dict[str, Any]:
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unreadable("it has no choices")
    return choices[0]


def _model(answer: Mapping[str, Any]) -> str:
    reported = answer.get("model")
    if not isinstance(reported, str) or not reported:
        raise Unreadable("it does not say which model answered")
    return reported


def _stop(reason: object) -> str:
    return _STOPS.get(reason, reason) if isinstance(reason, str) else "unknown"


def _text(content: object) -> str:
    """Text as a string, or as a list of parts; parts that are no text are left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _calls(said: object) -> tuple[tuple[Call, ...], str | None]:
    """The calls, and the raw words of one that is none.

    Broken arguments are the model's doing and no fault: they go on as text, and the family says what is wrong with it.
    """
    calls = []
    for entry in said if isinstance(said, list) else ():
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Unreadable("a tool call of it names no tool")
        raw = function.get("arguments")
        arguments = _arguments(raw)
        if arguments is None:
            return (), raw if isinstance(raw, str) else json.dumps(raw)
        calls.append(Call(function["name"], arguments))
    return tuple(calls), None


def _arguments(raw: object) -> dict[str, Any] | None:
    """Arguments as an object that can be recorded (no NaN, no infinity); None for anything else."""
    try:
        arguments: Any = json.loads(raw.strip() or "{}") if isinstance(raw, str) else raw or {}
        canonical(arguments)
    except (ValueError, RecursionError, UsageError):
        return None
    return arguments if isinstance(arguments, dict) else None


def usage(said: object) -> Usage | None:
    """Tokens of a call, cached input apart; None where the server does not say, or says what cannot be.

    Thinking is output and is paid as such. Some servers leave it out of `completion_tokens` and count it in
    `total_tokens` alone, so the larger of the two counts is taken.
    """
    if not isinstance(said, dict):
        return None
    read, written, total = (_count(said.get(f"{part}_tokens")) for part in ("prompt", "completion", "total"))
    details = said.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _count(said.get("prompt_cache_hit_tokens"))
    if read is None or written is None or (cached or 0) > read:
        return None
    return Usage(read - (cached or 0), max(written, (total or 0) - read), cached)


MOST_TOKENS = 10**12
"""No call has more tokens; a count above is no count."""


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 0 <= value <= MOST_TOKENS else None
