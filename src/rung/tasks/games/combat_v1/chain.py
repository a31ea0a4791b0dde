"""A chain of combats and shops: what is met in it, in which order cards come, and where a run through it stands.

Enemies, offers and hands are hidden until they are met, so they are derived from the task's seed and are not in its
payload. Nothing that is drawn depends on what was played; hands depend on the deck, and so on what was bought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import cast

from rung.core.canonical import JSON
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.tasks.games.combat_v1.cards import BOSSES, ENEMIES, Card, Enemy
from rung.tasks.games.combat_v1.engine import Fight, Terms, Trade, fight, trade

OFFERS = 3


@dataclass(frozen=True)
class Chain:
    """An instance: its terms, the first deck, the enemies with the boss at the end, and the offers of each shop."""

    seed: str
    terms: Terms
    deck: tuple[Card, ...]
    enemies: tuple[Enemy, ...]
    offers: tuple[tuple[Card, ...], ...]

    @classmethod
    def of(cls, task: Task) -> "Chain":
        """The chain of a task: what its payload tells, and what its seed hides."""
        payload, seed = task.payload, Seed(task.seed)
        cards = [Card(**card) for card in cast(Sequence[Mapping[str, int]], payload["cards"])]  # type: ignore[arg-type]
        by_name = {card.name: card for card in cards}
        numbers = {term.name: payload[term.name] for term in fields(Terms)}
        deck = [by_name[name] for name in cast(Sequence[str], payload["deck"])]
        *tiers, last = cast(Sequence[int], payload["tiers"])
        return cls(
            task.seed,
            Terms(**numbers),  # type: ignore[arg-type]
            tuple(sorted(deck)),
            (*(_enemy(seed, i, tier) for i, tier in enumerate(tiers, 1)), BOSSES[last - 1]),
            tuple(_offers(seed, i, cards, min(last, tier + 1)) for i, tier in enumerate(tiers, 1)),
        )

    @cached_property
    def steps(self) -> int:
        """How many combats and shops there are; combats have the even indices."""
        return len(self.enemies) + len(self.offers)

    def hands(self, step: int, deck: Sequence[Card]) -> tuple[tuple[Card, ...], ...]:
        """The hands of a combat, turn by turn, for a deck in any order."""
        return _hands(self.seed, step, tuple(sorted(deck)), self.terms.hand, self.terms.turns)


def _enemy(seed: Seed, which: int, tier: int) -> Enemy:
    return seed.child("enemy", which).rng().choice([enemy for enemy in ENEMIES if enemy.tier == tier])


def _offers(seed: Seed, which: int, cards: Sequence[Card], tier: int) -> tuple[Card, ...]:
    """One card of the tier, and two others at or below it."""
    rng = seed.child("offers", which).rng()
    first = rng.choice([card for card in cards if card.tier == tier])
    others = rng.sample([card for card in cards if card.tier <= tier and card != first], OFFERS - 1)
    return tuple(sorted((first, *others)))


@lru_cache(maxsize=4096)
def _hands(seed: str, step: int, deck: tuple[Card, ...], size: int, turns: int) -> tuple[tuple[Card, ...], ...]:
    """Whole hands are discarded whatever was played, so that they can be known before.

    When the pile runs out in the middle of a hand, what was discarded before is shuffled, and not this hand's cards.
    """
    rng = Seed(seed).child("hands", step, *(card.name for card in deck)).rng()
    pile, discard, hands = list(deck), list[Card](), list[tuple[Card, ...]]()
    rng.shuffle(pile)
    for _ in range(turns):
        hand = [pile.pop() for _ in range(min(size, len(pile)))]
        if len(hand) < size:
            pile, discard = discard, []
            rng.shuffle(pile)
            hand += [pile.pop() for _ in range(min(size - len(hand), len(pile)))]
        discard += hand
        hands.append(tuple(sorted(hand)))
    return tuple(hands)


@dataclass(slots=True)
class Run:
    """A player on the way through a chain."""

    chain: Chain
    hp: int
    gold: int
    deck: tuple[Card, ...]
    step: int = 0
    defeated: int = 0
    lost: bool = False
    skipped: int = 0

    @classmethod
    def begin(cls, chain: Chain) -> "Run":
        """The player before the first combat."""
        return cls(chain, chain.terms.hp, chain.terms.gold, chain.deck)

    @property
    def over(self) -> bool:
        """Whether a combat was lost or the chain is done."""
        return self.lost or self.step == self.chain.steps

    @property
    def won(self) -> bool:
        """Whether the boss was beaten."""
        return self.defeated == len(self.chain.enemies)

    @property
    def shopping(self) -> bool:
        """Whether the step is a shop."""
        return self.step % 2 == 1

    @property
    def enemy(self) -> Enemy:
        """The enemy of this combat."""
        return self.chain.enemies[self.step // 2]

    @property
    def offers(self) -> tuple[Card, ...]:
        """The cards on offer in this shop."""
        return self.chain.offers[self.step // 2]

    @property
    def hands(self) -> tuple[tuple[Card, ...], ...]:
        """The hands of this combat."""
        return self.chain.hands(self.step, self.deck)

    @property
    def objective(self) -> float:
        """Points for the enemies defeated; with the boss among them, for health and gold too."""
        terms = self.chain.terms
        spared = self.hp + terms.gold_points * self.gold if self.won else 0.0
        return terms.enemy_points * self.defeated + spared

    def fight(self, plays: Mapping[str, JSON]) -> Fight:
        """Play this combat and, if it is won, go on."""
        seen = fight(self.chain.terms, self.enemy, self.hands, self.hp, plays)
        self.hp, self.lost = seen.hp, not seen.won
        self.skipped += seen.skipped
        if seen.won:
            self.gold += self.enemy.gold
            self.defeated += 1
        self.step += 1
        return seen

    def trade(self, buy: Sequence[JSON], *, heal: bool) -> Trade:
        """Buy and heal in this shop, and go on."""
        seen = trade(self.chain.terms, self.offers, (self.hp, self.gold), buy, heal=heal)
        self.hp, self.gold = seen.hp, seen.gold
        self.deck = (*self.deck, *seen.bought)
        self.skipped += seen.skipped
        self.step += 1
        return seen
