"""A ladder report in a terminal: the whole ladder on one screen, 80 columns wide."""

import io
from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

from rung.core.values import Ending
from rung.reports import apparatus, changes, controls_text, registered
from rung.reports.accounts import agents, attempts_text, budget_text, called, ended, ending_name, headline, spent
from rung.reports.values import ArmReport, LadderReport, Rung
from rung.reports.wording import (
    LEVELS,
    MARKS,
    SIGNS,
    clean,
    counted,
    footnote,
    footnotes,
    short,
    truth_line,
    withheld,
)
from rung.stats.verdict import Word

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_STYLES: Mapping[Word, str] = MappingProxyType(
    {"improved": "bold cyan", "regressed": "bold red", "contaminated": "magenta", "incomplete": "yellow"}
)
_MOST_ARMS, _MOST_BROKEN = 8, 4
_WIDEST = 10  # signs of both ends of an interval that fit one line of a column, five columns to a terminal


def terminal(report: LadderReport, *, resume: str | None = None) -> "RenderableType":
    """A summary of one screen or little more: arms by rungs, then what weakens it most and what is missing.

    `resume` is the command that would go on with an unfinished run, where the caller knows it.
    """
    from rich.console import Group

    left = len(report.arms) - _MOST_ARMS
    more = [_line(f"and {counted(left, 'arm')} more, in the full report", "dim")] if left > 0 else []
    over = controls_text.terminal(report.over, most=_MOST_ARMS)
    beside = [] if over is None else [over]
    return Group(
        *_head(report), _table(report), *more, *beside, *_legend(report), *_truth(report), *_tail(report, resume)
    )


def text(report: LadderReport, *, width: int = 80) -> str:
    """The summary as plain text."""
    from rich.console import Console

    out = io.StringIO()
    Console(width=width, file=out, color_system=None, highlight=False).print(terminal(report))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


OUT_OF_ORDER: tuple[Ending, ...] = ("agent_crashed", "agent_stopped", "limit_reached", "instrument_fault")
ENDED = {
    "agent_crashed": "crashed",
    "agent_stopped": "stopped",
    "limit_reached": "reached a limit",
    "instrument_fault": "faulted",
}
"""In which words the short report counts them; the endings of agent programs by their own names."""


def _head(report: LadderReport) -> list["Text"]:
    """Name, how far it is, size, and, where there is but one lineage, how far its claims go: a line each."""
    exam = f"{counted(report.exam_tasks, 'exam task')} (A_0 ×{report.baseline_repeats}, A_T ×{report.repeats})"
    size = f"{counted(len(report.arms), 'arm')}, {counted(report.lineages, 'lineage')}, {exam}, {agents(report)}"
    unfinished = [_line(headline(report), "bold yellow")] if headline(report) else []
    claim = [_line("one lineage: every claim is about this end state only", "bold")] if report.lineages == 1 else []
    return [
        _line(clean(report.name), "bold"),
        *unfinished,
        _line(clean(size), "dim"),
        *_cost(report),
        *_endings(report),
        *_promise(report),
        *(_line(clean(said), "dim") for said in apparatus.lines(report)),
        *(_line(said, "dim") for said in islice(changes.lines(report.changes), _MOST_ARMS)),
        *_honesty(report),
        *claim,
    ]


def _cost(report: LadderReport) -> list["Text"]:
    """Model calls, dollars and what they may come to; nothing where no model was called."""
    if not any(cost.calls for _, _, cost in spent(report)):
        return []
    limits = budget_text(report.spending) if report.spending else ""
    budget = f"; budget spent: {limits}" if limits else ""
    return [_line(f"{called(report)}{budget}", "dim")]


def _promise(report: LadderReport) -> list["Text"]:
    """How far a registered plan was kept, whole where it was not; nothing where none was registered."""
    from rich.text import Text

    said = clean(registered.line(report.registered))
    if not said:
        return []
    return [_line(said, "dim")] if said.endswith("kept") else [Text(said, style="bold yellow")]


def _honesty(report: LadderReport) -> list["Text"]:
    """A line for every arm that the audit does not find clean."""
    doubted = [each for each in report.honesty if each.word != "clean"]
    return [
        _line(f"{clean(each.arm)}: {each.word} ({counted(len(each.evidence), 'piece')} of evidence)", "bold magenta")
        for each in doubted[:_MOST_BROKEN]
    ]


def _endings(report: LadderReport) -> list["Text"]:
    """The one total of attempts, and a line for everybody of whom some ended out of order."""
    broken = {who: said for who, said in _out_of_order(report).items() if said}
    order = "" if broken else ", all ended in order"
    lines = [_line(f"{attempts_text(report)}{order}", "dim")]
    lines += [
        _line(f"{clean(who)}: {'; '.join(said)}", "bold red") for who, said in list(broken.items())[:_MOST_BROKEN]
    ]
    rest = len(broken) - _MOST_BROKEN
    return [*lines, _line(f"and {rest} more whose attempts ended out of order", "bold red")] if rest > 0 else lines


def _out_of_order(report: LadderReport) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for who, stage, ends in ended(report):
        others = [each for each in get_args(Ending) if each not in OUT_OF_ORDER and each != "queue_empty"]
        said = [
            f"{ends.of(each):,} {ENDED.get(each, ending_name(each))}"
            for each in (*OUT_OF_ORDER, *others)
            if ends.of(each)
        ]
        found.setdefault(who, []).extend([f"{stage} {', '.join(said)} of {ends.total:,}"] if said else [])
    return found


def _legend(report: LadderReport) -> list["Text"]:
    from rich.text import Text

    shown = [rung for arm in report.arms[:_MOST_ARMS] for rung in arm.rungs]
    used = dict.fromkeys(rung.verdict.word for rung in shown)
    several = ["1/n the first of n"] if any(_several(arm) for arm in report.arms) else []
    lines = ["  ".join([*(f"{MARKS[word]} {word}" for word in used), "· not asked", *several])]
    lines += [f"{sign} {clean(meaning)}" for sign, meaning in footnotes(shown).items()]
    return [Text(line, style="dim") for line in lines]


def _several(arm: ArmReport) -> bool:
    levels = [rung.level for rung in arm.rungs]
    return len(levels) > len(set(levels))


def _table(report: LadderReport) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("arm", min_width=9, max_width=14, no_wrap=True, overflow="ellipsis")
    for level in LEVELS:
        table.add_column(level)
    for arm in report.arms[:_MOST_ARMS]:
        cells = [_cell([rung for rung in arm.rungs if rung.level == level]) for level in LEVELS]
        table.add_row(_name(arm), *cells)
    return table


def _name(arm: ArmReport) -> "Text":
    """An arm's name, and where the truth of it is known its signs on the five rungs below."""
    from rich.text import Text

    signs = {rung.level: rung.truth for rung in arm.rungs}
    if all(sign is None for sign in signs.values()):
        return Text(clean(arm.name))
    row = " ".join(SIGNS[signs[level]] if level in signs else "·" for level in LEVELS)
    return Text.assemble(clean(arm.name), "\n", (row, "dim"))


def _cell(rungs: Sequence[Rung]) -> "Text":
    from rich.text import Text

    if not rungs:
        return Text("·", style="dim")
    rung, word = rungs[0], rungs[0].verdict.word
    first, *interval = ["withheld"] if withheld(rung) else _short(rung)
    count = f" 1/{len(rungs)}" if len(rungs) > 1 else ""
    return Text("\n".join([f"{MARKS[word]} {first}{count}", *interval]), style=_STYLES.get(word, ""))


def _short(rung: Rung) -> list[str]:
    """A gain on one line and its interval on the next, or on the next two where one is too narrow for it."""
    gain = rung.gain
    if gain.value is None:
        return [rung.verdict.word]
    ends = [end for end in (gain.value, gain.lo, gain.hi) if end is not None]
    value = short(gain.value, *ends, signed=True)
    if gain.lo is None or gain.hi is None:
        return [value, "[no interval]"]
    lo, hi = short(gain.lo, *ends), short(gain.hi, *ends)
    narrow = len(lo) + len(hi) <= _WIDEST and "," not in lo + hi
    return [f"{value}{footnote(rung)}", *([f"[{lo},{hi}]"] if narrow else [f"[{lo},", f" {hi}]"])]


def _truth(report: LadderReport) -> list["Text"]:
    from rich.text import Text

    said = truth_line(report)
    if not said:
        return []
    return [Text(f"{clean(said)} (true signs from G0 to G4 stand below each name)", style="dim")]


def _tail(report: LadderReport, resume: str | None) -> list["Text"]:
    """What weakens it most, whole; how much else does; what is missing; how to go on."""
    from rich.text import Text

    lines = [Text("nothing recorded weakens this")]
    if report.weaknesses:
        rest = len(report.weaknesses) - 1
        lines = [Text(f"what weakens this most: {clean(report.weaknesses[0])}", style="bold")]
        lines += [_line(f"{counted(rest, 'other thing')} {'weakens' if rest == 1 else 'weaken'} it")] if rest else []
    if report.incomplete:
        names = f"{counted(len(report.incomplete), 'hole')}, the first: {clean(report.incomplete[0])}"
        lines.append(_line(f"incomplete: {names}", "bold yellow"))
    if headline(report):
        lines.append(Text(f"to resume: {clean(resume or 'run the same command again')}"))
    return lines


def _line(text: str, style: str = "") -> "Text":
    """One line, cut where the terminal ends."""
    from rich.text import Text

    return Text(text, style=style, overflow="ellipsis", no_wrap=True)
