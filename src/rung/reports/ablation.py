"""Which piece carried a gain: the after-exam of a cell with pieces of what was left taken out (`rung ablate`).

For each carry two differences over the same tasks and lineages: its gain over A_0, and what the full fork has more than
it. A class of files, or the conversation, *carries* the gain when it alone gains over A_0, or when the full fork is
better than all but it; p values by Holm over both questions for all classes of a row, at 5%. Both can be true of
several classes, and of none where no gain was shown.
"""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, cast

from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.reports.record import Record
from rung.reports.tables import Planned
from rung.reports.values import Ablation, Attribution, Carried
from rung.stats.lineages import gain, gain_p
from rung.stats.multiplicity import holm
from rung.stats.rounding import change
from rung.stats.verdict import evidence

SEED = Seed("rung.reports.ablation")
MARK = "+"
LEVEL = 0.05


def ablation(journal: Journal, found: Record) -> Ablation | None:
    """All carries of a cell that were examined; None where none was."""
    carries = {
        fact.path.rpartition("/")[2]: cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="carry")
    }
    if not carries:
        return None
    rows = [
        _carried(found, name, comparison, carry, about)
        for name in found.arm_names
        if name not in found.tainted  # a gain that is none has no carrier
        for comparison in found.comparisons
        for carry, about in carries.items()
    ]
    said = [
        _attributed([row for row, _ in rows if (row.arm, row.target) == key], dict(rows))
        for key in dict.fromkeys((row.arm, row.target) for row, _ in rows)
    ]
    return Ablation(tuple(row for row, _ in rows), tuple(said))


_Tested = tuple[float | None, float | None]
"""The p values of a carry's two differences: gained over A_0, and lost against the full fork."""


def _carried(
    found: Record, name: str, comparison: Mapping[str, Any], carry: str, about: Mapping[str, Any]
) -> tuple[Carried, _Tested]:
    places = [task for task in found.exam if task.cell == comparison["target"]]
    before = [_scores(found, who, places) for who in found.baselines(name)]
    ends = [f"{name}.L{number}" for number in found.lineages]
    full = [_scores(found, who, places) for who in ends]
    reduced = [_scores(found, f"{who}{MARK}{carry}", places) for who in ends]
    early = before if found.fresh(name) else before * len(ends)
    gained = [_less(one, other) for one, other in zip(reduced, early, strict=True)]
    lost = [_less(one, other) for one, other in zip(full, reduced, strict=True)]
    seed = SEED.child(name, comparison["target"], carry)
    shared = not found.fresh(name)
    row = Carried(
        arm=name,
        level=comparison["level"],
        target=comparison["target"],
        carry=carry,
        words=str(about["words"]),
        kept=tuple(about["kept"]),
        out=bool(about["out"]),
        gained=gain(gained, binary=False, shared_before=shared),
        lost=gain(lost, binary=False, shared_before=False),
        broke=sum(row.who.partition(MARK)[2] == carry and row.ending == "harness_failure" for row in found.rows),
        unit=found.scale(places[0].family).unit,
    )
    return row, (_p(gained, shared, seed.child("gained")), _p(lost, shared, seed.child("lost")))


def _scores(found: Record, who: str, places: Sequence[Planned]) -> list[float]:
    means = found.means.get(who)
    return [float("nan") if means is None else means[task.place - 1] for task in places]


def _less(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [change(late, -early) for late, early in zip(one, other, strict=True)]


def _p(differences: Sequence[Sequence[float]], shared: bool, seed: Seed) -> float | None:
    """Of three lineages and more p by lineages and tasks; of fewer by tasks, of this end state only."""
    if all(isnan(each) for row in differences for each in row):
        return None
    if len(differences) >= 3:
        return gain_p(differences)
    return evidence(differences, binary=False, shared_before=shared, seed=seed).p


def _attributed(rows: Sequence[Carried], tested: Mapping[Carried, _Tested]) -> Attribution:
    """What carried the gain of one arm on one row of the exam."""
    asked: list[tuple[str, float]] = []
    for row in rows:
        if len(row.kept) == 1:
            p, estimate = (tested[row][1], row.lost) if row.out else (tested[row][0], row.gained)
            asked.append((row.kept[0], _one_sided(p, estimate)))
    adjusted = holm([p for _, p in asked]) if asked else ()
    least: dict[str, float] = {}
    for (piece, _), p in zip(asked, adjusted, strict=True):
        least[piece] = min(p, least.get(piece, 1.0))
    first = rows[0]
    return Attribution(
        first.arm,
        first.level,
        first.target,
        carriers=tuple(piece for piece, p in least.items() if p <= LEVEL),
        others=tuple(piece for piece, p in least.items() if p > LEVEL),
        p_values=tuple(least.items()),
    )


def _one_sided(p: float | None, estimate: Estimate) -> float:
    """The two-sided p where the difference is a gain, and else 1: a piece that harms does not carry."""
    value = estimate.value
    if p is None:  # without variation: every task and lineage says the same, or nothing was measured
        sure = value is not None and value > 0 and estimate.n_tasks >= 6
        return 0.0 if sure else 1.0
    return p if value is not None and value > 0 else 1.0
