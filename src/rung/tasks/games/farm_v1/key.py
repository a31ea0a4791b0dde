"""What only the instrument knows of Farm: which instances are good, when two are the same, and who plays how."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Actor
from rung.core.values import Action, Call, Reference, Task, View
from rung.tasks.games._references import Solved, kept_or
from rung.tasks.games.farm_v1.engine import Farm
from rung.tasks.games.farm_v1.greedy import greedy
from rung.tasks.games.farm_v1.planner import Planting, best_plan, orders

SOLVER = "farm-milp-1"


@dataclass(frozen=True, slots=True)
class OnePlan:
    """Hands in one plan made beforehand."""

    call: Call

    async def act(self, view: View) -> Action:
        """The plan, whatever is seen."""
        return Action(self.call)


@dataclass(frozen=True, slots=True)
class FarmKey:
    """The key of Farm."""

    def admit(self, task: Task) -> bool:
        """At least two crops that ripen in time, and a reference profit above zero."""
        farm = Farm.of(task.payload)
        return sum(crop.days <= farm.days - 1 for crop in farm.crops) >= 2 and greedy(farm).profit > 0

    def fingerprint(self, task: Task) -> str:
        """Cash, land, time and the crops' numbers; their order does not matter."""
        farm = Farm.of(task.payload)
        crops = [list(crop) for crop in sorted(map(astuple, farm.crops))]
        return fingerprint(["farm", farm.cash, farm.plots, farm.days, crops])

    def reference(self, task: Task) -> Reference:
        """The best plan's profit over the greedy's: `optimal` up to d3, and beyond with a gap of at most 2%."""
        return kept_or(self.solve, task, solver=SOLVER).reference(SOLVER)

    def solve(self, task: Task) -> Solved:
        """What the integer program finds, whatever is kept; the line is what is planted."""
        farm = Farm.of(task.payload)
        best = best_plan(farm)
        return Solved(best.profit, greedy(farm).profit, best.most, [list(planting) for planting in best.plantings])

    def naive(self, task: Task) -> Actor:
        """Plants the cheapest crop once, on the first day, and sells it."""
        return OnePlan(_submit(_cheapest_once(Farm.of(task.payload))))

    def solver(self, task: Task) -> Actor:
        """Hands in the best plan: the one that is kept, or the one found now."""
        line = cast("Sequence[Planting]", kept_or(self.solve, task, solver=SOLVER).line)
        return OnePlan(_submit(orders(Farm.of(task.payload), line)))


def _submit(plan: Mapping[str, JSON]) -> Call:
    return Call("submit_plan", {"plan": plan})


def _cheapest_once(farm: Farm) -> Mapping[str, JSON]:
    in_time = [crop for crop in farm.crops if crop.days <= farm.days - 1]
    if not in_time:
        return {}
    crop = min(in_time, key=lambda crop: (crop.seed, crop.name))
    count = min(farm.plots, farm.cash // crop.seed)
    first: JSON = {"buy": {crop.name: count}, "plant": {crop.name: count}}
    return {"1": first, str(1 + crop.days): {"harvest": "all", "sell": "all"}}


KEY = FarmKey()
