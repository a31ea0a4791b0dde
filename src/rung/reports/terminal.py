"""A ladder report in a terminal: the whole ladder on one screen, 80 columns wide."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rung.core.values import Estimate
from rung.reports.values import ArmReport, LadderReport, Rung
from rung.reports.wording import LEVELS, MARKS, clean, counted, gain_text, withheld
from rung.stats.verdict import Word

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_STYLES: Mapping[Word, str] = MappingProxyType(
    {"improved": "bold cyan", "regressed": "bold red", "contaminated": "magenta", "incomplete": "yellow"}
)
_MOST_ARMS = 8


def terminal(report: LadderReport) -> "RenderableType":
    """A summary of at most some 25 lines: arms by rungs, then how much weakens it and what is missing."""
    from rich.console import Group
    from rich.text import Text

    left = len(report.arms) - _MOST_ARMS
    more = [Text(f"and {counted(left, 'arm')} more, in the full report", style="dim")] if left > 0 else []
    used = dict.fromkeys(rung.verdict.word for arm in report.arms for rung in arm.rungs)
    several = ["1/n the first of n"] if any(_several(arm) for arm in report.arms) else []
    legend = Text("  ".join([*(f"{MARKS[word]} {word}" for word in used), "· not asked", *several]), style="dim")
    return Group(*_head(report), _table(report), *more, legend, *_tail(report))


def _head(report: LadderReport) -> list["Text"]:
    """Name, size and, where there is but one lineage, how far its claims go: a line each."""
    agents = "scripted agents" if report.scripted else "live agents"
    exam = f"{counted(report.exam_tasks, 'exam task')} (A_0 ×{report.baseline_repeats}, A_T ×{report.repeats})"
    size = f"{counted(len(report.arms), 'arm')}, {counted(report.lineages, 'lineage')}, {exam}, {agents}"
    claim = [_line("one lineage: every claim is about this end state only", "bold")] if report.lineages == 1 else []
    return [_line(clean(report.name), "bold"), _line(size, "dim"), *claim]


def _several(arm: ArmReport) -> bool:
    levels = [rung.level for rung in arm.rungs]
    return len(levels) > len(set(levels))


def _table(report: LadderReport) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("arm", min_width=9, max_width=14, no_wrap=True, overflow="ellipsis")
    for level in LEVELS:
        table.add_column(level)
    for arm in report.arms[:_MOST_ARMS]:
        cells = [_cell([rung for rung in arm.rungs if rung.level == level]) for level in LEVELS]
        table.add_row(Text(clean(arm.name)), *cells)
    return table


def _cell(rungs: Sequence[Rung]) -> "Text":
    from rich.text import Text

    if not rungs:
        return Text("·", style="dim")
    rung, word = rungs[0], rungs[0].verdict.word
    shown = "withheld" if withheld(rung) else _short(rung.gain)
    first = shown.replace("\n", f" 1/{len(rungs)}\n") if len(rungs) > 1 else shown
    return Text(f"{MARKS[word]} {first}", style=_STYLES.get(word, ""))


def _short(gain: Estimate) -> str:
    """A gain to two decimals on two lines; with more where the scale of it asks for more."""
    ends = [end for end in (gain.value, gain.lo, gain.hi) if end is not None]
    if len(ends) == 3 and 0.01 <= max(map(abs, ends)) < 1:
        value, lo, hi = (f"{end:.2f}".replace("-", "−") for end in ends)
        return f"{'' if value.startswith('−') else '+'}{value}\n[{lo},{hi}]"
    return gain_text(gain).replace(", ", ",").replace(" [", "\n[")


def _tail(report: LadderReport) -> list["Text"]:
    weak = "nothing recorded weakens this"
    if report.weaknesses:
        verb = "thing weakens" if len(report.weaknesses) == 1 else "things weaken"
        weak = f"{len(report.weaknesses)} {verb} this; first: {clean(report.weaknesses[0])}"
    lines = [_line(weak)]
    if report.incomplete:
        names = "; ".join(map(clean, report.incomplete[:3]))
        rest = f"; and {len(report.incomplete) - 3} more" if len(report.incomplete) > 3 else ""
        lines.append(_line(f"incomplete: {names}{rest}", "bold yellow"))
    return lines


def _line(text: str, style: str = "") -> "Text":
    """One line, cut where the terminal ends."""
    from rich.text import Text

    return Text(text, style=style, overflow="ellipsis", no_wrap=True)
