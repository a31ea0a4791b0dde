"""The rolling one-crop greedy: the plan whose profit every Farm score is divided by, for ever.

The paper's rule: each day, for every crop, plant as many plots as cash permits and roll that one crop to the horizon;
commit the crop with the largest projected cash. The paper harvests before it plants within a day, which its own agents
may not; ours goes through the engine that agents meet. What cannot ripen any more is not planted. Equal projections
are decided by the crop's name, so the order of the catalog does not matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rung.core.canonical import JSON
from rung.tasks.games.farm_v1.engine import Crop, Farm, Field, first_day, simulate


@dataclass(frozen=True, slots=True)
class Greedy:
    """The greedy's plan, in the form agents use, and its profit."""

    plan: Mapping[str, JSON]
    profit: int


@lru_cache(maxsize=4096)
def greedy(farm: Farm) -> Greedy:
    """The rolling one-crop greedy's plan for a farm, played through the engine like anybody's."""
    field, plan = first_day(farm), {}
    while field.day < farm.days:
        field.dawn()
        if orders := _day(field, _best(field)):
            plan[str(field.day)] = orders
    return Greedy(plan, simulate(farm, plan).cash - farm.cash)


def _best(field: Field) -> Crop | None:
    crops = [crop for crop in field.farm.crops if field.day + crop.days <= field.farm.days]
    return min(crops, key=lambda crop: (-_projected(field.copy(), crop), crop.name), default=None)


def _projected(field: Field, crop: Crop) -> int:
    """Terminal cash if nothing but this crop is planted from today on."""
    _day(field, crop)
    while field.day < field.farm.days:
        field.dawn()
        _day(field, crop)
    return field.cash


def _day(field: Field, crop: Crop | None) -> Mapping[str, JSON]:
    """Plant as much of a crop as can be and ripens in time; harvest and sell everything. The orders, for the plan."""
    count = 0
    if crop is not None and field.day + crop.days <= field.farm.days:
        count = min(field.free, field.cash // crop.seed)
    orders: dict[str, JSON] = {}
    if crop is not None and count > 0:
        field.buy(crop, count)
        field.plant(crop, count)
        orders = {"buy": {crop.name: count}, "plant": {crop.name: count}}
    harvested = [ripe for ripe in field.farm.crops if field.ripe.get(ripe.name)]
    for ripe in harvested:
        field.harvest(ripe, None)
        field.sell(ripe, None)
    return {**orders, "harvest": "all", "sell": "all"} if harvested else orders
