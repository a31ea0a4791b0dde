"""`inspect/<provider>/<model>`: every provider that Inspect (inspect-ai) speaks to, as one more backend.

A try here is one try there: Inspect's own retries are off, and so are those of the provider's client where it has a
switch by the usual name (`client.max_retries`, as the clients of OpenAI, Anthropic and Groq have). A client that tries
again all the same (Google's, Amazon's) hides those tries from the budget.

Inspect bounds no single try unless told to (`timeout` bounds only retries); the gateway's time for a try ends it from
outside. What Inspect turns into an answer, a prompt that is too long, is turned back into what it is.
"""

import asyncio
import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

from rung.backends.models.backend import Trouble, TryAgain
from rung.backends.models.threads import Threaded, threaded
from rung.core.canonical import JSON, canonical
from rung.core.errors import ContextOverflow, ModelFault, ModelUnusable, RungError, UsageError
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Tool, Usage

EXTRA = 'pip install "rung[inspect]"'
UNLIMITED = 4096
"""Calls in flight that Inspect lets through: how many there are is the gateway's to limit, before its clock starts."""

_STOPS = {"max_tokens": "length", "model_length": "length"}
_LATE = (504, 524)  # a gateway stopped waiting for a model that may have worked
_TOO_LONG = re.compile(r"context.{0,20}(length|window|limit|size)|(prompt|input) is too long|too many tokens", re.I)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_SHOWN = 300


def make(name: str) -> "Inspect":
    """The model of this name. Raises `UsageError` when Inspect, a provider's package, or a key is not there."""
    try:
        from inspect_ai.model import get_model
    except ImportError as error:
        raise UsageError(f"inspect/{name} needs inspect-ai, which is not installed ({error}); {EXTRA}") from None

    def fresh() -> Any:
        return get_model(name, memoize=False)

    try:
        fresh()
    except Exception as error:  # whatever a provider lacks, it says before a study starts
        raise UsageError(f"Inspect cannot make the model {name!r}: {_clean(str(error))}") from error
    return Inspect(name, fresh)


class Inspect:
    """One of Inspect's models, made anew for each event loop. `fresh` makes one."""

    def __init__(self, name: str, fresh: Callable[[], Any]) -> None:
        self._name = name
        self._fresh = fresh
        self._models: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    async def once(self, request: ModelRequest) -> ModelReply:
        """Ask once; see `Backend.once`."""
        from inspect_ai.model import GenerateConfig

        model, tools = self._model(), self._tools(request.tools)
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            max_retries=0,
            max_connections=UNLIMITED,
            parallel_tool_calls=False if request.tools and request.tool_choice == "required" else None,
        )
        try:
            output = await model.generate(
                [_threaded(each) for each in threaded(request.messages)],
                tools=tools,
                tool_choice=_CHOICES[request.tool_choice] if request.tools else None,
                config=config,
                cache=False,
            )
        except Exception as error:
            raise self._failed(model, _cause(error)) from error
        return self._reply(output)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        model = self._models.pop(asyncio.get_running_loop(), None)
        if model is not None:
            await model.api.aclose()

    def _model(self) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._models:
            self._models[loop] = model = self._fresh()
            client = getattr(model.api, "client", None)
            if client is not None and isinstance(getattr(client, "max_retries", None), int):
                client.max_retries = 0
        return self._models[loop]

    def _tools(self, tools: Sequence[Tool]) -> Sequence[Any]:
        try:
            return [_tool(tool) for tool in tools]
        except ValueError as error:
            raise ModelUnusable(
                f"inspect/{self._name} cannot be told of these tools: {_clean(str(error))}; give simpler schemas"
            ) from None

    # ----------------------------------------------------------------------------------------- reply

    def _reply(self, output: Any) -> ModelReply:
        if output.empty:
            raise TryAgain("garbage", f"Inspect's {self._name} answered without a choice", billed=True)
        message, usage = output.message, _usage(output.usage)
        if output.stop_reason == "model_length" and usage is None:
            raise ContextOverflow(f"{self._name}: {_clean(output.completion) or 'the prompt is too long'}")
        calls, broken = _calls(message.tool_calls or ())
        return ModelReply(
            text=message.text if broken is None else broken,
            model=output.model or "not reported",
            stop_reason=_STOPS.get(output.stop_reason, output.stop_reason),
            usage=usage,
            calls=calls if broken is None else (),
            reasoning=_reasoning(message.content),
        )

    # ----------------------------------------------------------------------------------------- failure

    def _failed(self, model: Any, error: BaseException) -> RungError:
        """What an exception of Inspect or of a provider's client means, by its status and its kind, imported or not."""
        key = getattr(model.api, "api_key", None) or "\0"  # a client may quote it
        said = f"{self._name} ({type(error).__name__}): {_clean(str(error).replace(key, '[key]'))}"
        status = _status(error)
        if _is_timeout(error):
            return TryAgain("timeout", said, billed=True)
        if status is not None:
            return self._refused(status, error, said)
        decision = model.api.should_retry(error) if isinstance(error, Exception) else False
        if decision:
            trouble: Trouble = "rate limit" if getattr(decision, "kind", "") == "rate_limit" else "connection"
            return TryAgain(trouble, said, after=getattr(decision, "retry_after", None), billed=trouble == "connection")
        if "onnect" in type(error).__name__:
            return TryAgain("connection", said, billed=True)
        return TryAgain("garbage", said, billed=True)

    def _refused(self, status: int, error: BaseException, said: str) -> RungError:
        said = f"{said} [status {status}]"
        if status == 429 and "insufficient_quota" not in said:
            return TryAgain("rate limit", said, after=_asked_to_wait(error))
        if status in (401, 402, 403, 404, 429):
            return ModelUnusable(f"{said}. See the key, the account and the model's name; running again resumes")
        if status in (408, 409, 425) or status >= 500:
            return TryAgain("server error", said, after=_asked_to_wait(error), billed=status in _LATE)
        if status < 400:  # it answered, and the answer could not be read
            return TryAgain("garbage", said, billed=True)
        return ContextOverflow(said) if _TOO_LONG.search(said) else ModelFault(f"model {self._name}", said)


def _cause(error: BaseException) -> BaseException:
    """The exception inside tenacity's `RetryError`."""
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    return error if inner is None else inner


def _status(error: BaseException) -> int | None:
    """The HTTP status that an exception carries, by the names that clients give it."""
    response = getattr(error, "response", None)
    named = (getattr(error, name, None) for name in ("status_code", "status", "code", "http_status"))
    found = [*named, getattr(response, "status_code", None)]
    if isinstance(response, Mapping):  # Amazon's
        found.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    return next((value for value in found if isinstance(value, int) and 100 <= value < 600), None)


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or "Timeout" in type(error).__name__


def _asked_to_wait(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    text = str(headers.get("retry-after", "")) if isinstance(headers, Mapping) else ""
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text.strip()) else None


def _clean(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()[:_SHOWN]


# --------------------------------------------------------------------------------------------- spelling


_CHOICES: Mapping[str, Literal["any", "auto"]] = {"required": "any", "auto": "auto"}


def _threaded(each: Threaded) -> Any:
    """A message with the calls that it makes, or as the answer to one."""
    if each.answers is None and not each.ids:
        return _message(each.message)
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
    from inspect_ai.tool import ToolCall

    if each.answers is not None:
        return ChatMessageTool(content=each.message.text, tool_call_id=each.answers)
    made = zip(each.ids, each.message.calls, strict=True)
    calls = [ToolCall(id=name, function=call.tool, arguments=dict(call.arguments)) for name, call in made]
    return ChatMessageAssistant(content=each.message.text, tool_calls=calls)


def _message(message: Message) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ContentText

    # A tool's answer to no call goes as the user's.
    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    kind = kinds.get(message.author, ChatMessageUser)
    if not message.images:
        return kind(content=message.text)
    text = [ContentText(text=message.text)] if message.text else []
    return kind(content=[*text, *map(_image, message.images)])


def _image(image: Image) -> Any:
    from inspect_ai.model import ContentImage

    return ContentImage(image=f"data:{image.media_type};base64,{base64.b64encode(image.data).decode('ascii')}")


def _tool(tool: Tool) -> Any:
    from inspect_ai.tool import ToolInfo, ToolParams

    plain = json.loads(json.dumps(tool.parameters))
    return ToolInfo(name=tool.name, description=tool.description, parameters=ToolParams(**_known(plain)))


def _known(schema: Any) -> Any:
    """A schema in the words that Inspect knows: it has no `const`, and would let anything pass in its place."""
    if isinstance(schema, list):
        return [_known(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    said = {"enum" if key == "const" else key: [value] if key == "const" else value for key, value in schema.items()}
    return {key: value if key in ("enum", "default", "required") else _known(value) for key, value in said.items()}


def _calls(made: Sequence[Any]) -> tuple[tuple[Call, ...], str | None]:
    """The calls, and the words of one that is none: the model's doing, which the family judges."""
    for call in made:
        if call.parse_error is not None or not _can_be_kept(call.arguments):
            return (), call.parse_error or str(call.arguments)
    return tuple(Call(call.function, call.arguments) for call in made), None


def _can_be_kept(arguments: JSON) -> bool:
    try:
        canonical(arguments)
    except (UsageError, TypeError, RecursionError):
        return False
    return True


def _usage(said: Any) -> Usage | None:
    """Tokens of a call. What was written to a cache was read from the prompt too, and a prompt has tokens."""
    if said is None:
        return None
    read = said.input_tokens + (said.input_tokens_cache_write or 0)
    if read + (said.input_tokens_cache_read or 0) == 0:
        return None
    return Usage(read, said.output_tokens, said.input_tokens_cache_read)


def _reasoning(content: Any) -> str:
    return "\n".join(_thoughts(content)) if isinstance(content, list) else ""


def _thoughts(content: Sequence[Any]) -> Iterator[str]:
    for part in content:
        if part.type == "reasoning" and not part.redacted:
            yield part.reasoning
