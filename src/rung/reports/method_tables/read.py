"""From the journals of several studies to the tables of SelfImprove-Bench: methods, transfer, schedules, harnesses.

    Table 2      method x game x level       every arm on every row of its ladder (`rung.reports.rungs`)
    Figure 4     transfer                    the same rows by source and target
    Table 4      schedules                   studies of one family that differ in schedule
    Table 5      harness refinement          arms that differ in one of their keys alone
    Figure 5     beside general agents       arms that are never refined, on the same exam

A study stands for one source: what it worked. Arms are told apart by name, the same in every study. Tables 3, 6, 7 and
9 are of what was changed; they are made by `rung.findings.semantics`, and stand here side by side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from rung.core.canonical import canonical
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.reports.compare import exams, rows
from rung.reports.compare.runs import Arm, Run
from rung.reports.compare.runs import read as run_of
from rung.reports.controls import beside
from rung.reports.method_tables.values import (
    Apart,
    Beside,
    Cell,
    Made,
    Ranked,
    Schedule,
    Scheduled,
    Study,
    Tables,
    Transfer,
)
from rung.reports.rungs import exams as scores
from rung.reports.values import Rung
from rung.reports.wording import withheld
from rung.stats import flags as say
from rung.stats.lineages import gain
from rung.stats.verdict import ALPHA, evidence, judge

STATIC = "static"
"""The method of an arm that is never refined."""

UNKNOWN = ("not estimable", "incomplete")
"""The words of rows that nothing is ranked by."""


def read(name: str, journals: Mapping[str, Journal], *, absent: Sequence[str] = ()) -> Tables:
    """The tables of these studies, by their names. A study that has not begun its exam is named as missing, behind what
    the caller knows to be `absent`."""
    runs, missing = [], list(absent)
    for label, journal in journals.items():
        try:
            runs.append(run_of(label, journal))
        except UsageError as error:
            missing.append(str(error))
    if not runs:
        raise UsageError(f"no study has begun its exam: {'; '.join(missing) or 'none was given'}")
    cells = [cell for run in runs for cell in _best(_cells(run))]
    return Tables(
        name=name,
        studies=tuple(map(_study, runs)),
        cells=tuple(cells),
        transfers=tuple(_transfers(cells)),
        schedules=tuple(_schedules(cells)),
        apart=tuple(row for run in runs for row in _apart(run)),
        ranks=tuple(_ranks(runs, cells)),
        missing=tuple(missing),
    )


def _study(run: Run) -> Study:
    found = run.found
    return Study(
        name=run.label,
        digest=run.report.digest,
        exam_id=run.report.exam_id,
        lineages=run.report.lineages,
        source=_source(run),
        schedule=schedule(found.config["tasks"]),
        faults=sum(row.fault is not None for row in found.rows),
        unfinished=run.unfinished,
        config=found.config,
        changes=run.report.changes,
    )


def schedule(tasks: Mapping[str, Any]) -> Schedule:
    """Which of the four schedules `[tasks]` is, in full as it was resolved (see `rung.core.schedules`).

    >>> block = {"family": "farm-v1", "difficulty": 3}
    >>> schedule({"schedule": [block], "random": False, "repeat": True})
    'fixed'
    """
    blocks = tasks["schedule"]
    if len({block["family"] for block in blocks}) > 1:
        return "several families"
    if tasks.get("repeat"):
        return "fixed"
    if len(blocks) == 1:
        return "fresh"
    return "mixed" if tasks.get("random") else "increasing"


def _source(run: Run) -> str:
    labels = (entry.cell for sequence in run.found.sequences for entry in sequence)
    return ", ".join(dict.fromkeys(labels))


def _families(run: Run) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.family for sequence in run.found.sequences for entry in sequence))


def made(about: Mapping[str, Any]) -> Made:
    """What an arm is made of, from the config. How a phantom learns belongs to its method, where it starts to its
    harness.

    >>> found = made({"agent": {"kind": "phantom:narrow", "base": 0.2, "rate": 0.1}, "method": {"name": "phantom"}})
    >>> found.harness, found.method
    ('phantom (base = 0.2)', 'phantom:narrow (rate = 0.1)')
    """
    agent, method = about["agent"], about["method"]
    if agent["kind"].startswith("phantom:"):
        agent, method = _parted(agent, method)
    acts = str(agent.get("model") or "none")
    return Made(
        _with_options(agent, "kind"),
        acts,
        str(method.get("model") or (acts if method["name"] != STATIC else "none")),
        _with_options(method, "name"),
    )


def _parted(agent: Mapping[str, Any], method: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """A phantom's keys given to what they are about."""
    harness = {key: value for key, value in agent.items() if key in ("base", "model")}
    if method["name"] == STATIC:
        return {"kind": "phantom", **harness}, method
    learns = {key: value for key, value in agent.items() if key not in ("base", "model", "kind")}
    return {"kind": "phantom", **harness}, {**method, **learns, "name": agent["kind"]}


def _with_options(part: Mapping[str, Any], named: str) -> str:
    """A plug-in with its own options, as text."""
    own = {key: value for key, value in sorted(part.items()) if key not in (named, "model")}
    told = ", ".join(f"{key} = {value if isinstance(value, str) else canonical(value)}" for key, value in own.items())
    return f"{part[named]} ({told})" if told else str(part[named])


# --------------------------------------------------------------------------------------------- method x game x level


def _cells(run: Run) -> list[Cell]:
    arms = [arm for arm in run.report.arms if arm.control_of is None]
    return [_cell(run, rung) for arm in arms for rung in arm.rungs]


def _cell(run: Run, rung: Rung) -> Cell:
    over = tuple(Beside(row.kind, row.gain, row.clears) for row in beside(rung, run.report.over))
    return Cell(
        study=run.label,
        arm=rung.arm,
        made=made(run.found.about(rung.arm)),
        source=_source(run),
        sources=_families(run),
        schedule=schedule(run.found.config["tasks"]),
        level=rung.level,
        target=rung.target,
        unit=rung.unit,
        before=rung.before,
        after=rung.after,
        reference=rung.reference,
        gain=rung.gain,
        hci=rung.hci,
        end=None if rung.level == "G0" else end(run, rung.arm, rung.target),
        word=rung.verdict.word,
        beside=over,
        withheld=withheld(rung),
    )


def end(run: Run, arm: str, target: str) -> Estimate:
    """The mean score of A_T with the interval of a gain, since a score is a gain over nothing."""
    _, after = scores(run.found, arm, run.cell(target))
    return gain(after, binary=False, shared_before=False)


def _best(cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a study, with the highest HCI of each row marked, ties alike.

    Static arms are never marked, and neither is a ratio over a headroom that is poorly known.
    """
    highest: dict[tuple[str, str], float] = {}
    for cell in filter(_ranks_by_hci, cells):
        key = (cell.level, cell.target)
        highest[key] = max(highest.get(key, float("-inf")), cell.hci.value or 0.0)
    return [
        replace(cell, best=_ranks_by_hci(cell) and cell.hci.value == highest[cell.level, cell.target]) for cell in cells
    ]


def _ranks_by_hci(cell: Cell) -> bool:
    known = cell.hci.value is not None and say.IMPRECISE not in cell.hci.flags and cell.word not in UNKNOWN
    return known and not cell.withheld and not _static(cell)


def _static(cell: Cell) -> bool:
    return cell.made.method == STATIC


# --------------------------------------------------------------------------------------------- transfer


def _transfers(cells: Sequence[Cell]) -> Iterable[Transfer]:
    """For each arm that was refined on several sources with fresh instances: what it carried from each to each."""
    for arm in dict.fromkeys(cell.arm for cell in cells if not _static(cell)):
        asked = [cell for cell in cells if cell.arm == arm and cell.schedule == "fresh"]
        direct = dict.fromkeys(cell.target for cell in asked if cell.level == "G1")
        entries: dict[str, dict[str, Cell]] = {}
        for cell in asked:
            if cell.level in ("G1", "G3", "G4") and cell.target in direct:
                entries.setdefault(cell.source, {}).setdefault(cell.target, cell)
        if len(entries) > 1:
            yield Transfer(arm, tuple(entries), tuple(direct), entries)


# --------------------------------------------------------------------------------------------- schedules


def _schedules(cells: Sequence[Cell]) -> Iterable[Scheduled]:
    """Families that were worked under several schedules, with each arm."""
    asked = [cell for cell in cells if cell.level != "G0" and cell.sources == (cell.family,) and not _static(cell)]
    for family, arm in dict.fromkeys((cell.family, cell.arm) for cell in asked):
        mine = [cell for cell in asked if (cell.family, cell.arm) == (family, arm)]
        studies = dict.fromkeys((cell.schedule, cell.study) for cell in mine)
        if len({kind for kind, _ in studies}) < 2:
            continue
        highest = {cell.target: max(map(_score, (c for c in mine if c.target == cell.target))) for cell in mine}
        for kind, study in studies:
            row = tuple(cell for cell in mine if cell.study == study)
            best = tuple(cell.target for cell in row if _score(cell) == highest[cell.target])
            yield Scheduled(family, arm, kind, study, row, best)


def _score(cell: Cell) -> float:
    known = None if cell.withheld or cell.end is None else cell.end.value
    return float("-inf") if known is None else known


# --------------------------------------------------------------------------------------------- by key


def _apart(run: Run) -> list[Apart]:
    """Every pair of refined arms that differ in one key alone, in every cell that is asked about; Holm over all."""
    of = {arm.name: made(run.found.about(arm.name)) for arm in run.report.arms if arm.control_of is None}
    arms = [name for name, found in of.items() if found.method != STATIC]
    pairs = [(one, other) for one, other in combinations(arms, 2) if len(of[one].apart(of[other])) == 1]
    asked = [str(row["target"]) for row in run.found.comparisons]
    held = [exams.measured(cell, Arm(run, one), Arm(run, other)) for cell in asked for one, other in pairs]
    found = rows.rows(held, lambda each: ())
    return [
        Apart(
            study=run.label,
            key=of[one].apart(of[other])[0],
            target=row.cell,
            levels=", ".join(dict.fromkeys(row.levels)),
            earlier=one,
            later=other,
            values=(of[one].of(of[one].apart(of[other])[0]), of[other].of(of[one].apart(of[other])[0])),
            gains=row.gains,
            difference=row.difference,
            adjusted=row.adjusted,
            word=row.word,
            unit=row.unit,
            withheld=row.withheld,
        )
        for row, (_, (one, other)) in zip(found, ((cell, pair) for cell in asked for pair in pairs), strict=True)
    ]


# --------------------------------------------------------------------------------------------- beside general agents


def _ranks(runs: Sequence[Run], cells: Sequence[Cell]) -> Iterable[Ranked]:
    """In every cell that some study worked itself: who was refined there, beside who is never refined."""
    by_label = {run.label: run for run in runs}
    direct = [cell for cell in cells if cell.level == "G1" and cell.schedule == "fresh"]
    for target in dict.fromkeys(cell.target for cell in direct):
        mine = [cell for cell in direct if cell.target == target]
        yield from _placed(by_label, [cell for cell in mine if cell.end is not None], mine)


def _ranked(runs: Mapping[str, Run], cell: Cell, among: Sequence[Cell], places: tuple[int, int]) -> Ranked:
    assert cell.end is not None
    refined = not _static(cell)
    label = cell.arm if refined else f"{cell.arm} (never refined)"
    over = _over_general(runs, cell, among) if refined and not cell.withheld else None
    return Ranked(cell.target, label, cell.made, refined, cell.end, places, cell.unit, over, cell.beside)


def _over_general(runs: Mapping[str, Run], cell: Cell, among: Sequence[Cell]) -> Estimate | None:
    """A refined agent's score less that of the best general agent of its study, task by task; A_0 plays no part."""
    general = [each for each in among if _static(each) and each.study == cell.study]
    best = max(general, key=_score, default=None)
    if best is None:
        return None
    return gain(_less(runs, cell, best), binary=False, shared_before=False)


def _less(runs: Mapping[str, Run], one: Cell, other: Cell) -> list[list[float]]:
    """The scores of one agent less those of another of its study, lineage by lineage and task by task."""
    run = runs[one.study]
    (_, mine), (_, theirs) = (scores(run.found, name, run.cell(one.target)) for name in (one.arm, other.arm))
    return [[a - b for a, b in zip(*pair, strict=True)] for pair in zip(mine, theirs, strict=True)]


def _placed(runs: Mapping[str, Run], sat: Sequence[Cell], among: Sequence[Cell]) -> list[Ranked]:
    """Highest first, each with the ranks that are left open (as in `rung.reports.compare.ranks`)."""
    pairs = [pair for pair in combinations(sat, 2) if pair[0].study == pair[1].study]
    surely = [(one, other, sign) for one, other in pairs if (sign := _sign(_less(runs, one, other), len(pairs)))]
    found = []
    for cell in sorted(sat, key=lambda each: -_score(each)):
        mine = [sign if one is cell else -sign for one, other, sign in surely if cell is one or cell is other]
        places = 1 + mine.count(-1), len(sat) - mine.count(1)
        found.append(_ranked(runs, cell, among, places))
    return found


def _sign(less: Sequence[Sequence[float]], pairs: int) -> int:
    """1 where scores are surely above, -1 where surely below, else 0: 5% are shared among all pairs of a cell."""
    found = evidence(less, binary=False, shared_before=False, seed=Seed("ranks"))
    value = found.estimate.value
    if judge(found).word not in ("improved", "regressed") or value is None or found.p is None:
        return 0
    return 0 if found.p > ALPHA / pairs else 1 if value > 0 else -1
