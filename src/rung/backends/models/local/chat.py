"""What the local model is given to read: the conversation in its own template, and the tools in words.

The template is ChatML with a default system prompt, as the model's own tokenizer has it. It is put together from
tokens and not from text, so that no message can forge the mark that ends it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rung.core.canonical import JSON, canonical
from rung.core.errors import UsageError
from rung.core.values import Call, Message, Tool

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BEGIN, END = 1, 2
"""`<|im_start|>` and `<|im_end|>`."""
ENDS = (0, BEGIN, END)
"""Any of these ends a reply; 0 is `<|endoftext|>`."""

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
AUTHORS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}
"""The model was trained without tools, so what one answers is told it by the user."""


def prompt(tokenizer: "Tokenizer", messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
    """The tokens of a conversation, up to where the reply begins."""
    tokens: list[int] = []
    for author, text in _turns(messages, tools):
        tokens += [BEGIN, *plain(tokenizer, f"{author}\n{text}"), END, *plain(tokenizer, "\n")]
    return [*tokens, BEGIN, *plain(tokenizer, "assistant\n")]


def plain(tokenizer: "Tokenizer", text: str) -> list[int]:
    """The tokens of a text; what looks like a mark in it is text too."""
    tokenizer.encode_special_tokens = True
    ids: list[int] = tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
    return ids


def _turns(messages: Sequence[Message], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
    told = messages[0].text if messages and messages[0].author == "system" else None
    wanted = _wanted(tools) if tools else None
    yield "system", "\n\n".join(part for part in (told, wanted) if part is not None) or SYSTEM
    for message in messages[0 if told is None else 1 :]:
        yield AUTHORS[message.author], message.text


def _wanted(tools: Sequence[Tool]) -> str:
    """The tools in words. They stand in the first message, which stays the same from one request to the next.

    Arguments are named only: shown a JSON schema, the model writes a JSON schema.
    """
    lines = [f"- {tool.name}({', '.join(_names(tool))}): {tool.description}" for tool in tools]
    form = '{"tool":NAME,"arguments":{...}}'
    return "\n".join([f"Answer with one JSON object and nothing else: {form}. The tools:", *lines])


def _names(tool: Tool) -> Iterator[str]:
    properties = tool.parameters.get("properties")
    return iter(properties) if isinstance(properties, Mapping) else iter(())


# --------------------------------------------------------------------------------------------- calls


def grammar(tools: Sequence[Tool]) -> str:
    """All well-formed calls of these tools, as compact JSON, in the language of llguidance (Lark with JSON schemas)."""
    rules = [f"start: {' | '.join(f'tool_{index}' for index in range(len(tools)))}"]
    for index, tool in enumerate(tools):
        head = f'{{"tool":{json.dumps(tool.name)},"arguments":'
        rules.append(f'tool_{index}: {json.dumps(head)} arguments_{index} "}}"')
        rules.append(f"arguments_{index}: %json {json.dumps(_arguments(tool))}")
    return "\n".join(rules)


def _arguments(tool: Tool) -> Mapping[str, JSON]:
    spelling: Mapping[str, JSON] = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
    return {"type": "object", **tool.parameters, "x-guidance": spelling}


def read_call(text: str) -> Call | None:
    """The call that a text is; None when it is cut off, or holds a number that cannot be kept.

    >>> read_call('{"tool":"open","arguments":{"row":1}}')
    Call(tool='open', arguments={'row': 1})
    >>> read_call('{"tool":"open","argu') is read_call('{"tool":"open","arguments":{"row":1e999}}') is None
    True
    """
    try:
        value = json.loads(text)
        canonical(value)
    except (ValueError, RecursionError, UsageError):
        return None
    return Call(value["tool"], value["arguments"])
