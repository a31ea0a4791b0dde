"""Chess-style state prediction, from S3Gym, Table 2 and Appendix A.2: say where every piece will be in the next frame.

Each piece moves by a hidden rule of its own, which has to be found from the frames. The paper gives the sizes, the
syntax of an answer and that END ends an episode. Which rules there are, the reward of a step, and the settings d1, d2
and so on are ours. A step's reward is the share of the pieces that are where they were said to be: published values
such as 17/22 fit it. No text of an episode tells it; the next true frame is shown, as the game wants it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, ends, last_answer
from rung.tasks.games._answers import arguments_of, number_or_text, quoted, whole
from rung.tasks.games._difficulty import Params, published, setting_of
from rung.tasks.games.chess_v1.board import BOARDS, LETTERS, TRIES, Board, Game, board_in
from rung.tasks.games.chess_v1.moves import KINDS, LEGS, PERIODS, REACH, Cell

SIZE, HISTORY, STEPS = 15, 7, 5
NAMED: Mapping[str, Params] = {
    "explore": Game(SIZE, 12, len(KINDS), HISTORY, STEPS).params,
    "evaluate": Game(SIZE, 22, len(KINDS), HISTORY, STEPS).params,
}
"""Of the paper's Table 2; the kinds are ours."""
LADDER = ((6, 1), (10, 2), (14, 4), (20, 6), (26, 7))
"""Pieces and kinds of d1 to d5: glides; wraps too; patrols and pauses; rotors and cycles; pulses."""
MORE = 4
"""Pieces that each difficulty beyond has more, until the letters are used up."""
CONSTANTS = fingerprint(
    [
        *("chess", 1, {name: kind.weight for name, kind in KINDS.items()}, REACH, list(PERIODS), list(LEGS)),
        *(LETTERS, TRIES, BOARDS, SIZE, HISTORY, STEPS, [list(row) for row in LADDER], MORE),
    ]
)

_INDEX: JSON = {"type": "integer", "minimum": 0}
_PREDICT = Tool(
    "predict",
    "Say where pieces will be in the next frame.",
    {
        "type": "object",
        "properties": {
            "positions": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {"piece": {"type": "string"}, "row": _INDEX, "col": _INDEX},
                    "required": ["piece", "row", "col"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["positions"],
        "additionalProperties": False,
    },
)
_END = Tool(
    "end",
    "End the task now. The steps that are left are worth nothing.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
_TOOLS = (_PREDICT, _END)

_CHUNK = re.compile(r"(?:[^,;()]++|\([^()]*+\)|[()])++")  # what stands between two commas outside of brackets
_ITEM = re.compile(r"([^\s:()]{1,20})[ \t]*+:?+[ \t]*+\(([^,()]*+),([^,()]*+)\)")
_WORD = 40  # letters of a foreign word that are kept; no legal one has more
_NAMED = 2  # items left out that a reply describes; the others are counted


def _harder(difficulty: int) -> Params:
    pieces, kinds = LADDER[min(difficulty, len(LADDER)) - 1]
    pieces += MORE * max(0, difficulty - len(LADDER))
    return Game(SIZE, min(pieces, len(LETTERS)), kinds, HISTORY, STEPS).params


@dataclass(frozen=True, slots=True)
class ChessFamily:
    """State prediction as a family: induction of latent rules."""

    id: str = "chess-v1"
    capability: str = "reasoning"
    scale: Scale = Scale("share of positions foretold", low=0.0, high=1.0)  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (0.0, 1.0)
    score_step: float = 1 / 110  # one of 22 pieces at one of 5 steps
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """The two of the paper, and five difficulties."""
        return published(self.id, NAMED, _harder)

    def setting(self, name: str) -> Setting:
        """A setting of the paper's, or a difficulty; beyond d5 with four pieces more each, until every letter is used.

        >>> dict(FAMILY.setting("d6").params)
        {'size': 15, 'pieces': 30, 'kinds': 7, 'history': 7, 'steps': 5}
        """
        return setting_of(self.id, name, NAMED, _harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task. Its board follows from its seed when it is played; the rules of its pieces are not in it."""
        game = Game.of(setting.params)
        return Task(self.id, setting, seed.path, game.params, CONSTANTS, calls=game.steps)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task.payload))

    def parse(self, text: str) -> Call | Invalid:
        """`END`, or predictions with commas between them, on the last answer line.

        What is no prediction stays in the call as a piece of that name, so that the reply can say so.
        """
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if ends(action):
            return Call(_END.name)
        chunks = [chunk for found in _CHUNK.findall(action) if (chunk := found.strip())]
        items = [_ITEM.fullmatch(chunk) for chunk in chunks]
        if not any(items):
            return Invalid(f"the action must be END or predictions such as A:(3,4), b:(0,14), got {quoted(action)}")
        positions = [
            _position(*found.groups()) if found else {"piece": _word(chunk)}
            for found, chunk in zip(items, chunks, strict=True)
        ]
        return Call(_PREDICT.name, {"positions": positions})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        return ChessEpisode(task, Game.of(task.payload), board_in(task))


def _position(piece: str, row: str, column: str) -> Mapping[str, JSON]:
    return {"piece": _word(piece), "row": number_or_text(_word(row)), "col": number_or_text(_word(column))}


def _word(foreign: str) -> str:
    return foreign.strip()[:_WORD].encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer predicts: a cell for a piece, and what was left out of it and why."""

    cells: Mapping[str, Cell]
    left_out: Sequence[str]


@dataclass(slots=True)
class ChessEpisode:
    """One task being worked: a frame a call."""

    task: Task
    game: Game
    board: Board
    right: list[int] = field(default_factory=list)
    ended: bool = False
    invalid: int = 0
    left_out: int = 0
    reply: str = ""

    @property
    def over(self) -> bool:
        """Whether every step is done, or the agent ended it."""
        return self.ended or len(self.right) >= self.game.steps

    @property
    def success(self) -> bool:
        """Whether every piece was foretold in every step."""
        return sum(self.right) == self.game.pieces * self.game.steps

    def view(self) -> View:
        """All frames so far."""
        shown, left = self.game.history + len(self.right), self.game.steps - len(self.right)
        now = "The task is over." if self.over else f"Predict frame {shown}. Steps left: {left}."
        text = "\n\n".join((*self.board.frames[:shown], now))
        return View(text, tools=_TOOLS, rules=rules(self.game), reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Take one step. Whatever is said, the next frame is shown; only `end` ends it all."""
        if self.over:
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        if isinstance(call, Call) and call.tool == _END.name:
            self.ended = True
            return self._replied("You ended the task.", right=0, invalid=False)
        said = _said(call, self.board, self.game)
        invalid = isinstance(said, Invalid)
        self.invalid += invalid
        if isinstance(said, Invalid):
            right, told = 0, f"{said.reason}."
        else:
            now = self.game.history + len(self.right)
            right = sum(self.board.paths[piece][now] == cell for piece, cell in said.cells.items())
            told = f"Left out: {_listed(said.left_out)}." if said.left_out else ""
            self.left_out += len(said.left_out)
        self.right.append(right)
        shown = f"Frame {self.game.history + len(self.right) - 1} is shown now."
        return self._replied(f"{told} {shown}".lstrip(), right=right, invalid=invalid)

    def _replied(self, told: str, *, right: int, invalid: bool) -> Reply:
        self.reply, score = told, right / self.game.pieces
        if not self.over:
            return Reply(told, invalid=invalid, score=score)
        self.reply = f"{told} The task is over."
        feedback = self._feedback()
        return Reply(self.reply, done=True, invalid=invalid, score=score, success=self.success, feedback=feedback)

    async def evaluate(self) -> Evaluation:
        """The share of all positions of all steps that were foretold; steps not taken count as nothing foretold."""
        return Evaluation(
            "completed" if self.over else "cancelled",
            success=self.success,
            score=sum(self.right) / (self.game.pieces * self.game.steps),
            metrics={
                "right": list(self.right),
                "steps": len(self.right),
                "ended": self.ended,
                "invalid_actions": self.invalid,
                "left_out": self.left_out,
            },
            feedback=self._feedback(),
        )

    def _feedback(self) -> str:
        counts = ", ".join(map(str, self.right)) or "none"
        ended = f" Ended after {len(self.right)} of {self.game.steps} steps." if self.ended else ""
        return f"Right in each step, of {self.game.pieces} pieces: {counts}.{ended}"


def _said(call: Call | Invalid, board: Board, game: Game) -> Said | Invalid:
    arguments = arguments_of(call, _PREDICT, _END)
    if isinstance(arguments, Invalid):
        return arguments
    positions = arguments.get("positions")
    if isinstance(positions, str | Mapping) or not isinstance(positions, Sequence) or not positions:
        return Invalid(f"positions must be a list of predictions, with one at least, got {quoted(positions)}")
    said = _sorted_out(positions, board, game)
    return said if said.cells else Invalid(f"nothing in it can be used: {_listed(said.left_out)}")


def _sorted_out(positions: Sequence[JSON], board: Board, game: Game) -> Said:
    """What can be used of a list. The last prediction for a piece counts, also when it cannot be used."""
    cells: dict[str, Cell] = {}
    left_out = list[str]()
    for item in positions:
        piece = item.get("piece") if isinstance(item, Mapping) else item
        if not isinstance(item, Mapping) or not isinstance(piece, str) or piece not in board.paths:
            left_out.append(f"there is no piece {quoted(piece)}")
            continue
        cell = _cell(item, game.size)
        cells.pop(piece, None)
        if isinstance(cell, Invalid):
            left_out.append(f"{piece}: {cell.reason}")
        else:
            cells[piece] = cell
    return Said(cells, left_out)


def _cell(item: Mapping[str, JSON], size: int) -> Cell | Invalid:
    row = whole(item.get("row"), "row", low=0, high=size - 1)
    column = whole(item.get("col"), "col", low=0, high=size - 1)
    if isinstance(row, Invalid):
        return row
    return column if isinstance(column, Invalid) else (row, column)


def _listed(reasons: Sequence[str]) -> str:
    more = len(reasons) - _NAMED
    return "; ".join((*reasons[:_NAMED], *([f"and {more} more"] if more > 0 else [])))


@lru_cache(maxsize=64)
def rules(game: Game) -> str:
    """The rules of a game."""
    return f"""\
A board of {game.size} rows and {game.size} columns holds {game.pieces} pieces. From frame to frame each piece moves \
by a rule of its own. You are not told the rules: find them from the frames, and predict where each piece will be in \
the next frame.

In a frame, . is an empty cell and a letter is a piece; A and a are two pieces. Rows are counted from zero at the top, \
columns from zero at the left. A piece never changes its rule, and is never off the board. Its rule may have to do \
with the edge of the board, but neither with other pieces nor with what you predict. No two pieces are ever in one cell.

You first see frames 0 to {game.history - 1}. There are {game.steps} steps. In each you predict the next frame, and \
then you see it, however you predicted. A step is worth the number of pieces that are where you predicted them, \
divided by {game.pieces}; your score is the mean over all {game.steps} steps. A piece that you leave out counts as \
wrong, so predict every piece. Of several predictions for one piece in an answer the last counts. Predictions for a \
letter that is no piece, or of a cell off the board, are left out. If nothing in an answer can be used, its step is \
worth zero.

{HOW}
ACTION is a list of predictions PIECE:(ROW,COLUMN) with commas between them, for example:
Answer: A:(3,4), b:(0,14)
ACTION may also be END: it ends the task at once, and the step in which you say it and all later ones are worth zero."""


FAMILY = ChessFamily()
