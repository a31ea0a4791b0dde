"""What a gain cost, and whether arms had the same to spend.

The gain of a rung is divided by what improving cost a lineage: all dollars (or millions of tokens) that an arm's
lineages spent on working their tasks, on trials and on refining, divided by their number. Examining and the frozen
controls are the price of knowing, and are not in it. The interval is the gain's, divided by the same cost: the cost is
taken as known, though lineages differ in it. Where there is no gain, and where a cost is not known or is nothing, there
is no such ratio.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rung.core.values import Estimate
from rung.reports.values import ArmReport, Cost, Rung

Resource: TypeAlias = Literal["US dollars", "tokens"]

MATCHED = 1.25
"""Arms whose improving cost more than this times as much as another's were not on the same budget."""


def per_lineage(improving: Cost, lineages: int) -> Mapping[Resource, float | None]:
    """What improving cost a lineage of an arm; None where it is not known, or no model was called."""
    calls = improving.calls
    spent: Mapping[Resource, float | None] = {
        "US dollars": None if calls is None else calls.usd,
        "tokens": None if calls is None else calls.tokens,
    }
    return {resource: None if amount is None else amount / lineages for resource, amount in spent.items()}


def priced(rung: Rung, improving: Cost, lineages: int) -> Rung:
    """A rung with its gain by dollars and by millions of tokens; as it was where no model was called in improving."""
    if improving.calls is None:
        return rung
    spent = per_lineage(improving, lineages)
    tokens = spent["tokens"]
    return replace(
        rung,
        per_usd=_ratio(rung.gain, spent["US dollars"], "US dollar"),
        per_million_tokens=_ratio(rung.gain, None if tokens is None else tokens / 1e6, "million tokens"),
    )


def _ratio(gain: Estimate, cost: float | None, unit: str) -> Estimate:
    method = f"{gain.method}, by {unit} of improving a lineage"
    if gain.value is None or not cost:
        why = "there is no gain" if gain.value is None else "its cost is unknown" if cost is None else "it cost nothing"
        return Estimate(None, None, None, method, gain.n_tasks, gain.n_lineages, (f"undefined: {why}",))
    lo, hi = (None if end is None else end / cost for end in (gain.lo, gain.hi))
    return Estimate(gain.value / cost, lo, hi, method, gain.n_tasks, gain.n_lineages, ())


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Budgets that were not the same: what a lineage of `least` and of each of the `more` spent on improving."""

    resource: Resource
    least: str
    amounts: Mapping[str, float]

    @property
    def more(self) -> tuple[str, ...]:
        """The arms that spent over `MATCHED` times what the least did."""
        return tuple(name for name, amount in self.amounts.items() if amount > MATCHED * self.amounts[self.least])

    def flag(self, name: str) -> str:
        """What stands beside every gain of an arm that spent more; empty for another."""
        if name not in self.more:
            return ""
        least = self.amounts[self.least]
        times = f"{self.amounts[name] / least:.3g} times" if least else "something, against nothing,"
        return f"unmatched budgets: spent {times} what {self.least} did on improving ({self.resource})"


def unmatched(arms: Sequence[ArmReport], lineages: int) -> Unmatched | None:
    """Whether one arm spent much more on improving than another, in dollars, or in tokens where no dollar was known.

    None where budgets match, or where what an arm spent is not known. An arm that called no model spent nothing.
    """
    for resource in ("US dollars", "tokens"):
        amounts = _amounts(arms, lineages, resource)
        if amounts is None or not any(amounts.values()):
            continue
        least = min(amounts, key=amounts.__getitem__)
        found = Unmatched(resource, least, amounts)
        return found if found.more else None
    return None


def _amounts(arms: Sequence[ArmReport], lineages: int, resource: Resource) -> Mapping[str, float] | None:
    found: dict[str, float] = {}
    for arm in arms:
        amount = per_lineage(arm.improving, lineages)[resource] if arm.improving.calls else 0.0
        if amount is None:
            return None
        found[arm.name] = amount
    return found


def flagged(arms: Sequence[ArmReport], lineages: int) -> tuple[ArmReport, ...]:
    """The arms, with a flag on every gain of those that spent more than another."""
    found = unmatched(arms, lineages)
    return tuple(_flagged(arm, found.flag(arm.name)) for arm in arms) if found else tuple(arms)


def _flagged(arm: ArmReport, flag: str) -> ArmReport:
    if not flag:
        return arm
    rungs = (replace(rung, gain=replace(rung.gain, flags=(*rung.gain.flags, flag))) for rung in arm.rungs)
    return replace(arm, rungs=tuple(rungs))
