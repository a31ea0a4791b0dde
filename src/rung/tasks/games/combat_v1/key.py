"""What only the instrument knows of Combat: which chains are good, when two are the same, and who plays how."""

import re
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Actor
from rung.core.values import Action, Call, Reference, Task, View
from rung.tasks.games._references import Solved, kept_or
from rung.tasks.games.combat_v1.cards import Card
from rung.tasks.games.combat_v1.chain import Chain, Run
from rung.tasks.games.combat_v1.solver import Move, best_line, proven

SOLVER = "combat-exact-1"


@dataclass(frozen=True, slots=True)
class Prepared:
    """Makes moves that were chosen beforehand, one for each step of the chain."""

    moves: Sequence[Move]

    async def act(self, view: View) -> Action:
        """The move for the step in view; past the last one, a combat without a card."""
        found = re.match(r"Step ([0-9]+) of", view.text)
        step = int(found[1]) - 1 if found else len(self.moves)
        move: Move = self.moves[step] if step < len(self.moves) else {"plays": {}}
        return Action(Call("fight" if "plays" in move else "shop", move))


@dataclass(frozen=True, slots=True)
class CombatKey:
    """The key of Combat."""

    def admit(self, task: Task) -> bool:
        """The beam beats the boss."""
        return best_line(Chain.of(task)).won

    def fingerprint(self, task: Task) -> str:
        """Terms, first deck, enemies, offers and first hands; order does not matter where it does not in play.

        Later hands depend on what is bought. Chains with all of the first hands in common are the same draw.
        """
        chain = Chain.of(task)
        hands = [_spelt(hand) for hand in chain.hands(0, chain.deck)]
        enemies: list[JSON] = [asdict(enemy) for enemy in chain.enemies]
        offers = [_spelt(offer) for offer in chain.offers]
        return fingerprint(["combat", asdict(chain.terms), _spelt(chain.deck), enemies, offers, hands])

    def reference(self, task: Task) -> Reference:
        """The best line's objective over the beam's; `optimal` where every purchase that could do better was tried."""
        return kept_or(self.solve, task, solver=SOLVER).reference(SOLVER)

    def solve(self, task: Task) -> Solved:
        """What the search over all purchases finds, whatever is kept."""
        chain = Chain.of(task)
        proof = proven(chain)
        return Solved(proof.line.objective, best_line(chain).objective, proof.most)

    def naive(self, task: Task) -> Actor:
        """Hits as hard as it can, never defends, and buys nothing."""
        return Prepared(_attacking(Run.begin(Chain.of(task))))

    def solver(self, task: Task) -> Actor:
        """Plays the best line."""
        return Prepared(proven(Chain.of(task)).line.moves)


def _spelt(cards: Sequence[Card]) -> JSON:
    return [list(astuple(card)) for card in sorted(cards)]


def _attacking(run: Run) -> Sequence[Move]:
    moves = list[Move]()
    while not run.over:
        if run.shopping:
            moves.append({"buy": [], "heal": False})
            run.trade((), heal=False)
        else:
            plays: dict[str, JSON] = {str(n): _hardest(run, hand) for n, hand in enumerate(run.hands, 1)}
            moves.append({"plays": plays})
            run.fight(plays)
    return moves


def _hardest(run: Run, hand: Sequence[Card]) -> JSON:
    """The cards with most damage, one after the other, as far as the energy goes."""
    energy, names = run.chain.terms.energy, list[JSON]()
    for card in sorted(hand, key=lambda card: (-card.damage, card.name)):
        if card.damage > 0 and card.cost <= energy:
            energy -= card.cost
            names.append(card.name)
    return names


KEY = CombatKey()
