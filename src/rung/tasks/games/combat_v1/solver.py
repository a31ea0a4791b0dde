"""The line of play whose objective every Combat score is divided by, for ever; and how much better a line can be.

Two levels, as in the paper. A combat is solved exactly: hands and intents do not depend on play, so all that matters
of the past is the enemy's health and the damage taken, and the least damage does not depend on the health one comes
with. A chain is searched with a beam over what shops allow. It looks ahead: it knows hands and enemies that an agent
will only see when it has paid.

This is no secret of the key: the score's divisor is a constant of the instance. Nothing of it is shown to agents.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from rung.core.canonical import JSON
from rung.tasks.games.combat_v1.cards import Card, Enemy
from rung.tasks.games.combat_v1.chain import Chain
from rung.tasks.games.combat_v1.engine import Terms

WIDTH = 96
GOLD = 0.25  # what a partial run's gold and the mean card of its deck are worth beside its health
CARD = 12.0
FRONT = 4096  # partial runs that a proof follows at once before it gives up

Move: TypeAlias = Mapping[str, JSON]
Deck: TypeAlias = tuple[Card, ...]
Hand: TypeAlias = tuple[Card, ...]


class Option(NamedTuple):
    """Some cards of a hand that the energy suffices for: their damage, their block, their names."""

    damage: int
    block: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Duel:
    """A way to win a combat: the least damage it can cost, in as few turns as that allows."""

    damage: int
    turns: int
    plays: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of play through a chain, in the form agents use, and its objective; `won` with the boss beaten."""

    moves: tuple[Move, ...]
    objective: float
    won: bool


@lru_cache(maxsize=65536)
def options(hand: Hand, energy: int) -> tuple[Option, ...]:
    """What a hand can do, without what another option does at least as well; most damage first."""
    found = [
        Option(sum(c.damage for c in cards), sum(c.block for c in cards), tuple(c.name for c in cards))
        for size in range(len(hand) + 1)
        for cards in combinations(hand, size)
        if sum(card.cost for card in cards) <= energy
    ]
    kept = list[Option]()
    for option in sorted(found, key=lambda o: (-o.damage, -o.block, len(o.names), o.names)):
        if not kept or option.block > kept[-1].block:
            kept.append(option)
    return tuple(kept)


class _Node(NamedTuple):
    """A state in a combat: the enemy's health, the damage taken, and how it came about."""

    foe: int
    taken: int
    names: tuple[str, ...]
    before: "_Node | None"


def duel(terms: Terms, enemy: Enemy, hands: Sequence[Hand]) -> Duel | None:
    """The best way to win a combat; None where it cannot be won at full health."""
    front, least, best = [_Node(enemy.hp, 0, (), None)], terms.hp, None
    shield = 0
    for turn in range(1, terms.turns + 1):
        attack, raised = enemy.intent(turn)
        reached = dict[int, _Node]()
        choices = _effects(options(hands[turn - 1], terms.energy), shield, attack)
        for node in front:
            for hit, hurt, names in choices:
                foe, taken = node.foe - hit, node.taken + (hurt if hit < node.foe else 0)
                if taken >= least:
                    continue
                if foe <= 0:
                    least, best = taken, Duel(taken, turn, (*_plays(node), names))
                elif foe not in reached or taken < reached[foe].taken:
                    reached[foe] = _Node(foe, taken, names, node)
        front, shield = _undominated(reached, least), raised
    return best


def _effects(found: Iterable[Option], shield: int, attack: int) -> list[tuple[int, int, tuple[str, ...]]]:
    """What options do against a shield and an attack: health it costs the enemy, health it costs the player."""
    kept = list[tuple[int, int, tuple[str, ...]]]()
    for damage, block, names in found:
        hit, hurt = max(0, damage - shield), max(0, attack - block)
        if not kept or hurt < kept[-1][1]:
            kept.append((hit, hurt, names))
    return kept


def _undominated(reached: Mapping[int, _Node], least: int) -> list[_Node]:
    kept, taken = list[_Node](), least
    for foe in sorted(reached):
        if reached[foe].taken < taken:
            kept.append(reached[foe])
            taken = reached[foe].taken
    return kept


def _plays(node: _Node | None) -> tuple[tuple[str, ...], ...]:
    plays = list[tuple[str, ...]]()
    while node is not None and node.before is not None:
        plays.append(node.names)
        node = node.before
    return tuple(reversed(plays))


class _Past(NamedTuple):
    """The last move of a partial run, and those before it."""

    move: Move
    before: "_Past | None"


class _State(NamedTuple):
    """A partial run: health, gold, deck in order, and how it came about."""

    hp: int
    gold: int
    deck: Deck
    past: _Past | None

    @property
    def rank(self) -> float:
        strength = sum(card.damage + card.block for card in self.deck) / len(self.deck)
        return self.hp + GOLD * self.gold + CARD * strength


@lru_cache(maxsize=4096)
def best_line(chain: Chain) -> Line:
    """The best line of play that the beam finds; where no line beats the boss, one that gets as far as any."""
    terms = chain.terms
    front = [_State(terms.hp, terms.gold, chain.deck, None)]
    for step in range(chain.steps):
        after = _shopped(chain, step, front) if step % 2 else _fought(chain, step, front)
        if not after:
            return Line(_moves(front[0]), float(terms.enemy_points * (step // 2)), won=False)
        front = _beam(after)
    best = max(front, key=lambda state: state.hp + terms.gold_points * state.gold)
    objective = terms.enemy_points * len(chain.enemies) + best.hp + terms.gold_points * best.gold
    return Line(_moves(best), objective, won=True)


@dataclass(frozen=True, slots=True)
class Proof:
    """The best line known, and what is proven: no line has an objective above `most`; None where nothing is proven."""

    line: Line
    most: float | None


@lru_cache(maxsize=4096)
def proven(chain: Chain) -> Proof:
    """Try to beat the beam's line: follow every purchase that could still do better, and no other.

    A fight costs the least damage, and more health and gold are never worse, so of runs with one deck only those count
    that have more of one. What a partial run can reach at most is `_most`; it is dropped if that is no more than the
    beam has. When none is left, the beam's line is the best there is. When there are too many, the most that any of
    them could reach is proven.
    """
    line = best_line(chain)
    if not line.won:
        return Proof(line, None)
    front = [_State(chain.terms.hp, chain.terms.gold, chain.deck, None)]
    for step in range(chain.steps):
        after = _shopped(chain, step, front) if step % 2 else _fought(chain, step, front)
        better = [state for state in after if _most(chain, step, state) > line.objective]
        front = _distinct(sorted(better, key=lambda state: (-state.hp, -state.gold)))
        if len(front) > FRONT:
            return Proof(line, max(_most(chain, step, state) for state in front))
    best = max(front, key=lambda state: _most(chain, chain.steps, state), default=None)
    if best is not None:
        line = Line(_moves(best), _most(chain, chain.steps, best), won=True)
    return Proof(line, line.objective)


def _most(chain: Chain, step: int, state: _State) -> float:
    """The objective of a run that wins what is left after a step unhurt, buys no card, and heals where that pays.

    At most one heal a shop, and health that is full cannot rise. After the last step this is the objective itself.
    """
    terms = chain.terms
    fights, shops = chain.enemies[step // 2 + 1 :], len(chain.offers) - (step + 1) // 2
    gold = state.gold + sum(enemy.gold for enemy in fights)
    return terms.enemy_points * len(chain.enemies) + max(
        min(terms.hp, state.hp + heals * terms.heal_hp) + terms.gold_points * (gold - heals * terms.heal_price)
        for heals in range(max(0, shops) + 1)
    )


def _fought(chain: Chain, step: int, front: Iterable[_State]) -> list[_State]:
    enemy, known = chain.enemies[step // 2], dict[Deck, Duel | None]()
    after = list[_State]()
    for state in front:
        if state.deck not in known:
            known[state.deck] = duel(chain.terms, enemy, chain.hands(step, state.deck))
        won = known[state.deck]
        if won is not None and won.damage < state.hp:
            after.append(
                _State(state.hp - won.damage, state.gold + enemy.gold, state.deck, _Past(_fight(won), state.past))
            )
    return after


def _fight(won: Duel) -> Move:
    return {"plays": {str(turn): list(names) for turn, names in enumerate(won.plays, 1) if names}}


def _shopped(chain: Chain, step: int, front: Iterable[_State]) -> list[_State]:
    offers = chain.offers[step // 2]
    return [after for state in front for after in _bought(chain.terms, offers, state)]


def _bought(terms: Terms, offers: Sequence[Card], state: _State) -> Iterator[_State]:
    for size in range(len(offers) + 1):
        for cards in combinations(offers, size):
            gold = state.gold - sum(card.price for card in cards)
            deck = tuple(sorted((*state.deck, *cards)))
            names: list[JSON] = [card.name for card in cards]
            if gold >= 0:
                yield _State(state.hp, gold, deck, _Past({"buy": names, "heal": False}, state.past))
            if gold >= terms.heal_price and state.hp < terms.hp:
                hp = min(terms.hp, state.hp + terms.heal_hp)
                yield _State(hp, gold - terms.heal_price, deck, _Past({"buy": names, "heal": True}, state.past))


def _beam(states: Iterable[_State]) -> list[_State]:
    """The highest in rank; of those with one deck only what has more health or more gold than the rest."""
    return _distinct(sorted(states, key=lambda state: (-state.rank, state.deck, -state.hp)), limit=WIDTH)


def _distinct(states: Iterable[_State], limit: int | None = None) -> list[_State]:
    """States in order, without those that a state before them with the same deck matches in health and gold."""
    kept, by_deck = list[_State](), dict[Deck, list[_State]]()
    for state in states:
        same = by_deck.setdefault(state.deck, [])
        if not any(other.hp >= state.hp and other.gold >= state.gold for other in same):
            same.append(state)
            kept.append(state)
        if len(kept) == limit:
            break
    return kept


def _moves(state: _State) -> tuple[Move, ...]:
    moves, past = list[Move](), state.past
    while past is not None:
        moves.append(past.move)
        past = past.before
    return tuple(reversed(moves))
