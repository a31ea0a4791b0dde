"""How a farm works: what a day does to cash, seeds, plots and stores.

The order within a day (buy, plant, harvest, sell) is the paper's; the details are ours (`docs/games/farm-v1.md`).
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from rung.core.canonical import JSON
from rung.tasks.games._answers import quoted

PHASES = ("buy", "plant", "harvest", "sell")
OPEN_ENDED = ("harvest", "sell")  # here "all" is a count
NOTES = 20  # skipped entries are all counted, and so many are described


@dataclass(frozen=True, slots=True)
class Crop:
    """What a seed costs, how many days it takes, how many units a plot gives, and what a unit sells for."""

    name: str
    seed: int
    days: int
    units: int
    price: int


@dataclass(frozen=True)
class Farm:
    """An instance: initial cash, plots, days, and the crops that can be had."""

    cash: int
    plots: int
    days: int
    crops: tuple[Crop, ...]

    @cached_property
    def catalog(self) -> Mapping[str, Crop]:
        """The crops by name."""
        return {crop.name: crop for crop in self.crops}

    @classmethod
    def of(cls, payload: Mapping[str, JSON]) -> "Farm":
        """The farm that a task's payload describes."""
        crops = cast(Sequence[Mapping[str, int | str]], payload["crops"])
        cash, plots, days = (cast(int, payload[name]) for name in ("cash", "plots", "days"))
        return cls(cash, plots, days, tuple(Crop(**crop) for crop in crops))  # type: ignore[arg-type]


@dataclass(slots=True)
class Field:
    """A farm on one of its days. Each deed is done entirely, or not at all with the reason returned."""

    farm: Farm
    cash: int
    free: int
    day: int = 0
    seeds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    growing: dict[int, dict[str, int]] = field(default_factory=dict)  # by the day they are ripe
    ripe: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    store: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def copy(self) -> "Field":
        """The same state, free to go its own way."""
        growing = {day: dict(plots) for day, plots in self.growing.items()}
        seeds, ripe, store = self.seeds.copy(), self.ripe.copy(), self.store.copy()
        return Field(self.farm, self.cash, self.free, self.day, seeds, growing, ripe, store)

    def dawn(self) -> None:
        """Begin the next day; what ripens on it can be harvested on it."""
        self.day += 1
        for name, plots in self.growing.pop(self.day, {}).items():
            self.ripe[name] += plots

    def buy(self, crop: Crop, count: int) -> str | None:
        """Buy seeds."""
        cost = count * crop.seed
        if cost > self.cash:
            return f"costs more than the cash of {self.cash}"
        self.cash -= cost
        self.seeds[crop.name] += count
        return None

    def plant(self, crop: Crop, count: int) -> str | None:
        """Put seeds into free plots; ripe from the harvest phase of day `today + crop.days` on."""
        if count > self.seeds[crop.name]:
            return f"seeds in stock: {self.seeds[crop.name]}"
        if count > self.free:
            return f"free plots: {self.free}"
        self.seeds[crop.name] -= count
        self.free -= count
        batch = self.growing.setdefault(self.day + crop.days, {})
        batch[crop.name] = batch.get(crop.name, 0) + count
        return None

    def harvest(self, crop: Crop, count: int | None) -> str | None:
        """Harvest so many plots, or all that are ripe; they are free again, which planting sees on the next day."""
        plots = self.ripe[crop.name] if count is None else count
        if plots > self.ripe[crop.name]:
            return f"ripe plots: {self.ripe[crop.name]}"
        self.ripe[crop.name] -= plots
        self.free += plots
        self.store[crop.name] += plots * crop.units
        return None

    def sell(self, crop: Crop, count: int | None) -> str | None:
        """Sell so many units, or all in store."""
        units = self.store[crop.name] if count is None else count
        if units > self.store[crop.name]:
            return f"units in store: {self.store[crop.name]}"
        self.store[crop.name] -= units
        self.cash += units * crop.price
        return None


@dataclass(frozen=True, slots=True)
class Season:
    """What came of a plan: the final cash, how many entries were skipped, and the first of them in words."""

    cash: int
    skipped: int
    notes: tuple[str, ...]


def first_day(farm: Farm) -> Field:
    """The farm before its first day."""
    return Field(farm, farm.cash, farm.plots)


def simulate(farm: Farm, plan: Mapping[str, JSON]) -> Season:
    """Carry out a plan, day by day; whatever in it cannot be done is skipped and noted."""
    run = _Run(first_day(farm))
    run.reject_unknown_days(plan)
    for day in range(1, farm.days + 1):
        run.land.dawn()
        if str(day) in plan:
            run.work(plan[str(day)])
    return Season(run.land.cash, run.skipped, tuple(run.notes))


@dataclass(slots=True)
class _Run:
    """Reads a plan to a field. The plan is foreign: nothing in it can raise."""

    land: Field
    skipped: int = 0
    notes: list[str] = field(default_factory=list)

    def skip(self, what: str, why: str) -> None:
        self.skipped += 1
        if len(self.notes) < NOTES:
            self.notes.append(f"{what}: {why}")

    def reject_unknown_days(self, plan: Mapping[str, JSON]) -> None:
        for day in plan:
            known = isinstance(day, str) and re.fullmatch(r"[1-9][0-9]{0,8}", day)
            if not known or int(day) > self.land.farm.days:
                self.skip(f"day {quoted(day)}", "there is no such day")

    def work(self, orders: JSON) -> None:
        where = f"day {self.land.day}"
        if not isinstance(orders, Mapping):
            self.skip(where, f"must be an object, got {quoted(orders)}")
            return
        for phase in orders:
            if phase not in PHASES:
                self.skip(f"{where} {quoted(phase)}", "there is no such phase")
        for phase in PHASES:
            if phase in orders:
                self.phase(phase, orders[phase])

    def phase(self, phase: str, orders: JSON) -> None:
        if phase in OPEN_ENDED and orders == "all":
            orders = dict.fromkeys(self.land.farm.catalog, "all")
        if not isinstance(orders, Mapping):
            words = 'an object or "all"' if phase in OPEN_ENDED else "an object"
            self.skip(f"day {self.land.day} {phase}", f"must be {words}, got {quoted(orders)}")
            return
        for name, count in orders.items():
            why = self.entry(phase, name, count)
            if why is not None:
                self.skip(f"day {self.land.day} {phase} {quoted(name)} {quoted(count)}", why)

    def entry(self, phase: str, name: str, count: JSON) -> str | None:
        crop = self.land.farm.catalog.get(name)
        if crop is None:
            return "there is no such crop"
        if phase in OPEN_ENDED and count == "all":
            return self.land.harvest(crop, None) if phase == "harvest" else self.land.sell(crop, None)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            return "must be a whole number above zero"
        return _DEEDS[phase](self.land, crop, count)


_DEEDS = {"buy": Field.buy, "plant": Field.plant, "harvest": Field.harvest, "sell": Field.sell}
