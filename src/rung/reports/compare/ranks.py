"""Which rank the gain of an arm can have in one cell. Never a bare rank, and never one over cells of different units.

An arm is surely better than another where the test of their difference rejects at 5% shared among all pairs of the
cell (Bonferroni), so that all such findings of a cell hold together with 95%. Its rank lies between 1 + how many are
surely better and n - how many are surely worse; so do all true ranks of the cell together, with 95%.
Source: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries; the counting as in Klein, Wright and Wieczorek 2020, A joint
confidence region for an overall ranking of populations.
"""

from collections.abc import Sequence

from rung.reports.compare.rows import level
from rung.reports.compare.values import Row, Standing, Word

ALPHA = 0.05
_OPEN: tuple[Word, ...] = ("contaminated", "incomplete", "not estimable")


def standings(rows: Sequence[Row], labels: Sequence[str]) -> tuple[Standing, ...]:
    """The ranks of every arm in every cell of which all pairs were held against each other; 1 gained most."""
    found = []
    for cell in dict.fromkeys(row.cell for row in rows):
        group = [row for row in rows if row.cell == cell]
        met = {name for row in group for name in (row.earlier, row.later)}
        names = [label for label in labels if label in met]
        if len(group) == len(names) * (len(names) - 1) // 2:
            found += [_standing(group, name, len(names)) for name in names]
    return tuple(sorted(found, key=lambda standing: standing.level))


def _standing(group: Sequence[Row], name: str, of: int) -> Standing:
    signs = [_sign(row, name, len(group)) for row in group if name in (row.earlier, row.later)]
    best, worst = 1 + signs.count(-1), of - signs.count(1)
    return Standing(level(group), group[0].cell, name, _gain(group, name), best, worst, of)


def _sign(row: Row, name: str, pairs: int) -> int:
    """1 where the named arm surely gained more, -1 where it surely gained less, else 0."""
    value = row.difference.value
    if row.word in _OPEN or row.p is None or value is None or row.p > ALPHA / pairs or value == 0:
        return 0
    return 1 if (value > 0) == (name == row.later) else -1


def _gain(group: Sequence[Row], name: str) -> float | None:
    row = next(row for row in group if name in (row.earlier, row.later))
    return None if row.withheld else row.gains[name == row.later]
