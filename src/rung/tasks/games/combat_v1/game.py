"""Combat, from SelfImprove-Bench, Appendix B.1: a chain of fights and shops with one deck, one health and one purse.

A fight is planned in one call, with every hand and the enemy's intents in sight; a shop is one call too. What comes
later is hidden but for its tier. The score is the objective over that of a beam search. Cards, enemies, weights and
details are ours.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Episode, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.games._answers import last_object, quoted
from rung.tasks.games._difficulty import difficulty_of
from rung.tasks.games.combat_v1.cards import BOSSES, CARDS, ENEMIES, START, TIERS, Card
from rung.tasks.games.combat_v1.chain import OFFERS, Chain, Run
from rung.tasks.games.combat_v1.engine import Fight, Terms, Trade
from rung.tasks.games.combat_v1.solver import CARD, GOLD, WIDTH, best_line

# The player's numbers are the paper's; heal and weights are ours.
TERMS = Terms(
    hp=80, gold=120, energy=3, hand=5, turns=15, heal_price=30, heal_hp=20, enemy_points=20, gold_points=0.5
)  # fmt: skip
_CATALOG: Sequence[Mapping[str, JSON]] = [asdict(thing) for thing in (*CARDS, *ENEMIES, *BOSSES)]
CONSTANTS = fingerprint(["combat", 1, asdict(TERMS), OFFERS, WIDTH, GOLD, CARD, list(START), list(_CATALOG)])
TOLD = 5  # so many ignored entries are described in a reply, and more in the feedback

_NAMES: JSON = {"type": "array", "items": {"type": "string"}}
FIGHT = Tool(
    "fight",
    "Play the whole combat: the cards for each turn.",
    {
        "type": "object",
        "properties": {"plays": {"type": "object", "additionalProperties": _NAMES}},
        "required": ["plays"],
        "additionalProperties": False,
    },
)
SHOP = Tool(
    "shop",
    "Buy any of the offered cards, and heal once; then leave the shop.",
    {
        "type": "object",
        "properties": {"buy": _NAMES, "heal": {"type": "boolean"}},
        "required": [],
        "additionalProperties": False,
    },
)
_KEYS = {"plays": FIGHT, "buy": SHOP, "heal": SHOP}


@dataclass(frozen=True, slots=True)
class CombatFamily:
    """Combat as a family: planning where health, gold and deck tie the steps together."""

    id: str = "combat-v1"
    capability: str = "planning"
    scale: Scale = Scale("objective / beam objective", low=0.0, high=None)  # noqa: RUF009 (frozen)
    replayable: bool = True

    def settings(self) -> Sequence[Setting]:
        """The paper's five difficulties."""
        return [self.setting(f"d{n}") for n in range(1, 6)]

    def setting(self, name: str) -> Setting:
        """Difficulty d: enemies of tier 1 to d and a boss of tier d (the paper's); beyond d5 more enemies of tier 5.

        >>> FAMILY.setting("d3").params["tiers"], FAMILY.setting("d7").params["tiers"]
        ([1, 2, 3, 3], [1, 2, 3, 4, 5, 5, 5, 5])
        """
        d = difficulty_of(self.id, name)
        tiers: list[JSON] = [min(tier, TIERS) for tier in (*range(1, d + 1), d)]
        return Setting(name, {**asdict(TERMS), "tiers": tiers})

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Add a card of each tier to the first deck. Enemies, offers and hands follow from the seed, step by step."""
        tiers = cast(Sequence[int], setting.params["tiers"])
        cards = [card for card in CARDS if card.tier <= tiers[-1]]
        added = [_card_of(cards, tier, seed) for tier in range(2, tiers[-1] + 1)]
        payload: Mapping[str, JSON] = {
            **setting.params,
            "deck": [*START, *added],
            "cards": [asdict(card) for card in cards],
        }
        return Task(self.id, setting, seed.path, payload, CONSTANTS, calls=2 * len(tiers) - 1)

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them."""
        return rules(task.payload)

    def parse(self, text: str) -> Call | Invalid:
        """The last JSON object with `plays`, or with `buy` or `heal`."""
        for key in sorted(_KEYS, key=lambda key: text.rfind(f'"{key}"'), reverse=True):
            found = last_object(text, key)
            if not isinstance(found, Invalid):
                tool = _KEYS[key]
                names = [name for name, other in _KEYS.items() if other == tool and name in found]
                return Call(tool.name, {name: found[name] for name in names})
        return Invalid('no JSON object with "plays", "buy" or "heal" found in the answer')

    def tools(self, setting: Setting) -> Sequence[Tool]:
        """Both, though a view shows the one whose turn it is (see `rung.core.ports.Tooled`)."""
        return (FIGHT, SHOP)

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode."""
        return CombatEpisode(task, Run.begin(Chain.of(task)))


def _card_of(cards: Iterable[Card], tier: int, seed: Seed) -> str:
    return seed.child("deck", tier).rng().choice([card.name for card in cards if card.tier == tier])


@dataclass(slots=True)
class CombatEpisode:
    """One chain being worked: a call for each combat and each shop."""

    task: Task
    run: Run
    invalid: int = 0
    reply: str = ""
    report: list[str] = field(default_factory=list)

    def over(self) -> bool:
        """Whether a combat was lost or the chain is done."""
        return self.run.over

    def view(self) -> View:
        """What is known at this step."""
        run, told = self.run, FAMILY.rules(self.task)
        if self.over():
            return View("The task is over.", rules=told, reply=self.reply)
        text, tool = (_shop(run), SHOP) if run.shopping else (_combat(run), FIGHT)
        return View(text, tools=(tool,), rules=told, reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Take one step of the chain. What is no answer to it plays no card and buys nothing."""
        if self.over():
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        orders = _orders_of(call, SHOP if self.run.shopping else FIGHT)
        nothing = isinstance(orders, Invalid)
        self.invalid += nothing
        meant = {} if isinstance(orders, Invalid) else orders
        if self.run.shopping:
            score = None
            self._shop(meant)
        else:
            score = self._fight(meant)
        if isinstance(orders, Invalid):
            self.reply = orders.reason
        if not self.over():
            return Reply(self.reply, invalid=nothing, score=score, feedback=self.report[-1])
        self.reply += " The task is over."
        return Reply(
            self.reply, done=True, invalid=nothing, score=score, success=self.run.won, feedback=self._feedback()
        )

    async def evaluate(self) -> Evaluation:
        """The objective over the beam's; success is to beat the boss."""
        run, reference = self.run, best_line(self.run.chain).objective
        return Evaluation(
            "completed" if self.over() else "cancelled",
            success=run.won,
            score=run.objective / reference if reference > 0 else 0.0,
            metrics={
                "objective": run.objective,
                "reference_objective": reference,
                "defeated": run.defeated,
                "hp": run.hp,
                "gold": run.gold,
                "violations": run.skipped,
                "invalid_actions": self.invalid,
            },
            feedback=self._feedback(),
        )

    def _fight(self, orders: Mapping[str, JSON]) -> float:
        run, enemy, before = self.run, self.run.enemy, self.run.hp
        seen = run.fight(cast(Mapping[str, JSON], orders.get("plays", {})))
        end = "won" if seen.won else "lost"
        head = f"Combat against {enemy.name}: {end} in turn {seen.turns}, {before - seen.hp} HP lost."
        self._tell("The combat was played.", head, seen)
        return float(run.chain.terms.enemy_points * seen.won)

    def _shop(self, orders: Mapping[str, JSON]) -> None:
        seen = self.run.trade(cast(Sequence[JSON], orders.get("buy", [])), heal=orders.get("heal") is True)
        bought = ", ".join(card.name for card in seen.bought) or "nothing"
        head = f"Shop: bought {bought}, {'healed' if seen.healed else 'not healed'}."
        self._tell(head, head, seen)

    def _tell(self, said: str, head: str, seen: Fight | Trade) -> None:
        self.reply = " ".join((said, *_ignored(seen, TOLD)))
        self.report.append(" ".join((head, *_ignored(seen, len(seen.notes)))))

    def _feedback(self) -> str:
        run, reference = self.run, best_line(self.run.chain).objective
        return (
            f"The objective is {run.objective:g}; the reference line's is {reference:g}. Enemies defeated: "
            f"{run.defeated} of {len(run.chain.enemies)}. HP {run.hp}, gold {run.gold}. {' '.join(self.report)}"
        ).rstrip()


def _ignored(seen: Fight | Trade, most: int) -> Sequence[str]:
    if not seen.skipped:
        return ()
    return (f"Entries ignored: {seen.skipped}.", *(f"Ignored: {note}." for note in seen.notes[:most]))


def _orders_of(call: Call | Invalid, tool: Tool) -> Mapping[str, JSON] | Invalid:
    if isinstance(call, Invalid):
        return call
    if call.tool != tool.name:
        return Invalid(f"the tool of this step is {tool.name}, got {quoted(call.tool)}")
    return _plays_of(call) if tool is FIGHT else _purchases_of(call)


def _plays_of(call: Call) -> Mapping[str, JSON] | Invalid:
    plays = call.arguments.get("plays")
    if not isinstance(plays, Mapping):
        return Invalid(f"plays must be an object from turn to cards, got {quoted(plays)}")
    return {"plays": plays}


def _purchases_of(call: Call) -> Mapping[str, JSON] | Invalid:
    buy, heal = call.arguments.get("buy", []), call.arguments.get("heal", False)
    if not isinstance(buy, list | tuple):
        return Invalid(f"buy must be a list of cards, got {quoted(buy)}")
    if not isinstance(heal, bool):
        return Invalid(f"heal must be true or false, got {quoted(heal)}")
    return {"buy": list(buy), "heal": heal}


# --------------------------------------------------------------------------------------------- what an agent reads


def _combat(run: Run) -> str:
    enemy, terms = run.enemy, run.chain.terms
    intents = ", ".join(f"attack {attack} block {block}" for attack, block in enemy.intents)
    hands = [f"turn {turn:>2}: {_counted(hand)}" for turn, hand in enumerate(run.hands, 1)]
    return "\n".join((
        f"{_where(run)}: combat {run.step // 2 + 1} of {len(run.chain.enemies)}.",
        f"HP {run.hp} of {terms.hp}, gold {run.gold}.",
        f"{_role(run)} {enemy.name} (tier {enemy.tier}): HP {enemy.hp}, leaves {enemy.gold} gold.",
        f"Its intents from turn 1 on, repeated: {intents}.",
        "Your deck:",
        *_deck(run.deck),
        "Your hands:",
        *hands,
    ))  # fmt: skip


def _role(run: Run) -> str:
    return "Boss" if run.enemy is run.chain.enemies[-1] else "Enemy"


def _shop(run: Run) -> str:
    terms, ahead = run.chain.terms, run.chain.enemies[run.step // 2 + 1 :]
    tiers = ", ".join(str(enemy.tier) for enemy in ahead)
    return "\n".join((
        f"{_where(run)}: shop {run.step // 2 + 1} of {len(run.chain.offers)}.",
        f"HP {run.hp} of {terms.hp}, gold {run.gold}.",
        f"Still to fight, by tier: {tiers}. The last is the boss.",
        "Your deck:",
        *_deck(run.deck),
        "On offer:",
        _line("price", "card", "cost", "damage", "block"),
        *(_line(card.price, card.name, card.cost, card.damage, card.block) for card in run.offers),
        f"Heal: {terms.heal_price} gold for {terms.heal_hp} HP.",
    ))  # fmt: skip


def _where(run: Run) -> str:
    return f"Step {run.step + 1} of {run.chain.steps}"


def _line(*cells: object) -> str:
    return f"{cells[0]!s:>5}  {cells[1]!s:<14}" + "".join(f"{cell!s:>8}" for cell in cells[2:])


def _deck(deck: Sequence[Card]) -> Iterable[str]:
    yield _line("count", "card", "cost", "damage", "block")
    for card, count in sorted(Counter(deck).items()):
        yield _line(count, card.name, card.cost, card.damage, card.block)


def _counted(hand: Sequence[Card]) -> str:
    counts = sorted(Counter(card.name for card in hand).items())
    return ", ".join(name if count == 1 else f"{name} x{count}" for name, count in counts)


def rules(payload: Mapping[str, JSON]) -> str:
    """The rules of a chain, with every number from the task's payload."""
    tiers = cast(Sequence[int], payload["tiers"])
    combats, shops = len(tiers), len(tiers) - 1
    return f"""\
You fight {combats} combats in a row; the last is against a boss. Between two combats is a shop ({shops} in all). \
Health (HP), gold and your deck of cards carry over from step to step. You begin with {payload["hp"]} HP, which is \
also the most you can have, and {payload["gold"]} gold. A lost combat ends the task.

You answer each step once: a combat with all the cards you want to play in it, a shop with what you buy.

Combat. It has at most {payload["turns"]} turns. Each turn you hold the hand shown for it, up to {payload["hand"]} \
cards, and have {payload["energy"]} energy. Each card costs energy, and can be played as often as it is in that turn's \
hand. The whole hand is discarded at the end of the turn, whatever you played, so your play does not change later hands.
- First you act. Your block starts at zero. Your cards take effect in the order you list them: damage goes to the \
enemy's block first, then to its HP; block is added to yours.
- If the enemy has no HP left, you win at once and get its gold.
- Otherwise it acts. Its old block is gone, it raises the block of this turn's intent, which lasts through your next \
turn, and it attacks. You lose HP by as much as the attack exceeds your block.
- If you have no HP left, or the enemy stands after turn {payload["turns"]}, the combat is lost.
Its intents repeat in the order shown.

Shop. Each offered card can be bought once and joins your deck. You can also heal once: {payload["heal_price"]} gold \
for {payload["heal_hp"]} HP, up to {payload["hp"]}. Purchases are made in the order you list them, and the heal comes \
last.

Your objective is {payload["enemy_points"]} for every enemy defeated, the boss included; and if the boss is defeated, \
also your HP and {payload["gold_points"]} for each gold left. Your score is your objective divided by that of a \
reference line of play.

Answer a combat with one JSON object: {{"plays": {{TURN: [CARD, ...]}}}}. TURN is "1" to "{payload["turns"]}"; leave \
out turns in which you play nothing. A card that is not in that hand, or that costs more energy than is left, is \
ignored, and the rest is played. Answer a shop with one JSON object: {{"buy": [CARD, ...], "heal": true or false}}. \
What is not on offer, or costs more gold than is left, is ignored. An answer without such an object plays no card and \
buys nothing, and the step is over.

Examples, with cards of another game:
{{"plays": {{"1": ["Poke", "Shove", "Poke"], "2": ["Duck"]}}}}
{{"buy": ["Shove"], "heal": true}}"""


FAMILY = CombatFamily()
