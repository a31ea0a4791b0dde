"""The gain of an arm over each of its controls, beside its gain over A_0.

Both arms began as one A_0, worked the same sequences, and sat the same exam; so D[k, i] = A_T[k, i] of the arm less
that of its control, lineage k with lineage k and task with task, and A_0 cancels. Such lineages met the same instances
in the same order, which is why they are paired. On G0 it is the difference of their effects, and the static arm
cancels. The laws of the intervals and the words are those of any gain.

An arm's gain *clears* a control when that difference is called improved, and from G1 up Holm's p over all rows of all
arms and controls is at most 5% as well. Every planned row counts in that family, also one that came to no p.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any, cast

from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.reports import rungs, trust
from rung.reports.over import Gate, Over
from rung.reports.record import Record
from rung.reports.tables import Planned
from rung.reports.trust import Broken
from rung.reports.values import MIXED_UNITS, ArmReport, Rung
from rung.stats import flags as say
from rung.stats.lineages import gain_p, nested_gain
from rung.stats.missing import Bounds, Coverage, cover
from rung.stats.multiplicity import planned
from rung.stats.rounding import change
from rung.stats.verdict import Evidence, evidence, judge, nested_evidence

SEED = Seed("rung.reports.controls")
NO_P = ("contaminated", "incomplete", "not estimable")
"""The words of rows that no p value may be taken from."""

NOT_CLEARED = "does not clear its controls"


def of(found: Record) -> Mapping[str, Mapping[str, str]]:
    """The controls of every arm that has some: by arm, the kind of each by its name."""
    made: dict[str, dict[str, str]] = {}
    for about in found.config["arms"]:
        if "control" in about:
            made.setdefault(about["of"], {})[about["name"]] = about["control"]
    return made


def over(found: Record) -> tuple[Over, ...]:
    """Every arm less every control of it, on every row of the ladder, with Holm's p over them all."""
    made = [
        row
        for arm, controls in of(found).items()
        for control, kind in controls.items()
        for row in _rows(found, arm, control, kind)
    ]
    family = [str(place) for place, row in enumerate(made) if row.level != "G0"]
    adjusted = planned({place: made[int(place)].p for place in family}, family)
    return tuple(replace(row, adjusted=adjusted.get(str(place))) for place, row in enumerate(made))


def _rows(found: Record, arm: str, control: str, kind: str) -> Iterator[Over]:
    replays = _on_replays(found, arm, control, kind)
    yield from [replays] if replays is not None else []
    for comparison in found.comparisons:
        yield _on_exam(found, arm, control, kind, comparison)


def _on_exam(found: Record, arm: str, control: str, kind: str, comparison: Mapping[str, Any]) -> Over:
    places = [task for task in found.exam if task.cell == comparison["target"]]
    scale = found.scale(places[0].family)
    mine, other = _ends(found, arm, places), _ends(found, control, places)
    binary = found.about_exam["repeats"] == 1 and scale.unit == "success"
    differences = [
        [change(late, -less) for late, less in zip(*pair, strict=True)] for pair in zip(mine, other, strict=True)
    ]
    weighed = evidence(
        differences, binary=binary, shared_before=False, seed=SEED.child(arm, control, comparison["target"])
    )
    coverage = cover(other, mine, scale=scale, binary=binary, shared_before=False)
    broken, stale = _broken(found, (arm, control), {task.place for task in places}), trust.stale(found, places[0])
    verdict = trust.believed(judge(weighed, coverage=coverage), broken, stale)
    flags = (*coverage.dropped.flags, *broken.flags, *stale)
    p = None if verdict.word in NO_P else _p(differences, weighed)
    level, target = comparison["level"], str(comparison["target"])
    gain = replace(coverage.dropped, flags=flags)
    return Over(arm, control, kind, level, target, gain, verdict, p, None, scale.unit)


def _ends(found: Record, name: str, places: Sequence[Planned]) -> list[list[float]]:
    means = [found.means.get(f"{name}.L{number}") for number in found.lineages]
    return [[nan if row is None else row[task.place - 1] for task in places] for row in means]


def _broken(found: Record, names: Sequence[str], places: set[int]) -> Broken:
    """The first tries that broke, of every A_T of both; A_0 cancels."""
    mine = {f"{name}.L{number}" for name in names for number in found.lineages}
    first = [row for row in found.rows if row.who in mine and row.place in places and row.rerun == 0]
    return Broken(sum(row.fault is not None for row in first), len(mine) * found.about_exam["repeats"] * len(places))


def _p(differences: Sequence[Sequence[float]], weighed: Evidence) -> float | None:
    """By the law of the interval with three lineages or more, else exact over tasks; the larger of both where tasks
    are few, as for the word."""
    if len(differences) < 3:
        return weighed.p
    p = gain_p(differences)
    few = say.size_flags(weighed.estimate.n_tasks, weighed.informative)
    return max(p, weighed.p) if p is not None and weighed.p is not None and few else p


def _on_replays(found: Record, arm: str, control: str, kind: str) -> Over | None:
    replays = found.entries("replay")
    differences = _effects(found, arm, control)
    if not any(differences):
        return None
    units, scales = found.units(replays), found.scales(replays)
    low, floor = min(scale.low for scale in scales), min(scale.floor for scale in scales)
    high = None if any(scale.high is None for scale in scales) else max(cast(float, scale.high) for scale in scales)
    failed = nested_gain(_effects(found, arm, control, fill=(floor, floor)))
    ends = [None, None] if high is None else [_mean(found, arm, control, fill) for fill in ((low, high), (high, low))]
    pairs = [effect for row in differences for effect in row]
    measured = sum(effect == effect for effect in pairs)
    coverage = Coverage(len(pairs), measured, Bounds(*ends), failed, nested_gain(differences))
    verdict = judge(nested_evidence(differences, seed=SEED.child(arm, control, "G0")), coverage=coverage)
    flags = (*coverage.dropped.flags, *((MIXED_UNITS,) if len(units) > 1 else ()))
    target = f"replays of {', '.join(dict.fromkeys(entry.cell for entry in replays))}"
    gain = replace(coverage.dropped, flags=flags)
    return Over(arm, control, kind, "G0", target, gain, verdict, None, None, ", ".join(units))


def _effects(found: Record, arm: str, control: str, fill: tuple[float, float] = (nan, nan)) -> list[list[float]]:
    """The effects of an arm less those of its control, replay by replay; `fill` as the lowest and the highest that
    a missing score of the arm may make of it, and the other way round for the control."""
    mine = rungs.effects(found, arm, down=fill[0], up=fill[1])
    other = rungs.effects(found, control, down=fill[1], up=fill[0])
    rows = [
        [change(effect, -less[key][0]) for key, (effect, _) in row.items()]
        for row, less in zip(mine, other, strict=True)
    ]
    return [row for row in rows if row]


def _mean(found: Record, arm: str, control: str, fill: tuple[float, float]) -> float | None:
    return nested_gain(_effects(found, arm, control, fill)).value


# --------------------------------------------------------------------------------------------- where the number stands


def flagged(arms: Sequence[ArmReport], found: Sequence[Over]) -> tuple[ArmReport, ...]:
    """The arms, with a flag on every gain that does not clear its controls, naming those."""
    return tuple(replace(arm, rungs=tuple(_flagged(rung, found) for rung in arm.rungs)) for arm in arms)


def _flagged(rung: Rung, found: Sequence[Over]) -> Rung:
    short = not_cleared(rung, found)
    if not short:
        return rung
    flag = f"{NOT_CLEARED}: {', '.join(row.kind for row in short)}"
    return replace(rung, gain=_with_flag(rung.gain, flag))


def _with_flag(gain: Estimate, flag: str) -> Estimate:
    return replace(gain, flags=(*gain.flags, flag))


def beside(rung: Rung, found: Sequence[Over]) -> list[Over]:
    """The rows that stand beside one of the ladder."""
    return [row for row in found if (row.arm, row.level, row.target) == (rung.arm, rung.level, rung.target)]


def not_cleared(rung: Rung, found: Sequence[Over]) -> list[Over]:
    """The controls that a gain called improved is not shown to exceed."""
    if rung.verdict.word != "improved":
        return []
    return [row for row in beside(rung, found) if not row.clears]


# --------------------------------------------------------------------------------------------- what a gate let through


def gates(journal: Journal, found: Record) -> tuple[Gate, ...]:
    """What became of what each control proposed."""
    return tuple(
        _gate(journal, arm, control, kind) for arm, controls in of(found).items() for control, kind in controls.items()
    )


def _gate(journal: Journal, arm: str, control: str, kind: str) -> Gate:
    refined = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=control, kind="refined")]
    made = [each["manifest"] for value in refined for each in value["candidates"]]
    chosen = (cast("Mapping[str, Any]", fact.value)["chosen"] for fact in journal.facts(under=control, kind="selected"))
    return Gate(
        arm,
        control,
        kind,
        asked=sum(bool(value["candidates"]) for value in refined),
        accepted=sum(each is not None for each in chosen),
        proposed=len(made),
        empty=sum(manifest.get("files") == [] for manifest in made),
    )
