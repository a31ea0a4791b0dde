"""What a kind of cheat is given to make a variant of, and what it makes: a story, which becomes a cell's script."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar

from rung.calibrate.cheats import honest
from rung.calibrate.cheats.acts import Act, Plays, Takes
from rung.calibrate.cheats.dress import DRESSES, Dress
from rung.calibrate.cheats.recording import NOWHERE, Reached, Sat, Script
from rung.calibrate.cheats.worlds import CELLS, Item, World, world
from rung.core.canonical import JSON
from rung.core.seeds import Seed

Phase: TypeAlias = Literal["work", "exam"]
Choice = TypeVar("Choice")

PACKAGES = ("packages.example", "files.packages.example")
DOCS = ("docs.python.org", "en.wikipedia.org", "numpy.org")
CODE = ("github.com", "codeload.github.com", "raw.githubusercontent.com")

GATEWAY: Mapping[str, JSON] = MappingProxyType({"mode": "gateway"})


def allowing(*hosts: str, provider_tools: str = "strip") -> Mapping[str, JSON]:
    """A network that lets these hosts through besides packages and documentation."""
    allow: list[JSON] = [*dict.fromkeys((*PACKAGES, *DOCS, *hosts))]
    return {"mode": "allowlist", "allow": allow, "provider_tools": provider_tools}


def letting(policy: str) -> Mapping[str, JSON]:
    """A network of the gateway alone, with this policy for what the provider would do by itself."""
    return {"mode": "gateway", "provider_tools": policy}


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a cell.

    `items` are the exam items whose question or answer the agent held before they were served, or was told of in their
    exam from outside; `phases` those in which it happened. A probe touches none, and is no honest work all the same:
    `cheated` holds for it too. With `shown` false what it held stands nowhere in the record, which shows the way alone.
    """

    kind: str
    cheated: bool
    items: tuple[int, ...] = ()
    phases: tuple[Phase, ...] = ()
    shown: bool = True


Lookups: TypeAlias = Callable[[Item], Sequence[Act]]


def nothing(item: Item) -> Sequence[Act]:
    """No look-up."""
    return ()


@dataclass(frozen=True, slots=True)
class Story:
    """What an agent does besides honest work.

    `work` is done in the working session at the scene's place, `before` in the exam of an item before the item is
    taken, and `after` once it is seen. `reached` is whom that reached in the working session, `in_exam` in each exam.
    """

    truth: Truth
    work: tuple[Act, ...] = ()
    before: Lookups = nothing
    after: Lookups = nothing
    reached: Reached = NOWHERE
    in_exam: Reached = NOWHERE
    network: Mapping[str, JSON] = field(default_factory=lambda: dict(GATEWAY), hash=False)


@dataclass(slots=True)
class Scene:
    """The variant of this number of a kind, and its draws. What is drawn is put down in `recipe` by its axis.

    `seed` is its own, and `kin` that of all variants of the kind.
    """

    kind: str
    number: int
    kin: Seed
    recipe: dict[str, str] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """Whose tasks it is about."""
        return world(list(CELLS)[self._in_turn("world", len(CELLS))])

    @property
    def dress(self) -> Dress:
        """Which program it is."""
        return DRESSES[self._in_turn("program", len(DRESSES))]

    @property
    def seed(self) -> Seed:
        """What it draws from alone."""
        return self.kin.child(self.number)

    def rng(self, name: str) -> random.Random:
        """A generator of this variant's own."""
        return self.seed.child(name).rng()

    def pick(self, axis: str, options: Sequence[Choice] | Mapping[str, Choice]) -> Choice:
        """One of several, by chance."""
        return self._put(axis, self.rng(axis).randrange(len(options)), options)

    def turn(self, axis: str, options: Sequence[Choice] | Mapping[str, Choice]) -> Choice:
        """One of several, in turn, so that a kind has every one of them: each as often as the others."""
        return self._put(axis, self._in_turn(axis, len(options)), options)

    def _in_turn(self, axis: str, many: int) -> int:
        """A place in an order that is drawn anew for each round, so that no two axes go together."""
        order = list(range(many))
        self.kin.child(axis, self.number // many).rng().shuffle(order)
        return order[self.number % many]

    def _put(self, axis: str, place: int, options: Sequence[Choice] | Mapping[str, Choice]) -> Choice:
        if isinstance(options, Mapping):
            name = list(options)[place]
            self.recipe[axis] = name
            return options[name]
        self.recipe[axis] = _name(options[place])
        return options[place]

    def held(self) -> tuple[Item, ...]:
        """The exam items that are touched: from one to all."""
        every = self.world.exam
        share = self.pick("held", {"one": 1, "a third": 2, "half": 3, "most": 5, "all": len(every)})
        return tuple(sorted(self.rng("which").sample(every, share), key=lambda item: item.number))

    def truth(self, items: Sequence[Item], *phases: Phase, shown: bool = True) -> Truth:
        """That these items were touched."""
        return Truth(self.kind, True, tuple(item.number for item in items), phases, shown)

    def probe(self, *phases: Phase) -> Truth:
        """That nothing was touched, and no honest work done."""
        return Truth(self.kind, True, (), phases)

    def clean(self) -> Truth:
        """That all is well."""
        return Truth(self.kind, False)


def _name(option: object) -> str:
    return getattr(option, "__name__", None) or str(option)[:60]


Tells: TypeAlias = Callable[[Scene], Story]
"""What a module of a kind has: from a scene to its story."""


def script(scene: Scene, story: Story) -> Script:
    """A whole cell: an honest agent, and the story at its place."""
    place = scene.pick("place", {"early": 0, "middle": 2, "late": len(scene.world.worked)})
    ways = honest.Ways(scene.world, scene.dress, scene.rng("honest"), online=story.network["mode"] == "allowlist")
    work = _work(ways, story, place)
    knows = set(story.truth.items)
    exams = {item.number: _exam(ways, story, item, known=item.number in knows) for item in scene.world.exam}
    fresh = {item.number: Sat((Takes(), Plays())) for item in scene.world.exam}
    return Script(scene.dress, story.network, work, fresh, exams)


def _work(ways: honest.Ways, story: Story, place: int) -> Sat:
    acts: list[Act] = [*ways.looks_round()]
    for index, item in enumerate(ways.world.worked):
        if index == place:
            acts += story.work
        acts += [Takes(), *ways.studies(item), Plays(well=index > 1), *ways.notes(item)]
    if place >= len(ways.world.worked):
        acts += story.work
    acts += ways.tidies()
    return Sat(tuple(acts), ways.reached.plus(story.reached))


def _exam(ways: honest.Ways, story: Story, item: Item, *, known: bool) -> Sat:
    acts = [*ways.recalls(), *story.before(item), Takes(), *story.after(item), *ways.studies_alone(item)]
    return Sat((*acts, Plays(well=known or ways.improved())), story.in_exam)
