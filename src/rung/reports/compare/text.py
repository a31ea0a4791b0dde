"""A comparison for a terminal, and as Markdown. Contaminated numbers stand in no table."""

from collections.abc import Iterator, Sequence

from rung.core.values import Estimate
from rung.reports.compare.values import POLICIES, Compared, Drift, Entry, Matrix, Over, Row, Standing, Word
from rung.reports.markdown import escaped
from rung.reports.wording import FLAGS, LEVELS, clean, counted, gain_text, interval_text, number
from rung.stats import flags as say

MOST = 12
"""Keys of the configs that are listed for a reader."""
WIDE = 6
"""Arms up to which a terminal shows a matrix; above, its rows say the same."""

MARKS: dict[Word, str] = {
    "higher": "▲",
    "lower": "▼",
    "inconclusive": "○",
    "not estimable": "×",
    "contaminated": "!",
    "incomplete": "◇",
}
READ = (
    "Rows are differences of gains (A_T less A_0), the later arm less the earlier, with their own 95% intervals. "
    "A word rests on Holm's p over {planned}; without one it says that the data cannot carry a word."
)
RANKED = (
    "Ranks are what the tests of all pairs of a cell leave open, together with 95%; 1 gained most. There is no rank "
    "over cells: their units differ."
)
LEGEND = "  ".join(f"{mark} {word}" for word, mark in MARKS.items())
PRICED = "By what it costs to improve a lineage: all that it spent on working, trials and refining, not on the exam."


def _planned(found: Compared) -> str:
    return counted(found.planned_rows, "planned row")


def _title(found: Compared) -> str:
    exams = list(dict.fromkeys(found.exams.values()))
    on = f"one exam ({exams[0]})" if len(exams) == 1 else f"{len(exams)} exams"
    arms, runs = counted(len(found.entrants), "arm"), counted(len(found.runs), "run")
    return f"{arms} of {runs} on {on}, {counted(found.tasks, 'task')} in common"


def _heads(found: Compared) -> list[tuple[str, str, str]]:
    return [(each.level, each.cell, each.unit) for each in found.matrices]


def _head(level: str, cell: str, unit: str) -> str:
    said = f", {LEVELS[level]}" if level in LEVELS else ""
    return f"{level}{said}: {clean(cell)} ({clean(unit)})"


# --------------------------------------------------------------------------------------------- a terminal


def lines(found: Compared) -> Iterator[str]:
    """The comparison, line by line: stamps, what weakens it, and of each cell rows, matrix, ranks and controls."""
    yield _title(found)
    yield from (f"*** {clean(stamp)}" for stamp in found.stamps)
    yield READ.format(planned=_planned(found))
    yield from (f"- {clean(warning)}" for warning in found.warnings)
    yield from (f"- {_drift(each)}" for each in found.drift)
    for level, cell, unit in _heads(found):
        yield ""
        yield _head(level, cell, unit)
        yield from _cell(found, cell)
    yield ""
    yield LEGEND
    if found.standings:
        yield RANKED
    if _priced(found):
        yield PRICED
    yield from _differs(found)


def _priced(found: Compared) -> bool:
    return any(over.per_usd for over in found.controls)


def _cell(found: Compared, cell: str) -> Iterator[str]:
    rows = [row for row in found.rows if row.cell == cell]
    yield from (f"  {line}" for line in _unseen(rows))
    for row in rows:
        yield f"  {clean(row.later)} less {clean(row.earlier)}: {said(row)}"
        yield from (f"      {clean(line)}" for line in aside(row))
    matrix = next(each for each in found.matrices if each.cell == cell)
    if 2 < len(matrix.labels) <= WIDE:
        yield from _drawn(matrix)
    yield from (f"  {_standing(each)}" for each in found.standings if each.cell == cell)
    for over in (over for over in found.controls if over.cell == cell):
        yield f"  {clean(over.label)} over {clean(over.control)}: {over_text(over)}"
        yield from (f"      {line}" for line in per_text(over))


def said(row: Row) -> str:
    """The difference of a row, on how much it rests, its p and its word."""
    if row.withheld:
        return f"withheld: contaminated ({'; '.join(map(clean, row.reasons))})"
    p = "no p" if row.adjusted is None else f"p {row.adjusted:.3g}"
    return f"{gain_text(row.difference)}, {_size(row)}, {p}: {row.word}"


def _size(row: Row) -> str:
    """On how much a row rests, so that nothing is multiplied that should not be."""
    lineages, tasks = counted(row.difference.n_lineages, "lineage"), row.difference.n_tasks
    if "G0" in row.levels:
        return f"{counted(tasks, 'replay')} in all, {lineages}"
    return f"{lineages} × {counted(tasks, 'task')}"


def aside(row: Row) -> Iterator[str]:
    """What stands beside the number of a row: reasons, the three ways to count the unscored, bounds, flags."""
    if row.withheld:
        return
    if len(set(row.levels)) > 1:
        yield f"rungs: {row.levels[1]} less {row.levels[0]}"
    yield from row.reasons
    if row.end is not None and gain_text(row.end) != gain_text(row.difference):
        yield f"A_T alone: {gain_text(row.end)}"
    if row.unscored:
        told = (f"{policy} {gain_text(row.unscored[policy].difference)}" for policy in POLICIES)
        yield f"unscored = {'; = '.join(told)}; worst cases {_bounds(row)}"
    yield from _one_run(row)
    shown = (*row.flags, *(flag for flag in row.difference.flags if flag not in row.reasons))
    if shown:
        yield "; ".join(shown)


def _one_run(row: Row) -> Iterator[str]:
    """What one lineage cannot see."""
    if row.difference.n_lineages == 1 and row.difference.lo is not None:
        yield f"{FLAGS[say.END_STATE_ONLY]}{_tau(row.tau_star)}"


def _unseen(rows: Sequence[Row]) -> list[str]:
    """The 3/N line of a cell, of its row with the fewest tasks."""
    shares = [row.unseen_share for row in rows if row.unseen_share is not None]
    if not shares:
        return []
    return [f"a change on fewer than {100 * max(shares):.3g}% of such tasks can be missed entirely (3/N)"]


def _tau(tau_star: float | None) -> str:
    if tau_star is None:
        return ""
    return f"; tau* {number(tau_star)}: if whole runs differ by a standard deviation above this, the claim is gone"


def _bounds(row: Row) -> str:
    lo, hi = (None, None) if row.bounds is None else (row.bounds.lo, row.bounds.hi)
    if lo is None and hi is None:
        return "have no bound"
    least = "no lower bound" if lo is None else number(lo, hi, signed=True)
    return f"{least} to {'no upper bound' if hi is None else number(hi, lo, signed=True)}"


def _standing(found: Standing) -> str:
    return f"rank of {clean(found.label)}: {rank_text(found)}, by a gain of {number(found.gain, signed=True)}"


def rank_text(found: Standing) -> str:
    """The ranks that are left open, and never one without how many there are."""
    if found.best == found.worst:
        return f"{found.best} of {found.of}"
    return f"{found.best} to {found.worst} of {found.of}"


def over_text(over: Over) -> str:
    """A gain over a control with its word."""
    if over.word == "contaminated":
        return "withheld: contaminated"
    scope = f", {say.END_STATE_ONLY}" if over.gain.n_lineages == 1 else ""
    return f"{gain_text(over.gain)}: {over.word}{scope}{_tau(over.tau_star)}"


def per_text(over: Over) -> Iterator[str]:
    """The gain by what improving cost; nothing where no model was called in it."""
    for found, unit in ((over.per_usd, "US dollar"), (over.per_million_tokens, "million tokens")):
        if found is not None and over.word != "contaminated":
            yield f"per {unit} of improving: {_ratio(found)}"


def _ratio(found: Estimate) -> str:
    if found.value is None:
        return "; ".join(found.flags)
    return "; ".join([gain_text(found), *found.flags])


def _drift(found: Drift) -> str:
    p = "" if found.adjusted is None else f", p {found.adjusted:.3g}"
    return clean(
        f"A_0 ({found.beginning}) in {found.later} less {found.earlier}, {found.cell}: "
        f"{gain_text(found.difference)}{p}: {found.word}"
    )


def _drawn(matrix: Matrix) -> Iterator[str]:
    """The matrix: the gain of the row's arm less that of the column's, with interval, p and sizes under it."""
    yield "  row less column:"
    for number_, label in enumerate(matrix.labels, 1):
        yield f"    [{number_}] {clean(label)}"
    width = max(len(line) for row in matrix.entries for entry in row for line in _entry(entry))
    yield "    " + " " * 5 + "  ".join(f"[{at}]".ljust(width) for at in range(1, len(matrix.labels) + 1)).rstrip()
    for at, row in enumerate(matrix.entries, 1):
        for place, parts in enumerate(zip(*map(_entry, row), strict=True)):
            head = f"[{at}]" if place == 0 else ""
            yield ("    " + head.ljust(5) + "  ".join(part.ljust(width) for part in parts)).rstrip()


def _entry(entry: Entry | None) -> tuple[str, str, str]:
    if entry is None:
        return "·", "", ""
    if entry.value is None:
        return f"{MARKS[entry.word]} {entry.word}", "", ""
    made = Estimate(entry.value, entry.lo, entry.hi, "", entry.n_tasks, entry.n_lineages)
    p = "no p" if entry.adjusted is None else f"p {entry.adjusted:.3g}"
    value = number(entry.value, entry.lo, entry.hi, signed=True)
    return f"{MARKS[entry.word]} {value}", interval_text(made), f"{p}, {entry.n_lineages} × {entry.n_tasks}"


def _differs(found: Compared) -> Iterator[str]:
    if found.differs:
        yield ""
        yield "What the configs say differently:"
    for key, values in list(found.differs.items())[:MOST]:
        yield f"- {clean(key)}: {', '.join(f'{clean(run)} {clean(value)}' for run, value in values.items())}"
    if len(found.differs) > MOST:
        yield f"- and {counted(len(found.differs) - MOST, 'other key')}, in --json"


# --------------------------------------------------------------------------------------------- Markdown

ROWS = (
    "later",
    "earlier",
    "rung",
    "later gain",
    "earlier gain",
    "difference [95%]",
    "rests on",
    "Holm's p",
    "word",
    "beside",
)
CONTROLS = ("arm", "control", "gain over it [95%]", "per US dollar", "per million tokens")


def markdown(found: Compared) -> str:
    """The comparison as Markdown: what weakens it, and for each level and cell its rows, matrix, ranks and controls."""
    blocks = [f"# {escaped(_title(found))}", *(f"> **{escaped(stamp)}**" for stamp in found.stamps)]
    blocks += [READ.format(planned=_planned(found)), "\n".join(f"- {escaped(text)}" for text in found.warnings)]
    blocks += ["\n".join(f"- {escaped(_drift(each))}" for each in found.drift)]
    for level, cell, unit in _heads(found):
        blocks += [f"## {escaped(_head(level, cell, unit))}", *_tables(found, cell)]
    notes = [*([RANKED] if found.standings else []), *([PRICED] if _priced(found) else []), LEGEND]
    made = "\n".join(f"- {escaped(key)}: `{name}`" for key, name in found.how.items())
    return "\n\n".join(block for block in [*blocks, *notes, "## How each number is made", made] if block) + "\n"


def _tables(found: Compared, cell: str) -> Iterator[str]:
    rows = [row for row in found.rows if row.cell == cell]
    yield _table(ROWS, [_row(row) for row in rows])
    yield from _unseen(rows)
    matrix = next(each for each in found.matrices if each.cell == cell)
    if len(matrix.labels) > 2:
        heads = ("row less column", *matrix.labels)
        yield _table(heads, [(one, *map(_flat, row)) for one, row in zip(matrix.labels, matrix.entries, strict=True)])
    ranked = [each for each in found.standings if each.cell == cell]
    if ranked:
        yield _table(
            ("arm", "gain", "rank"), [(each.label, number(each.gain, signed=True), rank_text(each)) for each in ranked]
        )
    yield _table(CONTROLS, [_over(over) for over in found.controls if over.cell == cell])


def _row(row: Row) -> tuple[str, ...]:
    early, late = (None, None) if row.withheld else row.gains
    difference = "withheld" if row.withheld else gain_text(row.difference)
    p = "–" if row.adjusted is None else f"{row.adjusted:.3g}"
    rung = row.levels[0] if len(set(row.levels)) == 1 else f"{row.levels[1]} less {row.levels[0]}"
    beside = "; ".join(row.reasons if row.withheld else aside(row))
    means = (number(late, signed=True), number(early, signed=True))
    return (row.later, row.earlier, rung, *means, difference, _size(row), p, row.word, beside)


def _flat(entry: Entry | None) -> str:
    return " ".join(part for part in _entry(entry) if part)


def _over(over: Over) -> tuple[str, ...]:
    hidden = over.word == "contaminated"
    per = ("–" if found is None or hidden else _ratio(found) for found in (over.per_usd, over.per_million_tokens))
    return (over.label, over.control, "withheld" if hidden else over_text(over), *per)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    told = ["| " + " | ".join(map(escaped, row)) + " |" for row in (heads, *rows)]
    return "\n".join([told[0], "|" + " --- |" * len(heads), *told[1:]])
