"""Gains over controls: the frozen A_0, a static arm, and any arm that is named."""

from collections.abc import Callable
from typing import Any

import pytest

from rung.core.config import PriceConfig
from rung.core.errors import UsageError
from rung.core.values import ModelRequest
from rung.protocols import launch
from rung.reports import ladder
from rung.reports.compare.prices import KNOWN
from rung.reports.compare.values import Compared, Over
from rung.store.memory import MemoryJournal

from . import modelled
from .compared import compared, played, study

TASKS = {**modelled.TASKS, "holdout": [{**modelled.CELL, "count": 12}]}


def wordy(request: ModelRequest) -> str:
    """As `modelled.learns`, with advice that is longer here and shorter there."""
    said = modelled.learns(request)
    return f"{said} {'very ' * (sum(request.messages[-1].text.encode()) % 7)}" if request.role == "improver" else said


def models(
    lineages: int, *, script: modelled.Script = modelled.learns, price: PriceConfig | None = modelled.PRICE, **how: Any
) -> MemoryJournal:
    config = modelled.config(name="models", tasks=TASKS, lineages=lineages)
    arms = modelled.arms(modelled.Billed(script, **how), price)
    return launch.simulate(config, secret="one exam", arms=arms)


def over(found: Compared, label: str, control: str, level: str = "G1") -> Over:
    return next(each for each in found.controls if (each.label, each.control, each.level) == (label, control, level))


def test_over_its_own_a_0_the_gain_of_an_arm_is_what_its_report_says():
    journal = played(study("one"))
    found = compared({"one": journal, "two": played(study("two"))})
    rung = ladder.read(journal).arms[0].rungs[1]
    each = over(found, "one/phantom", "one/static")
    assert (each.gain, each.word) == (rung.gain, rung.verdict.word)
    assert (each.per_usd, each.per_million_tokens) == (None, None)  # no model was called


def test_an_arm_that_is_named_is_a_control_for_every_other_whichever_comes_first():
    runs = {
        name: played(study(name, agent={"kind": "phantom:general", "base": 0.2, "rate": rate}))
        for name, rate in (("a", 0.9), ("b", 0.1))
    }
    found = compared(runs, named_controls=["b/phantom"])
    row = next(row for row in found.rows if row.levels == ("G1", "G1"))
    each = over(found, "a/phantom", "b/phantom")
    assert (row.earlier, row.later) == ("a/phantom", "b/phantom")
    assert row.difference.value is not None
    assert row.difference.lo is not None
    assert (each.gain.value, each.gain.hi) == (-row.difference.value, -row.difference.lo)
    assert (row.word, each.word) in (
        ("lower", "higher"),
        ("inconclusive", "inconclusive"),
        ("incomplete", "incomplete"),
    )


def test_a_static_arm_is_a_control_without_being_named():
    journal = models(2)
    found = compared({"run": journal})
    each = over(found, "run/mirror", "run/still")
    assert each.gain.value == next(row for row in found.rows if row.levels == ("G1", "G1")).gains[0]


def test_an_unknown_control_is_refused_with_the_arms_there_are():
    with pytest.raises(UsageError, match=r"--control 'x' is none of the arms; there are: one/phantom, two/phantom"):
        compared({name: played(study(name)) for name in ("one", "two")}, named_controls=["x"])


# --------------------------------------------------------------------------------------------- money


def spent(journal: MemoryJournal, home: str) -> float:
    """Dollars of improving one lineage, from the observations alone."""
    notes = [note for note in journal.observations(under=home) if note.kind.startswith("call/")]
    return sum(note.value["usd"] for note in notes)


def test_a_gain_per_dollar_is_the_gain_by_the_mean_that_lineages_cost():
    journal = models(2)
    found = compared({"run": journal})
    each = over(found, "run/mirror", "run/static")
    mean = (spent(journal, "mirror/L1") + spent(journal, "mirror/L2")) / 2
    assert mean > 0
    assert each.per_usd is not None
    assert each.gain.value is not None
    assert each.per_usd.value == pytest.approx(each.gain.value / mean)
    assert KNOWN in each.per_usd.flags  # two lineages cannot show how cost varies


def test_with_five_lineages_the_cost_is_as_uncertain_as_the_gain():
    journal = models(5, script=wordy)
    each = over(compared({"run": journal}), "run/mirror", "run/still")
    assert each.per_usd is not None
    assert each.per_usd.method.startswith("Fieller, ")
    costs = [spent(journal, f"mirror/L{k}") for k in range(1, 6)]
    assert each.gain.value is not None
    assert each.per_usd.value == pytest.approx(each.gain.value / (sum(costs) / 5))


def _some(request: ModelRequest) -> bool:
    return request.role == "improver"


@pytest.mark.parametrize(("price", "unmetered"), [(None, None), (modelled.PRICE, _some)])
def test_an_unknown_price_or_count_is_unknown_and_never_nothing(
    price: PriceConfig | None, unmetered: Callable[[ModelRequest], bool] | None
):
    journal = models(2, price=price, **({"unmetered": unmetered} if unmetered else {}))
    each = over(compared({"run": journal}), "run/mirror", "run/static")
    assert each.per_usd is not None
    assert (each.per_usd.value, each.per_usd.flags) == (None, ("unknown: the cost of a lineage is unknown",))
    assert each.per_million_tokens is not None
    assert (each.per_million_tokens.value is None) == (unmetered is not None)
