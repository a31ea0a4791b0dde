"""What Combat is played with: the cards, the enemies and the bosses, by tier.

The paper tells how many tiers there are and what a chain is made of, and no card or enemy; all of these are ours.
"""

from dataclasses import dataclass
from typing import TypeAlias

TIERS = 5

Intent: TypeAlias = tuple[int, int]
"""What an enemy does in a turn: the attack, and the block it raises before."""


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """What a card costs in energy, does in damage and block, and costs in gold."""

    name: str
    tier: int
    cost: int
    damage: int
    block: int
    price: int


@dataclass(frozen=True, slots=True)
class Enemy:
    """An enemy: health, the cycle of its intents from turn 1 on, and the gold it leaves."""

    name: str
    tier: int
    hp: int
    intents: tuple[Intent, ...]
    gold: int

    def intent(self, turn: int) -> Intent:
        """What it does in a turn, counted from 1.

        >>> Enemy("Moth", 1, 9, ((3, 0), (0, 2)), 5).intent(4)
        (0, 2)
        """
        return self.intents[(turn - 1) % len(self.intents)]


CARDS = (
    Card("Strike", 1, 1, 6, 0, 20),
    Card("Defend", 1, 1, 0, 5, 20),
    Card("Bash", 1, 2, 13, 0, 30),
    Card("Jab", 1, 0, 3, 0, 25),
    Card("Brace", 1, 0, 0, 3, 25),
    Card("Feint", 1, 1, 4, 3, 25),
    Card("Cleave", 2, 1, 9, 0, 35),
    Card("Guard", 2, 1, 0, 8, 35),
    Card("Riposte", 2, 1, 5, 5, 40),
    Card("Heavy Blow", 2, 2, 19, 0, 40),
    Card("Lunge", 3, 1, 12, 0, 45),
    Card("Bulwark", 3, 1, 0, 11, 45),
    Card("Parry", 3, 1, 8, 7, 50),
    Card("Quick Cut", 3, 0, 6, 0, 50),
    Card("Thunder Slash", 4, 1, 16, 0, 55),
    Card("Iron Wall", 4, 1, 0, 15, 55),
    Card("Twin Fang", 4, 2, 20, 15, 60),
    Card("Flash Guard", 4, 0, 0, 8, 60),
    Card("Dragon Strike", 5, 1, 20, 0, 65),
    Card("Aegis", 5, 1, 0, 19, 65),
    Card("Phoenix Dive", 5, 2, 28, 20, 75),
    Card("Void Cut", 5, 0, 10, 0, 70),
)
START = ("Strike",) * 5 + ("Defend",) * 4 + ("Bash",)
"""What every deck begins with; one card of each tier from 2 on is added."""

ENEMIES = (
    Enemy("Slime", 1, 34, ((8, 0), (6, 4), (11, 0)), 30),
    Enemy("Bandit", 1, 30, ((10, 0), (0, 6), (13, 0)), 30),
    Enemy("Wolf", 1, 28, ((7, 0), (7, 0), (14, 0)), 30),
    Enemy("Cultist", 2, 42, ((9, 0), (12, 0), (0, 8), (15, 0)), 35),
    Enemy("Sentry", 2, 44, ((0, 8), (13, 0), (10, 4)), 35),
    Enemy("Harpy", 2, 38, ((10, 0), (10, 0), (15, 0)), 35),
    Enemy("Ogre", 3, 56, ((0, 0), (19, 0), (11, 0)), 40),
    Enemy("Assassin", 3, 46, ((12, 0), (8, 6), (18, 0)), 40),
    Enemy("Golem", 3, 58, ((10, 6), (15, 0), (0, 10)), 40),
    Enemy("Warlock", 4, 66, ((12, 0), (16, 0), (0, 12), (21, 0)), 45),
    Enemy("Wyvern", 4, 62, ((14, 0), (9, 6), (21, 0)), 45),
    Enemy("Colossus", 4, 72, ((0, 10), (23, 0), (13, 0)), 45),
    Enemy("Lich", 5, 82, ((14, 0), (0, 14), (22, 0), (17, 0)), 50),
    Enemy("Behemoth", 5, 90, ((10, 10), (23, 0), (17, 0)), 50),
    Enemy("Seraph", 5, 76, ((17, 0), (12, 8), (24, 0)), 50),
)
BOSSES = (
    Enemy("Goblin King", 1, 58, ((9, 0), (13, 0), (6, 8), (17, 0)), 0),
    Enemy("Bone Knight", 2, 78, ((11, 0), (0, 10), (16, 0), (13, 5)), 0),
    Enemy("Troll Chieftain", 3, 98, ((12, 0), (18, 0), (8, 10), (22, 0)), 0),
    Enemy("Storm Tyrant", 4, 120, ((14, 0), (20, 0), (9, 12), (25, 0)), 0),
    Enemy("Void Dragon", 5, 142, ((16, 0), (22, 0), (10, 14), (28, 0)), 0),
)
