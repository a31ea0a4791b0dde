"""What code that acts is shown and may answer: views and actions as JSON, and the model as a question."""

from collections.abc import Mapping, Sequence

from rung.core.canonical import JSON
from rung.core.errors import AgentCrash
from rung.core.ports import Model
from rung.core.values import Action, Call, Message, ModelRequest, Role, View
from rung.methods._coded.calling import Answer, Unanswered

AUTHORS = ("user", "assistant")
MOST_MESSAGES = 100
MAX_ASKED = 200_000
"""Characters of one question to the model."""


def shown(view: View) -> Mapping[str, JSON]:
    """A view as code is shown it. Pictures are counted and not handed over."""
    tools: list[JSON] = [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in view.tools
    ]
    return {
        "family": view.family,
        "setting": view.setting,
        "rules": view.rules,
        "text": view.text,
        "reply": view.reply,
        "tools": tools,
        "images": len(view.images),
    }


def action(value: JSON) -> Action:
    """What code answered, as an action: a text, or `{"tool": name, "arguments": {...}}`.

    Raises `AgentCrash` for anything else: then its episode ends, and is scored as it stands.
    """
    if isinstance(value, str):
        return Action(_sound(value))
    if isinstance(value, Mapping) and isinstance(value.get("tool"), str):
        arguments = value.get("arguments", {})
        if isinstance(arguments, Mapping):
            return Action(Call(_sound(str(value["tool"])), arguments))
    raise AgentCrash(f"an answer is a text or an object of tool and arguments, seen {ascii(value)[:120]}")


def from_model(model: Model, role: Role, *, max_tokens: int, temperature: float | None = None) -> Answer:
    """Answers the questions of `host.model` with a model's text. What the model port raises passes through."""

    async def answer(request: JSON) -> JSON:
        asked = ModelRequest(_messages(request), role, (), max_tokens, temperature)
        return (await model.generate(asked)).text

    return answer


def _messages(request: JSON) -> tuple[Message, ...]:
    system, pairs = (request.get("system"), request.get("messages")) if isinstance(request, Mapping) else (None, None)
    if not isinstance(pairs, Sequence) or isinstance(pairs, str) or not 1 <= len(pairs) <= MOST_MESSAGES:
        raise Unanswered(f"messages are 1 to {MOST_MESSAGES} pairs of author and text")
    told = [_message(each) for each in pairs]
    opening = [Message("system", _sound(system))] if isinstance(system, str) and system.strip() else []
    many = sum(len(each.text) for each in (*opening, *told))
    if many > MAX_ASKED:
        raise Unanswered(f"the messages have {many} characters, and at most {MAX_ASKED} are asked")
    return (*opening, *told)


def _message(pair: JSON) -> Message:
    author, text = pair if isinstance(pair, Sequence) and len(pair) == 2 else (None, None)
    if author not in AUTHORS or not isinstance(text, str) or not text.strip():
        raise Unanswered("a message is a pair: user or assistant, and a text that is not empty")
    return Message("user" if author == "user" else "assistant", _sound(text))


def _sound(text: str) -> str:
    """A text without halves of characters, which cannot be recorded."""
    return text.encode("utf-8", "replace").decode()
