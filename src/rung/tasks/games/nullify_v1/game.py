"""Nullify, from S3Gym (Table 2 and Appendix A): combine numbers and operators, two at a time, until nothing is left.

The paper gives how many steps a board is made with to explore and to evaluate, fifty moves, the operators, and that a
complete cancellation earns 1 and anything else 0. All else is ours; where it differs from KORGym, of which S3Gym took
the game, it is to keep every board solvable and every number exact:

- Numbers are fractions, never rounded. A square root that is no fraction is refused like a division by zero, and not
  kept as a rounded number: no board needs one, and with it a sum would be zero or not by somebody's tolerance.
- An episode is over as soon as no two units can be combined, also when only operators are left.
- What is on the board is the whole of a task, so units are its payload. How the board was made, and so how it is
  solved, follows from the seed and is nowhere in sight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, ends, last_answer, words
from rung.tasks.games._answers import arguments_of, number_or_text, quoted, whole
from rung.tasks.games._difficulty import Params, published, setting_of
from rung.tasks.games.nullify_v1 import construct as making
from rung.tasks.games.nullify_v1.construct import Construction, construct
from rung.tasks.games.nullify_v1.units import Unit, can_go_on, combined, read, spelled

MOVES = 50
LARGEST = 1_000_000
"""Numerators and denominators stay within it; those of a certificate are smaller by far."""
KINDS = ("add", "scale", "reciprocal", "round", "square", "sqrt")

_COMMON: Params = {"kinds": list(KINDS), "moves": MOVES, "largest": LARGEST}
NAMED: Mapping[str, Params] = {
    "explore": {"fewest_steps": 3, "most_steps": 7, **_COMMON},
    "evaluate": {"fewest_steps": 5, "most_steps": 10, **_COMMON},
}
EASIER = (2, 3, 4)
"""How many kinds of steps there are at d1, d2 and d3; all from there on."""
BEYOND = "2N+3 to 2N+4 steps, 50 moves and twice the steps at least"
CONSTANTS = fingerprint(
    [
        *("nullify", 1, list(making.ADDENDS), list(making.FACTORS), list(making.TENTHS), dict(making.WEIGHTS)),
        *(making.MOST, making.NUMERATOR, making.DENOMINATOR, BEYOND, list(EASIER)),
    ]
)

_INDEX: JSON = {"type": "integer", "minimum": 0}
_COMBINE = Tool(
    "combine",
    "Combine the two units with these indices.",
    {
        "type": "object",
        "properties": {"first": _INDEX, "second": _INDEX},
        "required": ["first", "second"],
        "additionalProperties": False,
    },
)
_END = Tool(
    "end",
    "End the task as it stands, without success.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)


def harder(difficulty: int) -> Params:
    """What `dN` is: 2N+3 or 2N+4 steps, of two kinds at d1, and of one kind more each until it is all of them."""
    kinds = KINDS[: EASIER[difficulty - 1]] if difficulty <= len(EASIER) else KINDS
    most = 2 * difficulty + 4
    return {
        "fewest_steps": most - 1,
        "most_steps": most,
        "kinds": list(kinds),
        "moves": max(MOVES, 2 * most),
        "largest": LARGEST,
    }


@lru_cache(maxsize=4096)
def _constructed(kinds: tuple[str, ...], fewest: int, most: int, seed: str) -> tuple[Construction, tuple[str, ...]]:
    """How the board of a seed is made, and its units in the order in which they are shown."""
    rng = Seed(seed).child("board").rng()
    made = construct(kinds, rng.randint(fewest, most), rng)
    shown = list(made.units)
    Seed(seed).child("order").rng().shuffle(shown)
    return made, tuple(shown)


def constructed(setting: Setting, seed: str) -> tuple[Construction, tuple[str, ...]]:
    """How the board of a setting and a seed is made, and its units in the order in which they are shown."""
    numbers = cast(Mapping[str, int], setting.params)
    kinds = tuple(cast(Sequence[str], setting.params["kinds"]))
    return _constructed(kinds, numbers["fewest_steps"], numbers["most_steps"], seed)


@dataclass(frozen=True, slots=True)
class Game:
    """The numbers of a task."""

    moves: int
    largest: int

    @classmethod
    def of(cls, task: Task) -> "Game":
        """The numbers in a task's payload."""
        numbers = cast(Mapping[str, int], task.payload)
        return cls(numbers["moves"], numbers["largest"])


def units_of(task: Task) -> tuple[Unit, ...]:
    """The units on a task's board."""
    return tuple(read(text) for text in cast(Sequence[str], task.payload["units"]))


@dataclass(frozen=True, slots=True)
class NullifyFamily:
    """Nullify as a family: arithmetic planned backwards."""

    id: str = "nullify-v1"
    capability: str = "reasoning"
    scale: Scale = Scale("1 for an empty board", low=0.0, high=1.0)  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (0.0, 1.0)
    score_step: float = 1.0
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """`explore` and `evaluate` of S3Gym, and five difficulties."""
        return published(self.id, NAMED, harder)

    def setting(self, name: str) -> Setting:
        """The setting of this name.

        >>> FAMILY.setting("d6").params["fewest_steps"], FAMILY.setting("d6").params["most_steps"]
        (15, 16)
        """
        return setting_of(self.id, name, NAMED, harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """A board, with the units in the payload."""
        units = list(constructed(setting, seed.path)[1])
        moves = cast(int, setting.params["moves"])
        payload: Params = {"units": units, "moves": moves, "largest": setting.params["largest"]}
        return Task(self.id, setting, seed.path, payload, CONSTANTS, calls=moves)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task))

    def parse(self, text: str) -> Call | Invalid:
        """`Answer: 0 3`, also with a comma or in brackets; or `Answer: END`."""
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if ends(action):
            return Call(_END.name, {})
        pair = words(action)
        if len(pair) != 2:
            return Invalid(f"an action is two indices, such as 0 3, or END; got {quoted(action)}")
        return Call(_COMBINE.name, {"first": number_or_text(pair[0]), "second": number_or_text(pair[1])})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        return NullifyEpisode(Game.of(task), list(units_of(task)))


@dataclass(slots=True)
class NullifyEpisode:
    """One task being worked: the units that are left."""

    game: Game
    units: list[Unit]
    moves: int = 0
    invalid: int = 0
    ended: bool = False
    reply: str = ""
    stuck: bool = False
    _texts: list[str] = field(init=False)
    _rules: str = field(init=False)
    _shown: str = field(init=False)

    def __post_init__(self) -> None:
        self._texts = [spelled(unit) for unit in self.units]
        self._rules = rules(self.game)
        self._settle()

    @property
    def success(self) -> bool:
        """Whether nothing is left, or a single zero."""
        return not self.units or self.units == [0]

    def over(self) -> bool:
        """Whether nothing more can be done."""
        return self.stuck or self.ended or self.moves >= self.game.moves

    def view(self) -> View:
        """The units by index, and how many moves are left."""
        return View(self._shown, tools=(_COMBINE, _END), rules=self._rules, reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Combine two units, or end. What cannot be done is a move too, and changes nothing."""
        if self.over():
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        self.moves += 1
        said = self._do(call)
        illegal = isinstance(said, Invalid)
        self.invalid += illegal
        self._settle()
        self.reply = said.reason if isinstance(said, Invalid) else said
        if not self.over():
            return Reply(self.reply, invalid=illegal, score=0.0)
        self.reply += f"{'.' if illegal else ''} The task is over."
        score = 1.0 if self.success else 0.0
        return Reply(
            self.reply, done=True, invalid=illegal, score=score, success=self.success, feedback=self._feedback()
        )

    async def evaluate(self) -> Evaluation:
        """1 for an empty board, and else 0."""
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=self.success,
            score=1.0 if self.success else 0.0,
            metrics={"moves": self.moves, "units_left": len(self.units), "invalid_actions": self.invalid},
            feedback=self._feedback(),
        )

    def _do(self, call: Call | Invalid) -> str | Invalid:
        if isinstance(call, Invalid):
            return call
        if call.tool == _END.name:
            self.ended = True
            return "Ended."
        pair = _pair_of(call, len(self.units))
        return pair if isinstance(pair, Invalid) else self._combine(*pair)

    def _combine(self, first: int, second: int) -> str | Invalid:
        one, other = self.units[first], self.units[second]
        made = combined(one, other, self.game.largest)
        if isinstance(made, Invalid):
            return made
        said = f"Combined {self._texts[first]} and {self._texts[second]}."
        for index in (max(first, second), min(first, second)):
            del self.units[index], self._texts[index]
        if made.unit is not None:
            self.units.append(made.unit)
            self._texts.append(spelled(made.unit))
        return said  # and not what came of it: at the end that is the verdict, which is not for every eye

    def _settle(self) -> None:
        """Find out whether it can go on, and what is to be seen."""
        self.stuck = self.success or not can_go_on(self.units, self.game.largest)
        if self.over():
            self._shown = "The task is over."
            return
        board = "\n".join(f"{index}: {text}" for index, text in enumerate(self._texts))
        self._shown = f"{board}\nMoves left: {self.game.moves - self.moves}"

    def _feedback(self) -> str:
        left = ", ".join(self._texts) or "nothing"
        return f"{'Solved' if self.success else 'Not solved'} after {self.moves} moves; left: {left}."


def _pair_of(call: Call, units: int) -> tuple[int, int] | Invalid:
    arguments = arguments_of(call, _COMBINE, _END)
    if isinstance(arguments, Invalid):
        return arguments
    first = whole(arguments.get("first"), "first index", low=0, high=units - 1)
    second = whole(arguments.get("second"), "second index", low=0, high=units - 1)
    if isinstance(first, Invalid):
        return first
    if isinstance(second, Invalid):
        return second
    return (first, second) if first != second else Invalid(f"the two indices must differ, got {first} twice")


def rules(game: Game) -> str:
    """The rules of a game."""
    return f"""\
The board holds units, each with an index from 0. A unit is a number, shown with its sign (+2, -3/2), or an operator \
(*3, /-2, sqrt, square, reciprocal, floor, ceil). Combine units, two at a time, until nothing is left.

- Two numbers are added. If they add up to zero, both are gone; otherwise the sum takes their place.
- A number and an operator, in either order: the operator is applied to the number, and the result takes their place. \
*3 multiplies by 3, /-2 divides by -2; floor rounds down to a whole number, and ceil up.
- Two operators cannot be combined. Numbers are exact fractions: a square root that is no exact fraction is refused, \
and so are the reciprocal of zero and a result with a numerator or denominator beyond {game.largest}.
- What takes the place of two units is put at the end, and the indices count anew from 0. A zero that an operator made \
stays as +0.

You have {game.moves} moves. A move that is malformed or refused is used up and changes nothing. The task is over when \
nothing or only +0 is left, when no two units can be combined, or when no move is left. Your score is 1 if nothing or \
only +0 is left then, and otherwise 0. Every board can be solved.

{HOW}
ACTION is the two indices to combine, or END to give up, for example:
Answer: 0 3"""


FAMILY = NullifyFamily()
