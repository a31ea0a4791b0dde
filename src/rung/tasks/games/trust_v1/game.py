"""Trust Evolution, from S3Gym (Table 2 and Appendix A): a repeated game against an opponent of one stable strategy.

The paper gives the payoffs, ten rounds, the two moves, and how opponents are drawn to explore and to evaluate; the
eight strategies are KORGym's, of which S3Gym took the game. Beyond them, at d1 and on, the opponent is a machine drawn
among all that have so many states and not one too many, and there are more rounds to find it out.

So that one scale serves all, a score is the mean payoff of a round times ten: in the ten rounds of the paper that is
the sum of the payoffs. An answer that is no move loses its round: it pays 0, and the opponent sees nothing and stays
where it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answer_line import HOW, NO_END, ends, last_answer
from rung.tasks.games._answers import arguments_of, quoted
from rung.tasks.games._difficulty import Params, published, setting_of
from rung.tasks.games.trust_v1.machines import CHEAT, COLLABORATE, MOVES, Machine, drawn
from rung.tasks.games.trust_v1.strategies import STRATEGIES, WEIGHTS

ROUNDS = 10
PAYOFFS = ((2, -1), (3, 0))
"""To the agent, by its move and the opponent's: what S3Gym pays."""
MACHINE = "machine"
"""How an opponent is drawn that is none of the eight."""

_COMMON: Params = {"payoffs": [list(row) for row in PAYOFFS], "score_rounds": ROUNDS}
NAMED: Mapping[str, Params] = {
    "explore": {"rounds": ROUNDS, "opponents": "easier", **_COMMON},
    "evaluate": {"rounds": ROUNDS, "opponents": "uniform", **_COMMON},
}
BEYOND = "N+2 states, 10+5N rounds"
CONSTANTS = fingerprint(["trust", 1, {bias: dict(weights) for bias, weights in WEIGHTS.items()}, BEYOND])

_TOOL = Tool(
    "choose",
    "Choose your move of this round.",
    {
        "type": "object",
        "properties": {"move": {"enum": list(MOVES)}},
        "required": ["move"],
        "additionalProperties": False,
    },
)


def harder(difficulty: int) -> Params:
    """What `dN` is: a machine of N+2 states, in 10+5N rounds."""
    return {"rounds": 10 + 5 * difficulty, "opponents": MACHINE, "states": difficulty + 2, **_COMMON}


@dataclass(frozen=True, slots=True)
class Game:
    """The numbers of a task, and how its opponent is drawn; `states` is 0 for one of the eight strategies."""

    rounds: int
    opponents: str
    states: int
    payoffs: tuple[tuple[int, int], tuple[int, int]]
    score_rounds: int

    @classmethod
    def of(cls, task: Task) -> "Game":
        """The numbers in a task's payload."""
        numbers = cast(Mapping[str, int], task.payload)
        (both, exploited), (exploiting, neither) = cast(Sequence[Sequence[int]], task.payload["payoffs"])
        return cls(
            numbers["rounds"],
            str(task.payload["opponents"]),
            numbers.get("states", 0),
            ((both, exploited), (exploiting, neither)),
            numbers["score_rounds"],
        )

    def score(self, points: int) -> float:
        """What so many points are worth."""
        return points * self.score_rounds / self.rounds

    def blind(self, opponent: Machine, move: int) -> int:
        """The points of making the same move in every round."""
        return sum(self.payoffs[move][other] for other in opponent.plays_against([move] * self.rounds))


@lru_cache(maxsize=4096)
def opponent_of(game: Game, seed: str) -> tuple[str, Machine]:
    """The opponent of a task: the name of its strategy, and the machine that plays it."""
    rng = Seed(seed).child("opponent").rng()
    if game.opponents == MACHINE:
        return MACHINE, drawn(game.states, rng)
    weights = WEIGHTS[game.opponents]
    name = rng.choices(list(weights), list(weights.values()))[0]
    return name, STRATEGIES[name](game.rounds, Seed(seed).child("coins").rng())


@dataclass(frozen=True, slots=True)
class TrustFamily:
    """Trust as a family: find out what an opponent does, and make the best of it."""

    id: str = "trust-v1"
    capability: str = "strategy"
    scale: Scale = Scale("payoff per 10 rounds", low=-10.0, high=30.0)  # noqa: RUF009 (frozen)
    reward: tuple[float, float] = (-1.0, 3.0)
    score_step: float = 1.0
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """`explore` and `evaluate` of S3Gym, and five difficulties of machines."""
        return published(self.id, NAMED, harder)

    def setting(self, name: str) -> Setting:
        """The setting of this name.

        >>> dict(FAMILY.setting("d6").params)["states"], FAMILY.setting("d6").params["rounds"]
        (8, 40)
        """
        return setting_of(self.id, name, NAMED, harder)

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Name a task. Its opponent follows from its seed when it is played; it is not in the payload."""
        return Task(
            self.id, setting, seed.path, dict(setting.params), CONSTANTS, calls=cast(int, setting.params["rounds"])
        )

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(Game.of(task))

    def parse(self, text: str) -> Call | Invalid:
        """`Answer: collaborate` or `Answer: cheat`, in capital or small letters."""
        action = last_answer(text)
        if isinstance(action, Invalid):
            return action
        if ends(action):
            return NO_END
        if not re.fullmatch("|".join(MOVES), action, re.ASCII | re.IGNORECASE):
            return _no_move(action)
        return Call("choose", {"move": action.lower()})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        game = Game.of(task)
        return TrustEpisode(game, opponent_of(game, task.seed)[1])


@dataclass(slots=True)
class TrustEpisode:
    """One task being worked: where the opponent stands, and what was played."""

    game: Game
    opponent: Machine
    state: int = 0
    rounds: int = 0
    points: int = 0
    counts: list[int] = field(default_factory=lambda: [0, 0])
    history: list[str] = field(default_factory=list)
    reply: str = ""
    _rules: str = field(init=False)
    _shown: str = field(init=False)

    def __post_init__(self) -> None:
        self._rules = rules(self.game)
        self._shown = self._show()

    @property
    def invalid(self) -> int:
        """Rounds that were lost to an answer that was no move."""
        return self.rounds - sum(self.counts)

    def over(self) -> bool:
        """Whether all rounds are played."""
        return self.rounds >= self.game.rounds

    def view(self) -> View:
        """The round, and what was played before it."""
        return View(self._shown, tools=(_TOOL,), rules=self._rules, reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Play one round. What is no move loses it: it pays 0, and the opponent sees nothing."""
        if self.over():
            return Reply("the game is over; nothing was changed", done=True, invalid=True)
        move = _move_of(call)
        self.rounds += 1
        illegal = isinstance(move, Invalid)
        payoff = 0 if isinstance(move, Invalid) else self._play(move)
        if isinstance(move, Invalid):
            self.history.append(f"{self.rounds}: no move, Payoff: 0")
        self.reply = move.reason if isinstance(move, Invalid) else self.history[-1]
        self._shown = self._show()
        if not self.over():
            return Reply(self.reply, invalid=illegal, score=float(payoff))
        self.reply += ". The game is over."
        return Reply(
            self.reply,
            done=True,
            invalid=illegal,
            score=float(payoff),
            success=self._success(),
            feedback=self._feedback(),
        )

    async def evaluate(self) -> Evaluation:
        """The mean payoff of a round, times ten. Success is to move in every round, and to earn as much as
        either move made blindly would."""
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=self._success(),
            score=self.game.score(self.points),
            metrics={
                "points": self.points,
                "rounds": self.rounds,
                "collaborated": self.counts[COLLABORATE],
                "cheated": self.counts[CHEAT],
                "invalid_actions": self.invalid,
            },
            feedback=self._feedback(),
        )

    def _play(self, move: int) -> int:
        other = self.opponent.plays[self.state]
        payoff = self.game.payoffs[move][other]
        self.state = self.opponent.goes[self.state][move]
        self.points += payoff
        self.counts[move] += 1
        self.history.append(f"{self.rounds}: You: {MOVES[move]}, Opponent: {MOVES[other]}, Payoff: {payoff}")
        return payoff

    def _show(self) -> str:
        head = "All rounds are over." if self.over() else f"Round {self.rounds + 1} of {self.game.rounds}."
        return "\n".join((head, *(self.history or ("Nothing was played yet.",))))

    def _blind(self) -> list[int]:
        return [self.game.blind(self.opponent, move) for move in (COLLABORATE, CHEAT)]

    def _success(self) -> bool:
        return sum(self.counts) == self.game.rounds and self.points >= max(self._blind())

    def _feedback(self) -> str:
        earned = (
            f"{self.points} points in {self.rounds} of {self.game.rounds} rounds, {self.invalid} of them without a move"
        )
        if not self.over():
            return f"{earned}."
        collaborating, cheating = self._blind()
        return f"{earned}; always collaborating earns {collaborating}, always cheating {cheating}."


def _no_move(value: JSON) -> Invalid:
    return Invalid(f"move must be {' or '.join(MOVES)}, got {quoted(value)}")


def _move_of(call: Call | Invalid) -> int | Invalid:
    arguments = arguments_of(call, _TOOL)
    if isinstance(arguments, Invalid):
        return arguments
    move = arguments.get("move")
    return MOVES.index(move) if move in MOVES else _no_move(move)


def rules(game: Game) -> str:
    """The rules of a game."""
    (both, exploited), (exploiting, neither) = game.payoffs
    return f"""\
You play {game.rounds} rounds against one opponent. In each round both of you collaborate or cheat, without seeing the \
other's move. Your payoff of the round is:
- {both} if both collaborate,
- {exploited} if you collaborate and the opponent cheats,
- {exploiting} if you cheat and the opponent collaborates,
- {neither} if both cheat.

{_opponent(game)} What was played is shown to you, with your payoffs.

An answer that is no move loses the round: it pays 0, and the opponent sees nothing and waits. The game ends after \
{game.rounds} rounds; nothing ends it sooner. {_score(game)}

{HOW}
ACTION is collaborate or cheat, for example:
Answer: collaborate"""


def _opponent(game: Game) -> str:
    if game.opponents != MACHINE:
        return (
            "The opponent keeps to one strategy through all rounds. A strategy says what to do first, and what to do "
            "after the moves so far; it may also leave its moves to chance."
        )
    return (
        f"The opponent is a machine with {game.states} states, each of which it can get into, and no two of which are "
        "alike. Its state decides its move; its state and your move decide its next state. It begins every game in the "
        "same state, and leaves nothing to chance."
    )


def _score(game: Game) -> str:
    if game.rounds == game.score_rounds:
        return "Your score is the sum of your payoffs."
    return f"Your score is the sum of your payoffs, times {game.score_rounds}, divided by {game.rounds}."


FAMILY = TrustFamily()
