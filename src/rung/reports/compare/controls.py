"""The gain of every arm over controls, per dollar and per million tokens of improving it.

Every arm has its A_0, frozen, as a control: over that its gain on the exam is its gain, and on the replays (G0) its
effect. Arms with the static method, and any arm that the caller names, are controls too: over those the gain is the
row of the comparison.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rung.core.values import Estimate
from rung.reports.compare import exams, prices
from rung.reports.compare.rows import turned
from rung.reports.compare.runs import Arm, same_start
from rung.reports.compare.values import Over, Row
from rung.reports.values import Rung


def controls(among: Sequence[Arm], rows: Sequence[Row], named: Sequence[Arm]) -> tuple[Over, ...]:
    """The gains over the frozen A_0s, then over every control among the arms, by level."""
    static = [arm for arm in among if arm.run.found.about(arm.name)["method"]["name"] == "static"]
    wanted = list(dict.fromkeys(arm.label for arm in (*named, *static)))
    by_label = {arm.label: arm for arm in among}
    cells = {row.cell for row in rows}
    frozen = [_over_frozen(arm, rung) for arm in among for rung in arm.report.rungs if rung.target in cells]
    others = [over for label in wanted for row in rows for over in _over(row, label, by_label)]
    return tuple(sorted((*frozen, *others), key=lambda over: (over.level, over.cell)))


def _over_frozen(arm: Arm, rung: Rung) -> Over:
    hidden = rung.verdict.word == "contaminated"
    nothing = Estimate(
        None, None, None, rung.gain.method, rung.gain.n_tasks, rung.gain.n_lineages, rung.verdict.reasons
    )
    gain = nothing if hidden else rung.gain
    tables = None if rung.level == "G0" or hidden else _tables(arm, rung.target)
    usd, tokens = _prices(gain, tables, arm)
    return Over(
        rung.level,
        rung.target,
        arm.label,
        arm.frozen,
        gain,
        rung.verdict.word,
        usd,
        tokens,
        (),
        rung.unit,
        None if hidden else rung.tau_star,
    )


_Tables = tuple[list[list[float]], list[list[float]]]


def _tables(arm: Arm, cell: str) -> _Tables:
    later = exams.gains(arm, cell)
    return [[0.0] * len(row) for row in later], later


def _over(row: Row, control: str, arms: dict[str, Arm]) -> Iterator[Over]:
    """The row as a gain over this control, if it is in it."""
    if control not in (row.earlier, row.later):
        return
    forward = control == row.earlier
    arm = arms[row.later if forward else row.earlier]
    gain = row.difference if forward else _turned(row.difference)
    if row.withheld:
        gain = replace(gain, value=None, lo=None, hi=None, flags=row.reasons)
    level = row.levels[1 if forward else 0]
    tables = None if level == "G0" or row.withheld else _pair(arms[control], arm, row.cell)
    usd, tokens = _prices(gain, tables, arm)
    word = row.word if forward else turned(row.word)
    yield Over(level, row.cell, arm.label, control, gain, word, usd, tokens, row.flags, row.unit, row.tau_star)


def _pair(control: Arm, arm: Arm, cell: str) -> _Tables:
    alone = same_start(control, arm)
    return exams.gains(control, cell, alone=alone), exams.gains(arm, cell, alone=alone)


def _turned(found: Estimate) -> Estimate:
    value, lo, hi = (None if each is None else -each for each in (found.value, found.hi, found.lo))
    return replace(found, value=value, lo=lo, hi=hi)


def _prices(gain: Estimate, tables: _Tables | None, arm: Arm) -> tuple[Estimate | None, Estimate | None]:
    """The gain by dollars and by millions of tokens; neither where no model was called in improving."""
    made = arm.report.improving.calls
    if made is None:
        return None, None
    outside = made.told > 0  # calls by the agent's own means: nothing is known of what they cost
    usd = [None if outside else calls.usd for calls in arm.costs]
    tokens = [None if outside or calls.tokens is None else calls.tokens / 1e6 for calls in arm.costs]
    per = [
        prices.scaled(gain, costs, unit) if tables is None else prices.ratio(gain, *tables, costs, unit)
        for costs, unit in ((usd, "US dollar"), (tokens, "million tokens"))
    ]
    return per[0], per[1]
