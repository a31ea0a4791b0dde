"""Snake, from S3Gym (Section 5.1, Table 2, Appendix A.4): eat apples on a walled board within a number of steps.

The paper gives the signs, the point for each apple, the 64 steps, and that collisions and invalid actions are no-ops in
exploration and end the episode in evaluation. Its board and its obstacles are not public. Here the board is that of
KORGym, which S3Gym builds on: 8 x 8 with its walls, three apples, a snake of one cell that heads up. Two obstacles and
the harder settings are ours.

Turning back. The paper says that the snake cannot reverse and not what then happens; in KORGym the turn is ignored and
the snake goes on ahead. Here it is one more move that cannot be made, and goes the way of the others: nothing happens
where mistakes are forgiven, and the episode ends where they are not. So one rule covers every mistake, an agent never
moves where it did not ask to, and what was harmless in exploration is what is fatal in evaluation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, NO_END, ends, last_answer
from rung.tasks.games._answers import arguments_of, quoted
from rung.tasks.games._difficulty import published, setting_of
from rung.tasks.games.snake_v1.arena import (
    BITS,
    CLEAR,
    DIRECTIONS,
    HEADING,
    Arena,
    Cells,
    Snake,
    begun,
    cells_in,
    inside,
    lay,
    moved,
)

SIDE, APPLES, OBSTACLES, STEPS = 8, 3, 2, 64
HARDER = (1, 3, 4, 5, 6)  # obstacles of d1 to d5
BEYOND = "side d+3, one cell in six within the walls an obstacle"
CONSTANTS = fingerprint(["snake", 1, SIDE, APPLES, OBSTACLES, STEPS, list(HARDER), BEYOND, HEADING, CLEAR, BITS])

_TOOL = Tool(
    "move",
    "Move the snake by one cell.",
    {
        "type": "object",
        "properties": {"direction": {"type": "string", "enum": list(DIRECTIONS)}},
        "required": ["direction"],
        "additionalProperties": False,
    },
)
_ONE_OF = "LEFT, RIGHT, UP or DOWN"
OVER = "The task is over."


def _params(side: int, obstacles: int, *, strict: bool) -> Mapping[str, JSON]:
    size = {"rows": side, "columns": side, "apples": APPLES, "obstacles": obstacles}
    return {**size, "steps": STEPS, "strict": strict}


NAMED = {
    "explore": _params(SIDE, OBSTACLES, strict=False),
    "evaluate": _params(SIDE, OBSTACLES, strict=True),
}


def _harder(d: int) -> Mapping[str, JSON]:
    if d <= len(HARDER):
        return _params(SIDE, HARDER[d - 1], strict=True)
    return _params(d + 3, (d + 1) ** 2 // 6, strict=True)


@dataclass(frozen=True, slots=True)
class Game:
    """The numbers of a task. `strict`: a move that cannot be made, or that is none, ends the episode."""

    rows: int
    columns: int
    apples: int
    obstacles: int
    steps: int
    strict: bool

    @classmethod
    def of(cls, task: Task) -> "Game":
        """The numbers in a task's payload."""
        return cls(**cast(Mapping[str, int], task.payload))  # type: ignore[arg-type]


@lru_cache(maxsize=1024)
def _arena(game: Game, seed: str) -> Arena:
    root = Seed(seed)
    obstacles = lay(game.rows, game.columns, game.obstacles, root.child("obstacles").rng())
    rng = root.child("apples").rng()
    stream = tuple(rng.getrandbits(BITS) for _ in range(game.apples + game.steps))
    return Arena(game.rows, game.columns, obstacles, game.apples, stream)


def arena_of(task: Task) -> Arena:
    """The board of a task, and the numbers that place its apples: one for each that can come into sight."""
    return _arena(Game.of(task), task.seed)


@dataclass(frozen=True, slots=True)
class SnakeFamily:
    """Snake as a family: control under constraints that the player's own success tightens."""

    id: str = "snake-v1"
    capability: str = "planning"
    scale: Scale = Scale("apples", low=0.0, high=float(STEPS))  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (0.0, 1.0)
    score_step: float = 1.0
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """Exploration, evaluation, and five difficulties."""
        return published(self.id, NAMED, _harder)

    def setting(self, name: str) -> Setting:
        """The named ones, and difficulties: more and more obstacles to d5, and from there on larger boards.

        >>> FAMILY.setting("d9").params["rows"], FAMILY.setting("d9").params["obstacles"]
        (12, 16)
        """
        return setting_of(self.id, name, NAMED, _harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task. Obstacles and apples follow from its seed; what is hidden is not in the payload."""
        steps = cast(int, setting.params["steps"])
        return Task(self.id, setting, seed.path, dict(setting.params), CONSTANTS, calls=steps)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task))

    def parse(self, text: str) -> Call | Invalid:
        """The last answer line, if it is one direction and nothing else."""
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if re.fullmatch("|".join(DIRECTIONS), action, re.ASCII | re.IGNORECASE):
            return Call(_TOOL.name, {"direction": action.upper()})
        if ends(action):
            return NO_END
        return Invalid(f"the answer must be {_ONE_OF}, and nothing else, got {quoted(action)}")

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        arena = arena_of(task)
        return SnakeEpisode(Game.of(task), arena, begun(arena))


@dataclass(slots=True)
class SnakeEpisode:
    """One task being worked. `blocked` counts moves that could not be made; one ends a strict episode."""

    game: Game
    arena: Arena
    snake: Snake
    steps: int = 0
    blocked: int = 0
    invalid: int = 0
    reply: str = ""

    @property
    def lost(self) -> bool:
        """Whether a mistake has ended it."""
        return self.game.strict and self.blocked + self.invalid > 0

    def over(self) -> bool:
        """Whether a mistake has ended it, or the steps are used up."""
        return self.lost or self.steps >= self.game.steps

    @property
    def success(self) -> bool:
        """Whether every step was played with a move, no mistake was fatal, and an apple was eaten."""
        return self.steps == self.game.steps and not self.lost and not self.invalid and self.snake.eaten > 0

    def view(self) -> View:
        """The board, the heading, and the step that comes next."""
        step = min(self.steps + 1, self.game.steps)
        text = f"{drawn(self.arena, self.snake)}\nDirection: {self.snake.heading}\nStep {step} of {self.game.steps}"
        return View(text, tools=(_TOOL,), rules=rules(self.game), reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Make one move. Whatever is called, it is one of the steps."""
        if self.over():
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        self.steps += 1
        before, direction = self.snake.eaten, _direction_of(call)
        illegal = isinstance(direction, Invalid)
        self.invalid += illegal
        self.reply = direction.reason if isinstance(direction, Invalid) else self._move(direction)
        reward = float(self.snake.eaten - before)
        if not self.over():
            return Reply(self.reply, invalid=illegal, score=reward)
        self.reply += f". {OVER}" if illegal else f" {OVER}"
        success, feedback = self.success, self._feedback()
        return Reply(self.reply, done=True, invalid=illegal, score=reward, success=success, feedback=feedback)

    def _move(self, direction: str) -> str:
        after = moved(self.arena, self.snake, direction)
        if after is None:
            self.blocked += 1
            return f"The snake cannot move {direction}."
        self.snake = after
        return f"The snake moved {direction}."

    async def evaluate(self) -> Evaluation:
        """The apples eaten; success is to have played every step with a move, and to have eaten one."""
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=self.success,
            score=float(self.snake.eaten),
            metrics={"steps": self.steps, "blocked_moves": self.blocked, "invalid_actions": self.invalid},
            feedback=self._feedback(),
        )

    def _feedback(self) -> str:
        return (
            f"Apples eaten: {self.snake.eaten}, in {self.steps} of {self.game.steps} steps. "
            f"Moves that could not be made: {self.blocked}. Invalid actions: {self.invalid}."
        )


def _direction_of(call: Call | Invalid) -> str | Invalid:
    arguments = arguments_of(call, _TOOL)
    if isinstance(arguments, Invalid):
        return arguments
    direction = arguments.get("direction")
    if direction not in DIRECTIONS:
        return Invalid(f"direction must be {_ONE_OF}, got {quoted(direction)}")
    return str(direction)


@lru_cache(maxsize=1024)
def _ground(rows: int, columns: int, obstacles: Cells) -> Sequence[str]:
    """The signs of a board without snake and apples, in reading order."""
    within = inside(rows, columns)

    def sign(cell: int) -> str:
        if not within >> cell & 1:
            return "#"
        return "X" if obstacles >> cell & 1 else "."

    return [sign(cell) for cell in range(rows * columns)]


def drawn(arena: Arena, snake: Snake) -> str:
    """A board as an agent sees it."""
    signs, columns = list(_ground(arena.rows, arena.columns, arena.obstacles)), arena.columns
    for cell in cells_in(snake.apples):
        signs[cell] = "A"
    for cell in snake.body:
        signs[cell] = "S"
    signs[snake.body[0]] = "H"
    line = "".join(signs)
    return "\n".join([line[first : first + columns] for first in range(0, len(line), columns)])


@lru_cache(maxsize=256)
def rules(game: Game) -> str:
    """The rules of a game."""
    mistake = (
        "Such a move ends the task, and so does an answer that is no move."
        if game.strict
        else "After such a move, or an answer that is no move, nothing has changed but that a step is used up."
    )
    return f"""\
You steer a snake on a board of {game.rows} rows and {game.columns} columns, the outermost cells of which are walls. \
Obstacles within the walls: {game.obstacles}. Eat as many apples as you can.

The board shows # for a wall, X for an obstacle, H for the head of the snake, S for the rest of it, A for an apple and \
. for a free cell. The snake begins with its head alone. Below the board stand its direction and the step that is next.

With each step the head moves to the next cell LEFT, RIGHT, UP or DOWN, and the body follows. If an apple is there, \
the snake eats it: it grows by one cell, its tail staying where it is for that step, and a new apple appears on a free \
cell. There are {game.apples} apples at a time, or as many as there is room for.

The head can move to where the tail is, for the tail moves on. It cannot move into a wall, an obstacle or the rest of \
the body, and it cannot reverse: not LEFT when the direction is RIGHT, nor UP when it is DOWN, and so on, even when \
the snake is its head alone. {mistake}

The task ends after {game.steps} steps at the latest. Each apple is one point.

{HOW}, where ACTION is one of LEFT, RIGHT, UP, DOWN. For example:
Answer: LEFT"""


FAMILY = SnakeFamily()
