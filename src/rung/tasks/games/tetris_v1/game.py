"""Tetris, from S3Gym (Section 5.1, Table 2, Appendix A.3): complete rows with blocks that are dropped one by one.

The paper gives the signs, the action, the point for each row, the two boards, the 64 steps, and that it ends when a
block rises above the board. The blocks and how they lie at first are ours. Each setting's blocks are drawn beforehand
from the task's seed, so that they depend on nothing that is done.

The paper's panel is called "Next Block", and means the block to place now: nothing else is shown that could be placed.
Here it says so. A column that a block does not fit in and an angle that is none of the four are invalid, and not bent
into others as in KORGym.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, NO_END, ends, last_answer, words
from rung.tasks.games._answers import arguments_of, number_or_text, quoted, whole
from rung.tasks.games._difficulty import published, setting_of
from rung.tasks.games.tetris_v1.board import ANGLES, CELLS, SHAPES, Pit, block

STEPS = 64
NARROWEST = 4  # a board on which every block can lie flat
WIDTH = 8  # of d1 to d5
HEIGHTS = (14, 12, 10, 7, 6)
BEYOND = "as high as d5, width d+3"
CONSTANTS = fingerprint(
    ["tetris", 1, STEPS, WIDTH, list(HEIGHTS), BEYOND, {name: list(rows) for name, rows in SHAPES.items()}]
)

_TOOL = Tool(
    "drop",
    "Turn the block clockwise and drop it with its left-most cell in a column, counted from 1.",
    {
        "type": "object",
        "properties": {
            "column": {"type": "integer", "minimum": 1},
            "angle": {"type": "integer", "enum": list(ANGLES)},
        },
        "required": ["column", "angle"],
        "additionalProperties": False,
    },
)
PANEL = "Next Block (to place now)"
OVER = "The task is over."


def _params(width: int, height: int) -> Mapping[str, JSON]:
    return {"width": width, "height": height, "steps": STEPS, "angles": list(ANGLES)}


NAMED = {"explore": _params(10, 10), "evaluate": _params(8, 8)}


def _harder(d: int) -> Mapping[str, JSON]:
    return _params(WIDTH, HEIGHTS[d - 1]) if d <= len(HEIGHTS) else _params(d + 3, HEIGHTS[-1])


@dataclass(frozen=True, slots=True)
class Game:
    """The numbers of a task."""

    pit: Pit
    steps: int

    @classmethod
    def of(cls, task: Task) -> "Game":
        """The numbers in a task's payload."""
        numbers = cast(Mapping[str, int], task.payload)
        return cls(Pit(numbers["width"], numbers["height"]), numbers["steps"])


@lru_cache(maxsize=1024)
def _blocks(steps: int, seed: str) -> tuple[str, ...]:
    return tuple(Seed(seed).child("blocks").rng().choices(tuple(SHAPES), k=steps))


def blocks_of(task: Task) -> tuple[str, ...]:
    """The blocks of a task by name, one for each step."""
    return _blocks(Game.of(task).steps, task.seed)


@dataclass(frozen=True, slots=True)
class TetrisFamily:
    """Tetris as a family: packing under a limit, where what is placed badly stays."""

    id: str = "tetris-v1"
    capability: str = "planning"
    scale: Scale = Scale("rows", low=0.0, high=float(STEPS * CELLS // NARROWEST))  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (0.0, 4.0)  # four rows at once
    score_step: float = 1.0
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """Exploration, evaluation, and five difficulties."""
        return published(self.id, NAMED, _harder)

    def setting(self, name: str) -> Setting:
        """The named ones, and difficulties: boards that are lower and lower to d5, and from there on wider ones.

        >>> FAMILY.setting("d7").params["width"], FAMILY.setting("d7").params["height"]
        (10, 6)
        """
        return setting_of(self.id, name, NAMED, _harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task. Its blocks follow from its seed; what is hidden is not in the payload."""
        steps = cast(int, setting.params["steps"])
        return Task(self.id, setting, seed.path, dict(setting.params), CONSTANTS, calls=steps)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task))

    def parse(self, text: str) -> Call | Invalid:
        """The last answer line, if it is two words: the episode says what is wrong with either."""
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if ends(action):
            return NO_END
        parts = words(action)
        if len(parts) == 2:
            return Call(_TOOL.name, {"column": number_or_text(parts[0]), "angle": number_or_text(parts[1])})
        return Invalid(
            f"the answer must be a column and an angle, such as: 1 90, and nothing else, got {quoted(action)}"
        )

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        return TetrisEpisode(Game.of(task), blocks_of(task))


@dataclass(slots=True)
class TetrisEpisode:
    """One task being worked. `placed` counts blocks, and `lost` says that one would have risen above the board."""

    game: Game
    blocks: Sequence[str]
    board: int = 0
    steps: int = 0
    placed: int = 0
    rows: int = 0
    invalid: int = 0
    lost: bool = False
    reply: str = ""

    def over(self) -> bool:
        """Whether a block has risen above the board, or the steps are used up."""
        return self.lost or self.steps >= self.game.steps

    @property
    def success(self) -> bool:
        """Whether a block was placed with every step, and a row was cleared."""
        return self.placed == self.game.steps and self.rows > 0

    def view(self) -> View:
        """The board, the block to place, and the step that comes next."""
        panel = "" if self.over() else f"\n{PANEL}\n{_shown(self.blocks[self.placed])}"
        step = min(self.steps + 1, self.game.steps)
        text = f"{drawn(self.game.pit, self.board)}{panel}\nStep {step} of {self.game.steps}"
        return View(text, tools=(_TOOL,), rules=rules(self.game), reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Drop the block in view. Whatever is called, it is one of the steps."""
        if self.over():
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        self.steps += 1
        before, place = self.rows, _place_of(call, self.game.pit, self.blocks[self.placed])
        illegal = isinstance(place, Invalid)
        self.invalid += illegal
        self.reply = place.reason if isinstance(place, Invalid) else self._drop(*place)
        reward = float(self.rows - before)
        if not self.over():
            return Reply(self.reply, invalid=illegal, score=reward)
        self.reply += f". {OVER}" if illegal else f" {OVER}"
        success, feedback = self.success, self._feedback()
        return Reply(self.reply, done=True, invalid=illegal, score=reward, success=success, feedback=feedback)

    def _drop(self, column: int, angle: int) -> str:
        pit, name = self.game.pit, self.blocks[self.placed]
        after = pit.drop(self.board, block(name, angle, pit.width), column - 1)
        if after is None:
            self.lost = True
            return "The block rises above the board."
        self.board, rows = after
        self.rows += rows
        self.placed += 1
        return f"The block was turned by {angle} and dropped in column {column}."

    async def evaluate(self) -> Evaluation:
        """The rows cleared; success is to have placed a block with every step, and to have cleared one."""
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=self.success,
            score=float(self.rows),
            metrics={"steps": self.steps, "blocks_placed": self.placed, "invalid_actions": self.invalid},
            feedback=self._feedback(),
        )

    def _feedback(self) -> str:
        end = " A block rose above the board." if self.lost else ""
        return (
            f"Rows cleared: {self.rows}, with {self.placed} blocks in {self.steps} of {self.game.steps} steps. "
            f"Invalid actions: {self.invalid}.{end}"
        )


def _place_of(call: Call | Invalid, pit: Pit, name: str) -> tuple[int, int] | Invalid:
    """Column, counted from 1, and angle."""
    arguments = arguments_of(call, _TOOL)
    if isinstance(arguments, Invalid):
        return arguments
    angle = arguments.get("angle")
    if isinstance(angle, bool) or not isinstance(angle, int) or angle not in ANGLES:
        return Invalid(f"the angle must be 0, 90, 180 or 270, got {quoted(angle)}")
    last = pit.width - block(name, angle, pit.width).width + 1
    column = whole(arguments.get("column"), "the column", low=1, high=last)
    if isinstance(column, Invalid):
        return Invalid(f"turned by {angle}, {column.reason}")
    return column, angle


def _shown(name: str) -> str:
    return "\n".join(SHAPES[name])


def drawn(pit: Pit, board: int) -> str:
    """A board as an agent sees it, the highest row first."""
    full = (1 << pit.width) - 1
    rows = [f"{board >> r * pit.width & full:0{pit.width}b}"[::-1] for r in range(pit.height - 1, -1, -1)]
    return "\n".join(rows).translate(_SIGNS)


_SIGNS = str.maketrans("01", ".*")


@lru_cache(maxsize=256)
def rules(game: Game) -> str:
    """The rules of a game."""
    none, *turns, last = ANGLES
    return f"""\
You play Tetris, one block at a time, on a board of {game.pit.width} columns and {game.pit.height} rows. Clear as many \
rows as you can.

The board shows * for a filled cell and . for an empty one, the top row first. Under "{PANEL}" stands the block that \
you place with this step, as it lies before it is turned, with # for its cells. It is one of the seven shapes of four \
cells that hang together, each as likely as the others. What comes after it you do not know.

Choose a column and an angle. The block is turned clockwise by the angle, one of {none}, {", ".join(map(str, turns))} \
and {last}; turned by {turns[0]}, for example,
#..
###
becomes
##
#.
#.
Then it falls straight down, with its left-most cell in the column, until something is under it. Columns are counted \
from 1, from the left; the whole turned block must be within the columns. Every row that is now full is cleared, and \
what lies above it comes down by one row. Each cleared row is one point.

If the block would come to rest with a cell above the top row, it is not placed, and the task ends. Otherwise it ends \
after {game.steps} steps. An answer that is malformed, or a column or an angle that cannot be, uses up a step; the \
block stays the same.

{HOW}, where ACTION is COLUMN ANGLE, two whole numbers. For example:
Answer: 1 {turns[0]}"""


FAMILY = TetrisFamily()
