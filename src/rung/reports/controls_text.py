"""The gains over controls in words, for every renderer: a terminal, Markdown, a page and flat rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rung.reports import controls
from rung.reports.over import Gate, Over
from rung.reports.values import ArmReport, LadderReport, Rung
from rung.reports.wording import LEVELS, MARKS, clean, counted, gain_text, number, percent, short

if TYPE_CHECKING:
    from rich.table import Table

INTRODUCED = (
    "An arm with a control is the same agent with the same method, asked and tried as often; only what the method "
    "proposes is put out of work. The gain over a control is the arm's less the control's, lineage by lineage and task "
    "by task. A gain clears its control when that difference is called improved and, from G1 up, holds by Holm over "
    "all these rows at 5%."
)

KINDS: Mapping[str, str] = {
    "discard": "everything it proposes is thrown away",
    "no-op": "what it proposes is replaced by what was there already",
    "random-edit": "what it proposes is replaced by as large an edit of random letters",
    "shuffled": "what it writes goes in with its words in another order",
}

HEADS = (
    "arm",
    "over",
    "rung",
    "examined on",
    "gain over the control [95%]",
    "unit",
    "verdict",
    "p after Holm",
    "clears",
)


def cells(row: Over) -> tuple[str, ...]:
    """One row of the table, under `HEADS`."""
    said = "withheld: contaminated" if row.verdict.word == "contaminated" else gain_text(row.gain)
    p = "not corrected" if row.level == "G0" else "none" if row.adjusted is None else number(row.adjusted)
    yes = "yes" if row.clears else "no"
    return row.arm, row.kind, row.level, row.target, said, row.unit, row.verdict.word, p, yes


def role(arm: ArmReport) -> str:
    """Behind a method's name, which control it is and of which arm; empty for an arm that is none.

    >>> from types import SimpleNamespace
    >>> role(SimpleNamespace(control_kind="no-op", control_of="main"))
    ', put out of work as the control no-op of main'
    """
    return f", put out of work as the control {arm.control_kind} of {arm.control_of}" if arm.control_of else ""


def gate_text(gate: Gate) -> str:
    """What became of what a control proposed, in a sentence without its full stop."""
    took = f"the gate took over {percent(gate.accepted, gate.asked)}" if gate.asked else "nothing was proposed"
    empty = f"; {percent(gate.empty, gate.proposed)} edits held no text to write anew" if gate.empty else ""
    return f"{gate.control} ({KINDS[gate.kind]}): {took}{empty}"


# --------------------------------------------------------------------------------------------- what weakens a study


def weaknesses(report: LadderReport) -> Iterator[str]:
    """Gains that do not clear their controls, and controls that had little to put in."""
    for arm in report.arms:
        for rung in arm.rungs:
            yield from _not_cleared(rung, report.over)
    for gate in report.gates:
        if 2 * gate.empty > gate.proposed:
            yield (
                f"{gate.control} controls little: {gate.empty:,} of the {counted(gate.proposed, 'edit')} it stands for "
                "held no text that could be written anew."
            )


def _not_cleared(rung: Rung, found: Sequence[Over]) -> Iterator[str]:
    short = [f"over {row.kind} {gain_text(row.gain)}, {_why(row)}" for row in controls.not_cleared(rung, found)]
    if short:
        row = f"{rung.level}" if rung.level == "G0" else f"{rung.level} ({rung.target})"
        yield f"The gain of {rung.arm} on {row} does not clear its controls: {'; '.join(short)}."


def _why(row: Over) -> str:
    word = row.verdict.word
    return word if word != "improved" else f"improved, but not by Holm (p = {number(row.adjusted)})"


# --------------------------------------------------------------------------------------------- a terminal


def terminal(found: Sequence[Over], *, most: int) -> "Table | None":
    """Arms by rungs, each less its control; None where there is no control."""
    from rich.table import Table
    from rich.text import Text

    if not found:
        return None
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("less control", min_width=9, max_width=14, overflow="fold")
    for level in LEVELS:
        table.add_column(level)
    for arm, kind in list(dict.fromkeys((row.arm, row.kind) for row in found))[:most]:
        rows = [row for row in found if (row.arm, row.kind) == (arm, kind)]
        said = [_cell([row for row in rows if row.level == level]) for level in LEVELS]
        table.add_row(Text(f"{clean(arm)}\n- {kind}"), *map(Text, said))
    return table


def _cell(rows: Sequence[Over]) -> str:
    if not rows:
        return "·"
    row = rows[0]
    mark, more = MARKS[row.verdict.word], f" 1/{len(rows)}" if len(rows) > 1 else ""
    gain = row.gain
    if row.verdict.word == "contaminated" or gain.value is None:
        return f"{mark} {row.verdict.word}{more}"
    ends = [end for end in (gain.value, gain.lo, gain.hi) if end is not None]
    lines = [f"{mark} {short(gain.value, *ends, signed=True)}{more}"]
    if gain.lo is not None and gain.hi is not None:
        lines.append(f"[{short(gain.lo, *ends)},{short(gain.hi, *ends)}]")
    return "\n".join(lines)


# --------------------------------------------------------------------------------------------- one flat row


def columns(rung: Rung, found: Iterable[Over]) -> Mapping[str, Any]:
    """The columns of a flat row: whether a gain clears its controls, and the least gain over one; empty without any."""
    rows = [row for row in found if (row.arm, row.level, row.target) == (rung.arm, rung.level, rung.target)]
    known = [row for row in rows if row.gain.value is not None and row.verdict.word != "contaminated"]
    least = min(known, key=lambda row: row.gain.value or 0.0, default=None)
    return {
        "clears_controls": None if not rows else "yes" if all(row.clears for row in rows) else "no",
        "least_control": None if least is None else least.kind,
        "over_least_control": None if least is None else least.gain.value,
        "over_least_control_lo": None if least is None else least.gain.lo,
        "over_least_control_hi": None if least is None else least.gain.hi,
        "over_least_control_p_holm": None if least is None else least.adjusted,
        "over_least_control_verdict": None if least is None else least.verdict.word,
    }
