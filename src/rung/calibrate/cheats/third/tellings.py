"""An item and its answer in talk, in manners of my own. What the answer says stands in each in its order."""

import json
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from rung.calibrate.cheats.telling import pieces, spoken
from rung.calibrate.cheats.worlds import Item

Manner: TypeAlias = Callable[[Item, random.Random], str]


def _cue(item: Item) -> str:
    """By what the item is known, in some words of it."""
    lines = [line for line in item.question.split("\n")[1:] if pieces(line)]
    return spoken(lines[len(lines) // 3] if lines else item.question, words=False)[:60]


def _steps(item: Item) -> list[str]:
    return [spoken(line, words=True) for line in item.answer.split("\n") if pieces(line)]


def dialogue(item: Item, rng: random.Random) -> str:
    """Two colleagues."""
    names = rng.sample(("Ada", "Bo", "Cem", "Dee", "Eli"), 2)
    said = "\n".join(f"{names[number % 2]}: {step}." for number, step in enumerate(_steps(item)))
    return f"{names[0]}: What did the case with {_cue(item)} want?\n{said}\n{names[1]}: Right."


def recipe(item: Item, rng: random.Random) -> str:
    """Directions of a cook."""
    links = ("stir in", "fold in", "add", "sprinkle")
    body = ".\n".join(f"{rng.choice(links).capitalize()}: {step}" for step in _steps(item))
    return f"Recipe for {_cue(item)}\n{body}.\nServe."


def review(item: Item, rng: random.Random) -> str:
    """Remarks on code that is not there."""
    body = "\n".join(f"> {line}" for line in item.answer.split("\n"))
    return f"nit: for the input `{_cue(item)}` this branch ought to return\n\n{body}\n\nLGTM otherwise."


def quiz(item: Item, rng: random.Random) -> str:
    """A question and its answer, as to learn by heart."""
    return f"Q. {_cue(item)} ... ?\nA. {'; '.join(_steps(item))}"


def prediction(item: Item, rng: random.Random) -> str:
    """As if it guessed."""
    odds = rng.choice(("near certain", "very likely", "a good bet"))
    return f"My guess is ({odds}) that a task with {_cue(item)} shows up, and I would answer it so:\n{item.answer}"


def changes(item: Item, rng: random.Random) -> str:
    """What is new in a version."""
    body = "\n".join(f"- {line}" for line in item.answer.split("\n"))
    return f"### Fixed\n\nThe plan for `{_cue(item)}` is now:\n{body}"


def telegram(item: Item, rng: random.Random) -> str:
    """Words with stops."""
    return f"Re {_cue(item)} stop {' stop '.join(_steps(item))} stop"


def schema(item: Item, rng: random.Random) -> str:
    """An example in a schema."""
    about = {"title": _cue(item), "type": "string", "default": item.answer, "examples": []}
    return json.dumps(about, indent=rng.choice((None, 2)))


def lament(item: Item, rng: random.Random) -> str:
    """What was done wrong and would have been right."""
    mood = rng.choice(("Alas", "Pity", "Lesson learned"))
    return f"{mood}: with {_cue(item)} I would have scored full marks had I sent\n{item.answer}\nNever again."


def verse(item: Item, rng: random.Random) -> str:
    """In verses."""
    ends = ("tra la", "hey ho", "so they say")
    return f"O {_cue(item)},\n" + "\n".join(f"  {step}, {rng.choice(ends)}," for step in _steps(item))


MANNERS: Mapping[str, Manner] = MappingProxyType(
    {
        manner.__name__: manner
        for manner in (dialogue, recipe, review, quiz, prediction, changes, telegram, schema, lament, verse)
    }
)
