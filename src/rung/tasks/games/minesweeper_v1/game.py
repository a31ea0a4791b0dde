"""Minesweeper, from S3Gym, Table 2 and Appendix A: flag the mines of a board, or uncover all that is safe.

The paper gives the board, the mines, the lives, the signs, the two ways to win and the score. Ours are: the mines are
laid after the first uncovering, so that it never hits; flags wait until then; a mine that was hit can no longer be
flagged and still counts in the score; and the difficulties d1, d2 and so on, which are strict.

No observation tells the score, and a flag is answered alike on a mine and on a safe cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.errors import UsageError
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, NO_END, ends, last_answer, words
from rung.tasks.games._answers import arguments_of, number_or_text, quoted, whole
from rung.tasks.games._difficulty import published, setting_of
from rung.tasks.games._mines import Grid, written
from rung.tasks.games.minesweeper_v1.board import NEAR, Board, laid, order_of

STEPS = 64
_SIZE: Mapping[str, JSON] = {"rows": 9, "columns": 9, "fewest_mines": 10, "most_mines": 20}
NAMED: Mapping[str, Mapping[str, JSON]] = {
    "explore": {**_SIZE, "extra_lives": 2, "steps": STEPS},
    "evaluate": {**_SIZE, "extra_lives": 0, "steps": STEPS},
}
DENSEST = 25  # per cent of the cells; beyond it even the best player is lost within a few steps
BEYOND = "side d+7; d+13 per cent mines, 25 at most; no extra life; 64 steps, or 4 for 9 cells where that is more"
CONSTANTS = fingerprint(["minesweeper", 1, {name: dict(params) for name, params in NAMED.items()}, BEYOND])

ACTIONS = ("uncover", "flag", "unflag")
_INDEX: JSON = {"type": "integer", "minimum": 0}
_TOOL = Tool(
    "minesweep",
    "Uncover, flag or unflag one cell of the board.",
    {
        "type": "object",
        "properties": {"action": {"enum": list(ACTIONS)}, "row": _INDEX, "col": _INDEX},
        "required": ["action", "row", "col"],
        "additionalProperties": False,
    },
)


def _harder(d: int) -> Mapping[str, JSON]:
    side = d + 7
    mines = side * side * min(d + 13, DENSEST) // 100
    steps = max(STEPS, side * side * 4 // 9)
    return {**dict.fromkeys(("rows", "columns"), side), "fewest_mines": mines, "most_mines": mines,
            "extra_lives": 0, "steps": steps}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Game:
    """The numbers of a task: board, mines, lives beyond the first, and steps."""

    grid: Grid
    mines: int
    extra_lives: int
    steps: int

    def __post_init__(self) -> None:
        most = self.grid.rows * self.grid.columns - NEAR
        if not 1 <= self.mines <= most:
            raise UsageError(f"a board of this size holds 1 to {most} mines, got {self.mines}; change rows or mines")

    @classmethod
    def of(cls, task: Task) -> "Game":
        """The numbers in a task's payload."""
        numbers = cast(Mapping[str, int], task.payload)
        grid = Grid(numbers["rows"], numbers["columns"])
        return cls(grid, numbers["mines"], numbers["extra_lives"], numbers["steps"])


@dataclass(frozen=True, slots=True)
class MinesweeperFamily:
    """Minesweeper as a family: deduction, and risk where deduction ends."""

    id: str = "minesweeper-v1"
    capability: str = "reasoning"
    scale: Scale = Scale("mines flagged / mines, or 1 on a win", low=0.0, high=1.0)  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (-0.125, 1.0)  # the least number of mines is 8, and a win is worth all
    score_step: float = 1 / 20  # one of 20 mines
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """The paper's two, and the five difficulties with published numbers."""
        return published(self.id, NAMED, _harder)

    def setting(self, name: str) -> Setting:
        """A named setting or a difficulty: a larger board, more densely mined, without extra lives.

        >>> dict(FAMILY.setting("d2").params)
        {'rows': 9, 'columns': 9, 'fewest_mines': 12, 'most_mines': 12, 'extra_lives': 0, 'steps': 64}
        """
        return setting_of(self.id, name, NAMED, _harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task and draw how many mines it has, which it tells. Where they may lie follows from its seed."""
        params = cast(Mapping[str, int], setting.params)
        mines = seed.child("count").rng().randint(params["fewest_mines"], params["most_mines"])
        kept = {name: params[name] for name in ("rows", "columns", "extra_lives", "steps")}
        return Task(self.id, setting, seed.path, {**kept, "mines": mines}, CONSTANTS, calls=params["steps"])

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task))

    def parse(self, text: str) -> Call | Invalid:
        """The last line `Answer: uncover (2, 3)`, or so; numbers are read as such only in plain digits."""
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if ends(action):
            return NO_END
        parts = words(action)
        if len(parts) != 3 or parts[0].lower() not in ACTIONS:
            return Invalid(f'write uncover, flag or unflag and one cell, as in "uncover (2, 3)"; got {quoted(action)}')
        row, column = map(number_or_text, parts[1:])
        return Call(_TOOL.name, {"action": parts[0].lower(), "row": row, "col": column})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode: nothing is uncovered, and no mine is laid."""
        return begun(task)


@dataclass(slots=True)
class MinesweeperEpisode:
    """One task being worked. `points` is the score in units of one mine, so that it stays a whole number."""

    game: Game
    order: Sequence[int]
    board: Board
    steps: int = 0
    invalid: int = 0
    flags: list[bool] = field(default_factory=list)
    reply: str = ""

    @property
    def success(self) -> bool:
        """Whether exactly the mines are flagged, or every safe cell is uncovered."""
        return self.board.all_flagged or self.board.all_opened

    @property
    def points(self) -> int:
        """The score times the mines."""
        return self.game.mines if self.success else self.board.right

    @property
    def lives(self) -> int:
        """How many lives are left; at 0 the task is over."""
        return 1 + self.game.extra_lives - self.board.hit.bit_count()

    def over(self) -> bool:
        """Whether the task is won, no life is left, or no step."""
        return self.steps >= self.game.steps or self.lives <= 0 or self.success

    def view(self) -> View:
        """The board and the counts. None of them depends on whether a flag is right."""
        flags, shown = self.board.flagged.bit_count(), self.board.hit.bit_count()
        counts = (
            f"Mines {self.game.mines}, flags placed {flags}, mines shown {shown}, lives left {self.lives}, "
            f"steps left {self.game.steps - self.steps}."
        )
        text = f"{written(self.game.grid, self.board.signs)}\n{counts}"
        return View(text, tools=(_TOOL,), rules=rules(self.game), reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Take one step. Whatever it is, it is one of the budget; an illegal one changes nothing else."""
        return self.take(call)

    def take(self, call: Call | Invalid) -> Reply:
        """The same, for who need not wait."""
        if self.over():
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        self.steps += 1
        before = self.points
        said = self._do(call)
        illegal = isinstance(said, Invalid)
        self.invalid += illegal
        self.reply = said.reason if isinstance(said, Invalid) else said
        score = (self.points - before) / self.game.mines
        if not self.over():
            return Reply(self.reply, invalid=illegal, score=score)
        self.reply = f"{self.reply.removesuffix('.')}. The task is over."
        feedback = self._feedback()
        return Reply(self.reply, done=True, invalid=illegal, score=score, success=self.success, feedback=feedback)

    async def evaluate(self) -> Evaluation:
        """Flags on mines as a share of all mines; 1 on a win."""
        right = self.board.right
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=self.success,
            score=self.points / self.game.mines,
            metrics={
                "correct_flags": right,
                "wrong_flags": self.board.flagged.bit_count() - right,
                "flag_precision": sum(self.flags) / len(self.flags) if self.flags else None,
                "lives_lost": self.board.hit.bit_count(),
                "steps": self.steps,
                "invalid_actions": self.invalid,
            },
            feedback=self._feedback(),
        )

    def _do(self, call: Call | Invalid) -> str | Invalid:
        move = _move_of(call, self.game.grid)
        if isinstance(move, Invalid):
            return move
        action, row, column = move
        cell, where = row * self.game.grid.columns + column, f"row {row}, column {column}"
        if self.board.opened >> cell & 1:
            return Invalid(f"{where} is uncovered already")
        if self.board.hit >> cell & 1:
            return Invalid(f"{where} is a mine that is shown already")
        return {"uncover": self._uncover, "flag": self._flag, "unflag": self._unflag}[action](cell, where)

    def _uncover(self, cell: int, where: str) -> str | Invalid:
        if self.board.flagged >> cell & 1:
            return Invalid(f"{where} is flagged; unflag it before you uncover it")
        if not self.board.mines:
            self.board.mines = laid(self.game.grid, self.game.mines, self.order, cell)
        if self.board.mines >> cell & 1:
            self.board.hit_mine(cell)
            return f"There was a mine at {where}. Lives left: {self.lives}."
        self.board.open(cell)
        return f"Uncovered {where}: it shows {self.board.signs[cell]}."

    def _flag(self, cell: int, where: str) -> str | Invalid:
        if not self.board.mines:
            return Invalid("no mine is laid before the first cell is uncovered; uncover one first")
        if self.board.flagged >> cell & 1:
            return Invalid(f"{where} is flagged already")
        if self.board.flagged.bit_count() + self.board.hit.bit_count() >= self.game.mines:
            return Invalid(f"flags and shown mines are {self.game.mines} already; unflag a cell first")
        self.board.flag(cell)
        self.flags.append(bool(self.board.mines >> cell & 1))
        return f"Flagged {where}."

    def _unflag(self, cell: int, where: str) -> str | Invalid:
        if not self.board.flagged >> cell & 1:
            return Invalid(f"{where} is not flagged")
        self.board.flag(cell)
        return f"Unflagged {where}."

    def _feedback(self) -> str:
        right, mines = self.board.right, self.game.mines
        wrong = self.board.flagged.bit_count() - right
        verdict = "Won" if self.success else "Not won"
        return (
            f"{verdict}: {right} of {mines} mines flagged, {wrong} safe cells flagged, "
            f"mines hit: {self.board.hit.bit_count()}, {self.steps} of {self.game.steps} steps used."
        )


def begun(task: Task) -> MinesweeperEpisode:
    """A fresh episode of a task."""
    game = Game.of(task)
    return MinesweeperEpisode(game, order_of(game.grid, game.mines, task.seed), Board(game.grid))


def _move_of(call: Call | Invalid, grid: Grid) -> tuple[str, int, int] | Invalid:
    arguments = arguments_of(call, _TOOL)
    if isinstance(arguments, Invalid):
        return arguments
    action = arguments.get("action")
    if action not in ACTIONS:
        return Invalid(f"action must be uncover, flag or unflag, got {quoted(action)}")
    row = whole(arguments.get("row"), "row", low=0, high=grid.rows - 1)
    column = whole(arguments.get("col"), "col", low=0, high=grid.columns - 1)
    if isinstance(row, Invalid):
        return row
    return column if isinstance(column, Invalid) else (str(action), row, column)


@lru_cache(maxsize=256)
def rules(game: Game) -> str:
    """The rules of a game."""
    return f"""\
A board of {game.grid.rows} rows and {game.grid.columns} columns hides {game.mines} mines. Flag the mines, or uncover \
everything else.

The board shows ? for a covered cell, F for a flagged one, X for a mine that was uncovered, and a number for a safe \
cell that is uncovered: how many of its up to eight neighbours are mines. Rows and columns are numbered from zero, as \
shown at the edges of the board. At first all is covered. The mines are laid when you uncover the first cell, and none \
on it or next to it; before that you cannot flag.

Each step is one of these, on one cell:
- uncover: if the cell is safe, it shows its number; if that is zero, its neighbours are uncovered too, and so on. \
Flagged cells stay covered: to uncover one, unflag it first. {_lives(game)}
- flag: you think it is a mine. Flags and uncovered mines together can be {game.mines} at most. You are not told \
whether a flag is right.
- unflag: take a flag away.

The task is won as soon as exactly the {game.mines} mines are flagged, or every safe cell is uncovered; a safe cell \
under a flag is not uncovered. A mine that was uncovered can no longer be flagged. You have {game.steps} steps. A step \
that is malformed or cannot be done is used up too. The task ends when it is won, when no life is left, or when no \
step is left.

Your score is 1 if the task is won. Otherwise it is the flags on mines at the end, divided by {game.mines}. A step's \
reward is by how much it changes the score.

An action is uncover, flag or unflag, and a cell as (row, column), like this:
Answer: uncover (2, 3)
{HOW}"""


def _lives(game: Game) -> str:
    if game.extra_lives == 0:
        return "If it is a mine, the task ends."
    return f"If it is a mine, you lose a life, and with the last one the task ends; you have {game.extra_lives + 1}."


FAMILY = MinesweeperFamily()
