"""A game of one step for trainers: the right colour is the last one that is seen."""

import asyncio
import random
from dataclasses import replace

from rung.core.training import Example
from rung.core.values import Call, Message, ModelReply, ModelRequest, Tool

COLOURS = ("red", "green", "blue")
PAINT = Tool(
    "paint",
    "Paint it.",
    {"type": "object", "properties": {"colour": {"enum": list(COLOURS)}}, "required": ["colour"]},
)
JUDGED = Tool(
    "paint",
    "Paint it.",
    {"type": "object", "properties": {"colour": {"enum": list(COLOURS)}, "self_score": {"type": "number"}}},
)


def asked(text: str, *, tools=(PAINT,), **more) -> ModelRequest:
    return ModelRequest((Message("user", text),), "agent", tools=tools, **more)


def lesson(number: int) -> Example:
    rng = random.Random(number)
    first, last = rng.choice(COLOURS), rng.choice(COLOURS)
    request = asked(f"It was {first} at {rng.randrange(9)}, and now it is {last}.", seed=number)
    return Example(request, Call("paint", {"colour": last}))


def lessons(many: int, *, start: int = 0) -> list[Example]:
    return [lesson(number) for number in range(start, start + many)]


def ask(model, *requests: ModelRequest) -> list[ModelReply]:
    async def all_of_them():
        return [await model.once(request) for request in requests]

    return asyncio.run(all_of_them())


def colour(reply: ModelReply) -> str:
    return reply.calls[0].arguments["colour"]


def right(model, examples: list[Example], **more) -> float:
    """The share of examples that are answered as they say."""
    replies = ask(model, *(replace(each.request, **more) for each in examples))
    return sum(reply.calls[0] == each.answer for reply, each in zip(replies, examples, strict=True)) / len(examples)
