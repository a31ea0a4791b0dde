"""What the toys share: a number is shown, and the right answer is another number that only a solver can work out.

The truth is a closed form. Every answer of the solver is right and every answer of the naive policy is wrong, so the
solver scores exactly 1 and the naive policy exactly 0. An agent that solves with probability q, decided once for a
task or afresh for each answer, has the expected score q; getting from naive to q is a true gain of exactly q.

The answer is a function of the number shown, so whoever keeps the answer to one instance knows it for that instance
and for no other.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from rung.core.canonical import fingerprint, sha256
from rung.core.errors import UsageError
from rung.core.ports import Actor, Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    Invalid,
    Reference,
    Reply,
    Scale,
    Setting,
    Task,
    Tool,
    View,
)
from rung.tasks.games._difficulty import difficulty_of

BITS = 64
LARGEST = (1 << BITS) - 1
TINY_INSTANCES = 8
SCALE = Scale("success", 0.0, 1.0)
CONSTANTS = fingerprint(["riddle", 1, BITS, TINY_INSTANCES])

_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,20}(?![0-9])")
_TOOL = Tool(
    "answer",
    "Answer with one whole number.",
    {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0}}, "required": ["value"]},
)


def _last_number(text: str) -> int | None:
    found = deque(_NUMBER.finditer(text), maxlen=1)
    return int(found[0][0]) if found else None


def _numbers(task: Task) -> list[int]:
    shown = task.payload["numbers"]
    assert isinstance(shown, Sequence)
    return [number for number in shown if isinstance(number, int)]


def _instances(setting: Setting) -> int:
    instances = setting.params.get("instances")
    if not isinstance(instances, int) or instances < 1:
        raise UsageError(f"a toy needs a setting with instances >= 1, got {instances!r}")
    return instances


@dataclass(frozen=True, slots=True)
class Riddle:
    """A toy family: `thing` is what shows the numbers, `turns` how many of them a task holds."""

    id: str
    capability: str
    thing: str
    turns: int
    scale: Scale = SCALE
    reward: tuple[float, float] = (0.0, 1.0)
    score_step: float | None = None
    replayable: bool = True

    def answer_to(self, number: int) -> int:
        """The right answer to a number shown; never 0, so that the naive policy is never right.

        It is 64 bits of SHA-256, keyed with the family's id: no two toys have an answer in common.
        """
        return 1 + int(sha256(f"{self.id}|{number}")[:16], 16) % LARGEST

    def settings(self) -> Sequence[Setting]:
        """Five difficulties; they differ in name alone, for the truth is the same at each."""
        return [self.setting(f"d{n}") for n in range(1, 6)]

    def setting(self, name: str) -> Setting:
        """`dN`, or `tiny`, which holds only 8 distinct instances."""
        if name == "tiny":
            return Setting(name, {"instances": TINY_INSTANCES})
        difficulty_of(self.id, name)
        return Setting(name, {"instances": 1 << BITS})

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Draw the numbers to be shown."""
        first = seed.child("numbers").rng().randrange(_instances(setting))
        numbers = [first * self.turns + turn for turn in range(self.turns)]
        return Task(self.id, setting, seed.path, {"numbers": numbers}, CONSTANTS, calls=self.turns)

    def rules(self, task: Task) -> str:
        """What an agent is told: how many numbers it will see, and how to answer."""
        many = len(_numbers(task))
        return (
            f"There is a {self.thing}. It shows a number, {many} in all, one after the other. Each has one right "
            "answer, which is a whole number too. Answer each once. Your score is the share of right answers."
        )

    def parse(self, text: str) -> Call | Invalid:
        """The last whole number in the text, in plain digits, is the answer."""
        value = _last_number(text)
        return Invalid("no whole number found in the answer") if value is None else Call("answer", {"value": value})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        return RiddleEpisode(self, task)


@dataclass(slots=True)
class RiddleEpisode:
    """One toy task being worked: as many calls as there are numbers."""

    family: Riddle
    task: Task
    right: list[bool] = field(default_factory=list)
    invalid: int = 0
    reply: str = ""

    def view(self) -> View:
        """The number to be answered now."""
        numbers = _numbers(self.task)
        turn = len(self.right)
        text = f"The {self.family.thing} shows {numbers[turn]}." if turn < len(numbers) else "The task is over."
        return View(text, tools=(_TOOL,), rules=self.family.rules(self.task), reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Take the answer to the number shown; a malformed one is a wrong one."""
        numbers = _numbers(self.task)
        if len(self.right) >= len(numbers):
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        problem = _problem(call)
        shown = numbers[len(self.right)]
        expected = self.family.answer_to(shown)
        right = isinstance(call, Call) and problem is None and call.arguments["value"] == expected
        self.right.append(right)
        self.invalid += problem is not None
        self.reply = problem or "The answer was taken."
        done = len(self.right) == len(numbers)
        return Reply(
            self.reply,
            done=done,
            invalid=problem is not None,
            score=right / len(numbers),
            success=all(self.right) if done else None,
            feedback=f"The right answer to {shown} was {expected}.",
        )

    async def evaluate(self) -> Evaluation:
        """The share of right answers; numbers left unanswered count as wrong."""
        many = len(_numbers(self.task))
        done = len(self.right) == many
        return Evaluation(
            "completed" if done else "cancelled",
            success=sum(self.right) == many,
            score=sum(self.right) / many,
            metrics={"right": sum(self.right), "invalid_actions": self.invalid},
        )


def _problem(call: Call | Invalid) -> str | None:
    if isinstance(call, Invalid):
        return call.reason
    if call.tool != "answer":
        return "the only tool is answer"
    value = call.arguments.get("value")
    if isinstance(value, bool) or not isinstance(value, int):
        return "answer needs a whole number as value"
    return None


@dataclass(frozen=True, slots=True)
class RiddlePolicy:
    """Answers the number in the view: rightly, or with 0, which is always wrong."""

    family: Riddle
    solves: bool

    async def act(self, view: View) -> Action:
        """Answer the number shown."""
        shown = _last_number(view.text)
        return Action(Call("answer", {"value": self.family.answer_to(shown or 0) if self.solves else 0}))


@dataclass(frozen=True, slots=True)
class RiddleKey:
    """What the instrument knows of a toy: everything."""

    family: Riddle

    def admit(self, task: Task) -> bool:
        """Every instance is a good one."""
        return True

    def fingerprint(self, task: Task) -> str:
        """The numbers shown are the whole state."""
        return fingerprint([self.family.id, *_numbers(task)])

    def space(self, setting: Setting) -> int:
        """A task for each number that can come first."""
        return _instances(setting)

    def reference(self, task: Task) -> Reference:
        """All answers right is 1, and nothing can be above it."""
        return Reference(1.0, "optimal", "riddle-1", gap=0.0)

    def naive(self, task: Task) -> Actor:
        """Scores exactly 0."""
        return RiddlePolicy(self.family, solves=False)

    def solver(self, task: Task) -> Actor:
        """Scores exactly 1."""
        return RiddlePolicy(self.family, solves=True)
