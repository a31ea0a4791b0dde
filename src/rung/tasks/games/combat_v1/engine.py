"""How a combat and a shop go: what cards, intents and gold do. What an agent orders is foreign, and cannot raise.

Within a turn the player acts first. Block is for one turn: the player's until its next turn begins, the enemy's from
its own deed through the player's next turn.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rung.core.canonical import JSON
from rung.tasks.games._answers import quoted
from rung.tasks.games.combat_v1.cards import Card, Enemy

NOTES = 20  # ignored entries are all counted, and so many are described


@dataclass(frozen=True, slots=True)
class Terms:
    """The numbers that hold through a chain: the player's, the heal's, and what the objective counts."""

    hp: int
    gold: int
    energy: int
    hand: int
    turns: int
    heal_price: int
    heal_hp: int
    enemy_points: int
    gold_points: float


@dataclass(frozen=True, slots=True)
class Fight:
    """What came of a combat: the player's health after it, the turns it took, and the entries that were ignored."""

    won: bool
    turns: int
    hp: int
    skipped: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trade:
    """What came of a shop: health and gold after it, what was bought, and the entries that were ignored."""

    hp: int
    gold: int
    bought: tuple[Card, ...]
    healed: bool
    skipped: int
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Ignored:
    count: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, why: str) -> None:
        self.count += 1
        if len(self.notes) < NOTES:
            self.notes.append(f"{what}: {why}")


def fight(terms: Terms, enemy: Enemy, hands: Sequence[Sequence[Card]], hp: int, plays: Mapping[str, JSON]) -> Fight:
    """Play a combat turn by turn, with the cards named for each turn."""
    combat = _Combat(terms, enemy, hp, enemy.hp)
    combat.reject_unknown_turns(plays)
    turn = 0
    while turn < terms.turns and not combat.decided:
        turn += 1
        combat.player(turn, hands[turn - 1], plays.get(str(turn), []))
        if not combat.decided:
            combat.foe(turn)
    ignored = combat.ignored
    return Fight(combat.foe_hp <= 0, turn, max(0, combat.hp), ignored.count, tuple(ignored.notes))


@dataclass(slots=True)
class _Combat:
    terms: Terms
    enemy: Enemy
    hp: int
    foe_hp: int
    block: int = 0
    foe_block: int = 0
    ignored: _Ignored = field(default_factory=_Ignored)

    @property
    def decided(self) -> bool:
        return self.hp <= 0 or self.foe_hp <= 0

    def reject_unknown_turns(self, plays: Mapping[str, JSON]) -> None:
        for turn in plays:
            known = isinstance(turn, str) and re.fullmatch(r"[1-9][0-9]{0,3}", turn)
            if not known or int(turn) > self.terms.turns:
                self.ignored.add(f"turn {quoted(turn)}", "there is no such turn")

    def player(self, turn: int, hand: Sequence[Card], names: JSON) -> None:
        """The player's half of a turn: the cards in the order named, as far as hand and energy allow."""
        self.block = 0
        if not isinstance(names, list | tuple):
            self.ignored.add(f"turn {turn}", f"must be a list of cards, got {quoted(names)}")
            return
        left, energy = Counter(hand), self.terms.energy
        by_name = {card.name: card for card in hand}
        for name in names:
            card = by_name.get(name) if isinstance(name, str) else None
            if card is None or not left[card]:
                self.ignored.add(
                    f"turn {turn} {quoted(name)}", "not in the hand" if card is None else "no more in hand"
                )
            elif card.cost > energy:
                self.ignored.add(f"turn {turn} {quoted(name)}", f"costs {card.cost}, energy left {energy}")
            else:
                left[card] -= 1
                energy -= card.cost
                self._resolve(card)

    def _resolve(self, card: Card) -> None:
        blocked = min(card.damage, self.foe_block)
        self.foe_block -= blocked
        self.foe_hp -= card.damage - blocked
        self.block += card.block

    def foe(self, turn: int) -> None:
        """The enemy's half: its old block is gone, it raises the new one, and attacks."""
        attack, self.foe_block = self.enemy.intent(turn)
        self.hp -= max(0, attack - self.block)


def trade(terms: Terms, offers: Sequence[Card], purse: tuple[int, int], buy: Sequence[JSON], *, heal: bool) -> Trade:
    """Buy in the order listed, then heal, each only if the gold left suffices. `purse` is health and gold."""
    hp, gold = purse
    ignored, bought = _Ignored(), list[Card]()
    by_name = {card.name: card for card in offers}
    for name in buy:
        card = by_name.get(name) if isinstance(name, str) else None
        if card is None or card in bought:
            ignored.add(f"buy {quoted(name)}", "not offered" if card is None else "bought already")
        elif card.price > gold:
            ignored.add(f"buy {quoted(name)}", f"costs {card.price}, gold left {gold}")
        else:
            gold -= card.price
            bought.append(card)
    healed = heal and gold >= terms.heal_price
    if healed:
        hp, gold = min(terms.hp, hp + terms.heal_hp), gold - terms.heal_price
    elif heal:
        ignored.add("heal", f"costs {terms.heal_price}, gold left {gold}")
    return Trade(hp, gold, tuple(bought), healed, ignored.count, tuple(ignored.notes))
