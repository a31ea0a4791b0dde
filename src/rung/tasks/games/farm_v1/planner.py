"""The best plan for a farm, by integer programming, and what is proven of it.

An unknown x[crop, day] is how many plots of a crop are planted on a day. Every day has two limits: plots planted on day
p with a crop of m days are occupied on days p to p + m; and what was spent through a day is at most the first cash and
what was sold through the day before. Buying a seed before its day, or harvesting and selling later than can be, never
helps, so nothing is lost by leaving that out: the program's best profit is the farm's.

The search ends by its proven gap or by its number of nodes, and never by the clock, so that one version of the solver
gives one plan on every machine. Where the gap is above 0, another version may stop at another plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from math import floor
from typing import TypeAlias

from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault
from rung.tasks.games.farm_v1.engine import Crop, Farm, simulate
from rung.tasks.games.farm_v1.quiet import quiet

EXACT_DAYS = 16  # up to d3 the search goes on until the best is proven, in a second or two
GAP = 0.02  # beyond, until no plan can earn more than so much more
NODES = 50_000
NEAR = 1e-5  # the solver holds whole numbers to 1e-6

Planting: TypeAlias = tuple[int, str, int]
"""A day, a crop, and how many plots of it are planted on it."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is planted when, what it earns, and what is proven: no plan earns more than `most`."""

    plantings: tuple[Planting, ...]
    profit: int
    most: int


def best_plan(farm: Farm, *, nodes: int = NODES) -> Planned:
    """The best plan that the search finds; the order of the crops does not matter.

    Raises `InstrumentFault` where the solver's answer does not hold in the game's own engine.

    >>> best_plan(Farm(cash=40, plots=5, days=4, crops=(Crop("beet", 10, 2, 3, 5), Crop("pea", 4, 1, 2, 3))))
    Planned(plantings=((1, 'beet', 3), (1, 'pea', 2), (3, 'pea', 2)), profit=23, most=23)
    """
    return _planned(replace(farm, crops=tuple(sorted(farm.crops, key=lambda crop: crop.name))), nodes)


def orders(farm: Farm, plantings: Sequence[Planting]) -> Mapping[str, JSON]:
    """The plan in the form that agents use: seeds are bought when they are planted, and all that is ripe is sold."""
    days = {name: crop.days for name, crop in farm.catalog.items()}
    plan: dict[int, dict[str, JSON]] = {}
    for day, of_day in groupby(sorted(plantings), key=lambda planting: planting[0]):
        counts: dict[str, JSON] = {name: count for _, name, count in of_day}
        plan[day] = {"buy": counts, "plant": dict(counts)}
    for day, name, _ in plantings:
        plan.setdefault(day + days[name], {}).update({"harvest": "all", "sell": "all"})
    return {str(day): plan[day] for day in sorted(plan)}


@lru_cache(maxsize=4096)
def _planned(farm: Farm, nodes: int) -> Planned:
    choices = [(crop, day) for crop in farm.crops for day in range(1, farm.days - crop.days + 1)]
    if not choices:
        return Planned((), 0, 0)
    counts, bound = _solved(farm, choices, nodes)
    plantings = tuple(
        sorted((day, crop.name, count) for (crop, day), count in zip(choices, counts, strict=True) if count)
    )
    profit = sum(count * _margin(crop) for (crop, _), count in zip(choices, counts, strict=True))
    season = simulate(farm, orders(farm, plantings))
    if season.skipped or season.cash - farm.cash != profit:
        raise InstrumentFault(
            "farm planner", f"the plan claims {profit} and earns {season.cash - farm.cash}: {season.notes}"
        )
    most = floor(bound + NEAR * max(1.0, abs(bound)))  # profits are whole numbers
    if most < profit:
        raise InstrumentFault("farm planner", f"the plan earns {profit}, above the proven bound of {bound}")
    return Planned(plantings, profit, most)


def _margin(crop: Crop) -> int:
    return crop.units * crop.price - crop.seed


def _solved(farm: Farm, choices: Sequence[tuple[Crop, int]], nodes: int) -> tuple[list[int], float]:
    """How many plots of each choice are planted, and the proven upper bound of the profit."""
    # Imported here: nothing else of a farm needs them, and they take a third of a second.
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    limits = np.zeros((2 * farm.days, len(choices)))  # row d - 1: plots on day d; then, likewise, cash
    for column, (crop, day) in enumerate(choices):
        limits[day - 1 : day + crop.days, column] = 1
        limits[farm.days + day - 1 :, column] = crop.seed
        limits[farm.days + day + crop.days :, column] -= crop.units * crop.price
    most = np.repeat([farm.plots, farm.cash], farm.days)
    with quiet():
        found = milp(
            [-_margin(crop) for crop, _ in choices],
            constraints=LinearConstraint(csr_array(limits), -np.inf, most),
            integrality=np.ones(len(choices), dtype=int),
            bounds=Bounds(0, farm.plots),
            options={"mip_rel_gap": 0.0 if farm.days <= EXACT_DAYS else GAP, "node_limit": nodes},
        )
    if found.x is None or found.mip_dual_bound is None:
        raise InstrumentFault("farm planner", f"no plan was found: {found.message}")
    counts = [round(float(value)) for value in found.x]
    if any(abs(value - count) > NEAR for value, count in zip(found.x, counts, strict=True)):
        raise InstrumentFault("farm planner", "the solver's plan has counts that are no whole numbers")
    return counts, -float(found.mip_dual_bound)
