"""A lesson whose true gain is known: the toys, with an acting model that is as good as what it has been told.

Nobody who acts can work out a toy's answer. The acting model here is let in on it, and gives it away by chance:

    told nothing that helps                             with chance `untaught`
    told the lesson                                     with chance `taught`
    told the answer to the very number that is shown    always

Chance is a fraction that belongs to the number shown, below which it answers rightly. So it answers the same whenever
it is asked, whoever knows something without the lesson knows it with the lesson too, and over tasks drawn at random the
lesson gains `taught - untaught`: at every difficulty, in every toy, on the number of a task that was worked and on one
that was not. Where an agent ends is read off what it has been told and not off its scores.
"""

import re
from dataclasses import dataclass

from rung.core.canonical import sha256
from rung.core.errors import UsageError
from rung.core.values import Call, ModelReply, ModelRequest, Usage
from rung.testing.toys._riddle import Riddle
from rung.testing.toys.toy_lamp_v1.game import FAMILY as LAMP
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK
from rung.testing.toys.toy_road_v1.game import FAMILY as ROAD

TOYS: dict[str, Riddle] = {family.thing: family for family in (LAMP, LOCK, ROAD)}
"""The toys by what shows their numbers, which is all that an agent sees of them."""

SENTENCE = "What shows a number wants the secret that goes with it."
FACT = re.compile(r"The right answer to ([0-9]{1,20}) was ([0-9]{1,20})\.")
"""What the toys say of an answer, and what a note is that keeps it."""

_SHOWN = re.compile(r"The (\w+) shows ([0-9]{1,20})\.")
_BULLET = re.compile(r"\[([a-z]+-[0-9]+)\] ")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sentence, and the chances to answer rightly without and with it."""

    untaught: float = 0.2
    taught: float = 0.8
    sentence: str = SENTENCE

    def __post_init__(self) -> None:
        if not 0.0 <= self.untaught <= self.taught <= 1.0:
            raise UsageError(f"chances are 0 <= untaught <= taught <= 1, seen {self.untaught!r} and {self.taught!r}")

    @property
    def gain(self) -> float:
        """The true gain of whoever is told the lesson."""
        return self.taught - self.untaught

    def known_from(self, text: str) -> bool:
        """Whether a text tells the lesson, word for word, wherever its lines break.

        >>> Lesson().known_from("- What shows a number wants\\n  the secret that goes with it.")
        True
        """
        return self.sentence.casefold() in " ".join(text.casefold().split())

    def answer(self, thing: str, number: int, told: str) -> int:
        """The answer to a number of one who was told this."""
        right = TOYS[thing].answer_to(number)
        facts = {int(shown): int(answer) for shown, answer in FACT.findall(told)}
        chance = self.taught if self.known_from(told) else self.untaught
        return facts.get(number, right if fraction(thing, number) < chance else 0)

    def acting(self, request: ModelRequest) -> str | ModelReply:
        """The acting model: answers the last number that it is shown, and says which note of a playbook it followed."""
        told = "\n".join(message.text for message in request.messages if message.author != "assistant")
        shown = _SHOWN.findall(request.messages[-1].text)
        value = self.answer(shown[-1][0], int(shown[-1][1]), told) if shown else 0
        if any(tool.name == "answer" for tool in request.tools):
            call = Call("answer", {"value": value})
            return ModelReply("", "scripted", "tool_calls", Usage(1, 1), calls=(call,))
        followed = [line for line in told.splitlines() if _BULLET.match(line) and self.known_from(line)]
        used = f'{{"used": "{followed[0].split("]")[0][1:]}"}}\n' if followed else ""
        return f"{used}{value}"


def fraction(thing: str, number: int) -> float:
    """The fraction in [0, 1) that belongs to a number of a toy; it has nothing to do with the answer."""
    return int(sha256(f"chance|{thing}|{number}")[:13], 16) / 16**13
