"""Every pair in every cell, Holm over all that were planned, and one word each."""

from collections.abc import Callable, Mapping, Sequence

from rung.reports import trust
from rung.reports.compare.exams import Measured
from rung.reports.compare.values import POLICIES, Counted, Entry, Matrix, Policy, Row, Word
from rung.stats.arms import Contrast
from rung.stats.missing import MAX_MISSING, Bounds
from rung.stats.multiplicity import planned
from rung.stats.paired import unseen_share

ALPHA = 0.05
_TURNED: Mapping[Word, Word] = {"higher": "lower", "lower": "higher"}


def rows(found: Sequence[Measured], flags: Callable[[Measured], tuple[str, ...]]) -> tuple[Row, ...]:
    """The rows with their words. `flags` says what weakens one beside what it holds itself.

    Holm counts every row, also one that came to no p or may carry no claim: a family does not shrink because a row
    ended badly. Each way of counting what was not scored is a family of its own.
    """
    counted = {policy: _counted(found, policy) for policy in POLICIES}
    return tuple(
        _row(each, {policy: counted[policy][at] for policy in POLICIES}, flags(each)) for at, each in enumerate(found)
    )


def _counted(found: Sequence[Measured], policy: Policy) -> list[Counted]:
    """Every row under one policy, with the word that policy alone would give it."""
    names = [str(at) for at in range(len(found))]
    p = {name: None if each.reasons else each.found[policy].p for name, each in zip(names, found, strict=True)}
    adjusted = planned(p, names)
    return [
        Counted(
            each.found[policy].difference,
            each.found[policy].p,
            adjusted[name],
            claimed(each.found[policy], adjusted[name]),
        )
        for name, each in zip(names, found, strict=True)
    ]


def claimed(found: Contrast, adjusted: float | None) -> Word:
    """The word of a difference by Holm's p alone: higher or lower at 5%, inconclusive, not estimable without a p."""
    value = found.difference.value
    if adjusted is None or value is None:
        return "not estimable"
    if adjusted > ALPHA or value == 0:
        return "inconclusive"
    return "higher" if value > 0 else "lower"


def _row(found: Measured, counted: Mapping[Policy, Counted], flags: tuple[str, ...]) -> Row:
    shown = counted["retried"]
    word, reasons = judged(found, counted)
    return Row(
        cell=found.cell,
        levels=found.levels,
        earlier=found.arms[0].label,
        later=found.arms[1].label,
        gains=found.gains,
        ends=found.ends,
        difference=shown.difference,
        end=found.end,
        p=shown.p,
        adjusted=shown.adjusted,
        word=word,
        unscored=dict(counted) if found.lost else {},
        bounds=found.bounds,
        planned_tasks=found.planned,
        reasons=reasons,
        flags=flags,
        unit=found.unit,
        tau_star=found.tau_star,
        unseen_share=unseen_share(shown.difference.n_tasks) if shown.difference.n_tasks else None,
    )


def judged(found: Measured, counted: Mapping[Policy, Counted]) -> tuple[Word, tuple[str, ...]]:
    """One word, and why a claim is not made.

    contaminated > incomplete (a run that is not over; more than 5% broke at the first try, or is missing; what was not
    scored decides the word, by how it is counted or by what it could have been) > the word of Holm's p.
    """
    word = counted["retried"].word
    if found.reasons:
        said: Word = "contaminated" if any(map(_withholds, found.reasons)) else "incomplete"
        return said, found.reasons
    difference = counted["retried"].difference
    if difference.value is None:
        return "incomplete", difference.flags
    if (found.planned - difference.n_tasks) / found.planned > MAX_MISSING:
        return "incomplete", (f"{difference.n_tasks} of {found.planned} tasks measured in every lineage of both",)
    reasons = (*_flips(counted), *_overturned(word, found.bounds))
    return ("incomplete", reasons) if reasons else (word, ())


def _withholds(reason: str) -> bool:
    return trust.NOT_FRESH in reason or trust.NOT_HONEST in reason


def _flips(counted: Mapping[Policy, Counted]) -> tuple[str, ...]:
    """Why a claim is not made that one way of counting makes and another does not."""
    words = {policy: counted[policy].word for policy in POLICIES}
    claims = {word if word in _TURNED else "no claim" for word in words.values()}
    if len(claims) == 1:
        return ()
    told = ", ".join(f"{policy} → {word}" for policy, word in words.items())
    return (f"the word turns on how the unscored count: {told}",)


def _overturned(word: Word, bounds: Bounds | None) -> tuple[str, ...]:
    """Why a claim is not made that the missing scores could turn round. An open end bounds nothing: it is flagged."""
    if bounds is None:
        return ()
    against = (word == "higher" and bounds.lo is not None and bounds.lo <= 0) or (
        word == "lower" and bounds.hi is not None and bounds.hi >= 0
    )
    return (f"the missing scores could overturn '{word}'",) if against else ()


# --------------------------------------------------------------------------------------------- matrices


def turned(word: Word) -> Word:
    """The word of the pair the other way round."""
    return _TURNED.get(word, word)


def matrices(found: Sequence[Row], labels: Sequence[str]) -> tuple[Matrix, ...]:
    """One matrix of differences of gains for each level and cell, in the order of the levels."""
    by_cell = {cell: [row for row in found if row.cell == cell] for cell in dict.fromkeys(row.cell for row in found)}
    made = [_matrix(cell, group, labels) for cell, group in by_cell.items()]
    return tuple(sorted(made, key=lambda matrix: matrix.level))


def level(group: Sequence[Row]) -> str:
    """The rung of a cell, or the rungs where runs ask about it on several."""
    return ", ".join(sorted({name for row in group for name in row.levels}))


def _matrix(cell: str, group: Sequence[Row], labels: Sequence[str]) -> Matrix:
    met = {name for row in group for name in (row.earlier, row.later)}
    names = [label for label in labels if label in met]
    entries = {(row.later, row.earlier): _entry(row) for row in group}
    entries |= {(row.earlier, row.later): _entry(row, sign=-1) for row in group}
    table = tuple(tuple(entries.get((one, other)) for other in names) for one in names)
    return Matrix(level(group), cell, group[0].unit, tuple(names), table)


def _entry(row: Row, *, sign: int = 1) -> Entry:
    found = row.difference
    word = row.word if sign > 0 else turned(row.word)
    if row.withheld or found.value is None:
        return Entry(None, None, None, found.n_lineages, found.n_tasks, row.adjusted, word)
    lo, hi = (found.lo, found.hi) if sign > 0 else (_minus(found.hi), _minus(found.lo))
    return Entry(sign * found.value + 0.0, lo, hi, found.n_lineages, found.n_tasks, row.adjusted, word)


def _minus(end: float | None) -> float | None:
    return None if end is None else -end
