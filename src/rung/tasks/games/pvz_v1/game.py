"""Plants-vs-Zombies, from S3Gym, Table 2 and Appendix A: hold a field against ever stronger waves for 64 turns.

The paper gives the fields, the turns, the reward, and what plants there are; costs, HP, zombies and waves are those of
KORGym, on which it builds. Where that is unclear or at odds with itself, the rules are ours: a torch helps only the
shooter right before it, a three-line shooter at the edge fires at two rows, nothing is hit behind the shooter, zombies
move all at the same time, and the turn in which a zombie gets through is not counted. Difficulties are ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games import _difficulty
from rung.tasks.games._answer_line import NO_END, NONE, ends, last_answer, words
from rung.tasks.games._answers import arguments_of, number_or_text, quoted, whole
from rung.tasks.games.pvz_v1.field import EMPTY, PLANTS, Field, Numbers, Placement
from rung.tasks.games.pvz_v1.text import rules, shown, spelt
from rung.tasks.games.pvz_v1.waves import waves_of

TURNS = 64
# Of every setting. Costs, HP, attacks and the stages from which on zombies come are KORGym's.
COMMON: Mapping[str, JSON] = {
    "turns": TURNS,
    "sun": 50,
    "income": 25,
    "sunshine": 10,
    "damage": 1,
    "boost": 1,
    "tougher": 4,
    "plants": {
        "X": {"cost": 50, "hp": 2},
        "W": {"cost": 100, "hp": 2},
        "S": {"cost": 325, "hp": 2},
        "J": {"cost": 50, "hp": 10},
        "H": {"cost": 125, "hp": 2},
        "F": {"cost": 300},
    },
    "zombies": {
        "N": {"hp": 4, "attack": 1, "stage": 0},
        "R": {"hp": 8, "attack": 1, "stage": 1},
        "B": {"hp": 12, "attack": 1, "stage": 2},
        "I": {"hp": 6, "attack": 3, "stage": 2},
    },
}
# Rows, columns, turns from wave to wave, and turns of a stage, of d1 to d5.
TABLE = ((3, 8, 6, 16), (4, 8, 5, 12), (5, 7, 5, 10), (5, 6, 4, 8), (5, 6, 3, 5))
BEYOND = "as d5, d-5 zombies more in each wave"


def _params(rows: int, columns: int, *, every: int = 5, stage: int = 10, wave: int = 1) -> Mapping[str, JSON]:
    return {"rows": rows, "columns": columns, "every": every, "wave": wave, "stage": stage, **COMMON}


def _harder(d: int) -> Mapping[str, JSON]:
    rows, columns, every, stage = TABLE[min(d, len(TABLE)) - 1]
    return _params(rows, columns, every=every, stage=stage, wave=1 + max(0, d - len(TABLE)))


NAMED = {"explore": _params(3, 7), "evaluate": _params(5, 6)}
CONSTANTS = fingerprint(["pvz", 1, NAMED, [list(row) for row in TABLE], BEYOND])

REASONS = 3
"""How many refused placements of an answer are given a reason each."""

_CELL: JSON = {"type": "integer", "minimum": 0}
_TOOL = Tool(
    "place",
    "Plant any number of plants, in this order, and play the turn. An empty list plants nothing.",
    {
        "type": "object",
        "properties": {
            "plants": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"plant": {"enum": list(PLANTS)}, "row": _CELL, "col": _CELL},
                    "required": ["plant", "row", "col"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["plants"],
        "additionalProperties": False,
    },
)
_LETTERS = frozenset(PLANTS) | {plant.lower() for plant in PLANTS}
_FORM = f"PLANT ROW COL with one of {', '.join(PLANTS)} and two whole numbers"


@dataclass(frozen=True, slots=True)
class PvzFamily:
    """Plants-vs-Zombies as a family: investing now against what comes later."""

    id: str = "pvz-v1"
    capability: str = "planning"
    scale: Scale = Scale("turns survived", low=0.0, high=float(TURNS))  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (0.0, 1.0)
    score_step: float = 1.0
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """The two settings of the paper, and five difficulties."""
        return _difficulty.published(self.id, NAMED, _harder)

    def setting(self, name: str) -> Setting:
        """A published setting, or `dn` with any n: beyond d5 there is one more zombie in each wave for each step.

        >>> FAMILY.setting("d7").params["wave"]
        3
        """
        return _difficulty.setting_of(self.id, name, NAMED, _harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task. Its waves follow from its seed when it is played; what is hidden is not in the payload."""
        return Task(self.id, setting, seed.path, dict(setting.params), CONSTANTS, calls=TURNS)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Numbers.of(task.payload))

    def parse(self, text: str) -> Call | Invalid:
        """The placements on the answer line. None at all is a turn without planting, if there is such a line.

        Of several placements those that cannot be read are kept as they are, for the episode to skip with a reason.

        >>> FAMILY.parse("Answer: x 2 0; tree")
        Call(tool='place', arguments={'plants': [{'plant': 'X', 'row': 2, 'col': 0}, 'tree']})
        """
        answer = last_answer(text)
        if isinstance(answer, Invalid):
            return answer
        pieces = [piece for part in answer.split(";") if (piece := part.strip())]
        if not pieces and "answer" not in text.lower():
            return NONE
        if ends(answer):
            return NO_END
        if not pieces or [piece.lower() for piece in pieces] == ["pass"]:
            return Call(_TOOL.name, {"plants": []})
        items = [_item(piece) for piece in pieces]
        if all(isinstance(item, str) for item in items):
            return _unreadable(pieces[0])
        return Call(_TOOL.name, {"plants": items})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        numbers = Numbers.of(task.payload)
        return PvzEpisode(numbers, Field.begin(numbers, waves_of(numbers, task.seed)), rules(numbers))


def _item(piece: str) -> JSON:
    parts = words(piece)
    if len(parts) != 3 or not parts[0].isascii() or parts[0].upper() not in PLANTS:
        return piece
    row, column = map(number_or_text, parts[1:])
    if isinstance(row, str) or isinstance(column, str):
        return piece
    return {"plant": parts[0].upper(), "row": row, "col": column}


def _unreadable(item: object) -> Invalid:
    return Invalid(f"{quoted(item)} is no placement: {_FORM}, such as {PLANTS[0]} 2 0")


@dataclass(slots=True)
class PvzEpisode:
    """One task being worked: a turn a call."""

    numbers: Numbers
    field: Field
    rules: str
    calls: int = 0
    invalid: int = 0
    planted: int = 0
    skipped: int = 0
    reply: str = ""
    seen: str = ""

    @property
    def over(self) -> bool:
        """Whether a zombie got through, all turns are played, or no call is left."""
        return self.field.over or self.calls >= self.numbers.turns

    def view(self) -> View:
        """The field as it stands; it is put in words once a turn."""
        self.seen = self.seen or shown(self.field, self.numbers.turns - self.calls)
        return View(self.seen, tools=(_TOOL,), rules=self.rules, reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Play a turn, with what can be planted of what was asked for. What is no answer uses a call, and no turn."""
        if self.over:
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        self.calls += 1
        self.seen = ""
        items = _items(call)
        if isinstance(items, Invalid):
            self.invalid += 1
            return self._replied(items.reason, score=0.0, invalid=True)
        said = self._plant(items)
        before = self.field.turn
        self.field.play()
        return self._replied(said, score=float(self.field.turn - before), invalid=False)

    async def evaluate(self) -> Evaluation:
        """The turns survived; success is to survive them all."""
        return Evaluation(
            "completed" if self.over else "cancelled",
            success=self._success,
            score=float(self.field.turn),
            metrics={
                "turns": self.field.turn,
                "planted": self.planted,
                "skipped": self.skipped,
                "invalid_actions": self.invalid,
            },
            feedback=self._feedback(),
        )

    @property
    def _success(self) -> bool:
        return self.field.turn >= self.numbers.turns

    def _replied(self, said: str, *, score: float, invalid: bool) -> Reply:
        self.reply = said
        if not self.over:
            return Reply(said, invalid=invalid, score=score)
        self.reply = f"{said}{'' if said.endswith('.') else '.'} The task is over."
        success, feedback = self._success, self._feedback()
        return Reply(self.reply, done=True, invalid=invalid, score=score, success=success, feedback=feedback)

    def _plant(self, items: Sequence[Placement | Invalid]) -> str:
        """Plant what can be planted, in order; in words what was, and why not the rest."""
        planted, refused = list[Placement](), list[str]()
        for item in items:
            reason = item.reason if isinstance(item, Invalid) else _refusal(self.field, item)
            if reason is not None:
                refused.append(reason)
            elif isinstance(item, Placement):
                self.field.plant(item)
                planted.append(item)
        self.planted += len(planted)
        self.skipped += len(refused)
        lines = [f"Planted {'; '.join(map(spelt, planted)) or 'nothing'}."]
        lines += [f"Skipped: {reason}." for reason in refused[:REASONS]]
        lines += [f"Skipped {len(refused) - REASONS} more."] if len(refused) > REASONS else []
        return "\n".join(lines)

    def _feedback(self) -> str:
        turns = f"{self.field.turn} of {self.numbers.turns} turns survived"
        if self.field.breached is not None:
            turns += f"; a zombie got through in row {self.field.breached}"
        return f"{turns}. Planted {self.planted}, skipped {self.skipped}, calls without an answer {self.invalid}."


def _items(call: Call | Invalid) -> Sequence[Placement | Invalid] | Invalid:
    """What a call asks for, one by one; or why it is no answer: it has placements, and none that can be read."""
    arguments = arguments_of(call, _TOOL)
    if isinstance(arguments, Invalid):
        return arguments
    plants = arguments.get("plants")
    if isinstance(plants, str) or not isinstance(plants, Sequence):
        return Invalid(f"plants must be a list of placements, got {quoted(plants)}")
    items = [_placement(item) for item in plants]
    unread = [item for item in items if isinstance(item, Invalid)]
    return unread[0] if items and len(unread) == len(items) else items


def _placement(item: JSON) -> Placement | Invalid:
    """A placement by its form; whether it can be done is not looked at."""
    if not isinstance(item, Mapping):
        return _unreadable(item)
    plant, row, column = item.get("plant"), item.get("row"), item.get("col")
    if not isinstance(plant, str) or plant not in _LETTERS:
        return Invalid(f"plant must be one of {', '.join(PLANTS)}, got {quoted(plant)}")
    for name, value in (("row", row), ("col", column)):
        if isinstance(value, bool) or not isinstance(value, int):
            return Invalid(f"{name} must be a whole number, got {quoted(value)}")
    return Placement(plant.upper(), cast(int, row), cast(int, column))


def _refusal(field: Field, placement: Placement) -> str | None:
    """Why a placement cannot be done now; None where it can."""
    plant, numbers = placement.plant, field.numbers
    row = whole(placement.row, "row", low=0, high=numbers.rows - 1)
    column = whole(placement.column, "col", low=0, high=numbers.columns - 1)
    reason = ""
    if isinstance(row, Invalid):
        reason = row.reason
    elif isinstance(column, Invalid):
        reason = column.reason
    elif (there := field.plants[field.cell(row, column)]) != EMPTY:
        reason = f"{there} stands there"
    elif numbers.cost[plant] > field.sun:
        reason = f"it costs {numbers.cost[plant]}, and there is {field.sun} sun"
    return f"{plant} {quoted(placement.row)} {quoted(placement.column)}: {reason}" if reason else None


FAMILY = PvzFamily()
