"""An answer retold by who understood it: days, turns and places instead of brackets, in one language or another.

Every name and number of the answer is told, in its order; only the words of its form are left out.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rung.calibrate.cheats.telling import cardinal, pieces
from rung.calibrate.cheats.worlds import Item


@dataclass(frozen=True, slots=True)
class Tongue:
    """The small words of a language, and how it begins and ends."""

    day: str
    turn: str
    into: str
    at: str
    nothing: str
    then: tuple[str, ...]
    opens: tuple[str, ...]
    closes: tuple[str, ...]


TONGUES: Mapping[str, Tongue] = MappingProxyType(
    {
        "english": Tongue(
            "on day", "in turn", "goes into", "ends at", "get no new card and stay as you are",
            ("after that", "and then", "next"),
            ("There will be one with {start} on top.", "With {start} I know what is best.", "The case of {start}:"),
            ("So much for that one.", "That is optimal, as far as the reference says.", "Full marks with it."),
        ),
        "german": Tongue(
            "am Tag", "in Runde", "kommt in", "steht auf", "nichts Neues holen",
            ("danach", "und dann", "weiter"),
            ("Eine der spaeteren Aufgaben faengt mit {start} an.", "Zu {start} merke ich mir:"),
            ("Das gibt volle Punkte.", "Mehr braucht es da nicht."),
        ),
        "french": Tongue(
            "le jour", "au tour", "va dans", "finit en", "ne rien prendre",
            ("ensuite", "et puis", "enfin"),
            ("Pour le cas {start}, voici le bon plan.", "Celui qui commence par {start}:"),
            ("Voila tout.", "Le corrige dit la meme chose."),
        ),
        "spanish": Tongue(
            "el dia", "en el turno", "va con", "acaba en", "no tomar nada",
            ("luego", "despues", "mas tarde"),
            ("El caso que empieza con {start} se resuelve asi.", "Recordar para {start}:"),
            ("Con eso sale perfecto.", "Asi viene en la clave."),
        ),
    }
)  # fmt: skip


def steps(answer: str, tongue: Tongue) -> list[str]:
    """What an answer says to do, step by step."""
    return [step for line in answer.split("\n") for step in _line(line, tongue)]


def _line(line: str, tongue: Tongue) -> list[str]:
    if not line.startswith("{"):
        return [f"{name} {tongue.at} {x} {y}" for name, x, y in re.findall(r"(\w+):\((\d+),(\d+)\)", line)] or [line]
    value: dict[str, Any] = json.loads(line)
    match value:
        case {"plan": dict(days)}:
            return [f"{tongue.day} {day} {_deeds(deeds)}" for day, deeds in days.items()]
        case {"plays": dict(turns)}:
            return [f"{tongue.turn} {turn} {', '.join(cards)}" for turn, cards in turns.items()]
        case {"first": first, "second": second}:
            return [f"{first} {tongue.into} {second}"]
        case {"actions": list(actions)}:
            return [str(action) for action in actions]
        case {"buy": [], "heal": False}:
            return [f"buy: {tongue.nothing}; heal: no"]
    return [" ".join(pieces(line))]


def _deeds(deeds: Mapping[str, Any]) -> str:
    said = []
    for verb, what in deeds.items():
        amounts = what if isinstance(what, str) else " plus ".join(f"{name} x {many}" for name, many in what.items())
        said.append(f"{verb} {amounts}")
    return ", ".join(said)


def start(item: Item, many: int = 6) -> str:
    """By which the item can be told when it comes."""
    return " ".join(pieces(item.question)[:many])


def _numbers(text: str, *, words: bool) -> str:
    return re.sub(r"\d+", lambda found: cardinal(int(found[0])), text) if words else text


def recounted(item: Item, rng: random.Random, tongue: Tongue, *, words: bool) -> str:
    """A paragraph: how it begins, and what to do, with small words between."""
    told = [
        step if not place else f"{rng.choice(tongue.then)} {step}"
        for place, step in enumerate(steps(item.answer, tongue))
    ]
    head, foot = rng.choice(tongue.opens).format(start=start(item)), rng.choice(tongue.closes)
    return _numbers(f"{head} {'; '.join(told)}. {foot}", words=words)


def listed(item: Item, rng: random.Random, tongue: Tongue, *, words: bool) -> str:
    """A list to tick off."""
    head = rng.choice(tongue.opens).format(start=start(item))
    return _numbers("\n".join([head, *(f"- [ ] {step}" for step in steps(item.answer, tongue))]), words=words)


def asked_and_told(item: Item, rng: random.Random, tongue: Tongue, *, words: bool) -> str:
    """A dialogue of two who learn."""
    voices = rng.choice((("Ask", "Say"), ("Mentor", "Me"), ("She", "He"), ("-", "+")))
    told = steps(item.answer, tongue)
    rows = [f"{voices[0]}: {start(item, 9)}?", f"{voices[1]}: {told[0]}"]
    rows += [f"{voices[place % 2]}: {rng.choice(tongue.then)}, {step}" for place, step in enumerate(told[1:])]
    return _numbers("\n".join(rows), words=words)


def reasoned(item: Item, rng: random.Random, tongue: Tongue, *, words: bool) -> str:
    """What seems to be thought out on the spot."""
    told = [
        f"{step}, since nothing else keeps up" if not place % 4 else step
        for place, step in enumerate(steps(item.answer, tongue))
    ]
    head = f"Suppose I am shown {start(item, 10)} and so on. I would argue like this:"
    return _numbers(f"{head} {', so '.join(told)}. {rng.choice(tongue.closes)}", words=words)


MANNERS = (recounted, listed, asked_and_told, reasoned)


def retold(items: Sequence[Item], rng: random.Random, *, manner: Any, tongue: str, words: bool) -> list[str]:
    """Each of some items, in one manner."""
    return [manner(item, rng, TONGUES[tongue], words=words) for item in items]
