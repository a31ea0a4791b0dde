"""The accounts of a report in words: how much was measured, by whom, how it ended and what it took."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, get_args

from rung.core.values import Ending
from rung.reports import truth
from rung.reports.values import (
    Actions,
    ArmReport,
    Cost,
    Endings,
    Failed,
    LadderReport,
    ModelUse,
    Programs,
    Shared,
    Spending,
    Worked,
)
from rung.reports.wording import counted, money, number, usd_text


def title(report: LadderReport) -> str:
    """What kind of report it is."""
    return "Ladder report" if report.programs is None else "Cell report"


def subtitle(report: LadderReport) -> str:
    """How much was measured, in one sentence without its full stop."""
    runs = "1 lineage: this end state only" if report.lineages == 1 else f"{report.lineages} lineages"
    tasks = counted(report.exam_tasks, "sealed exam task")
    arms = counted(len(report.arms), "arm")
    return f"{arms}, {runs}, {tasks}, {attempts_text(report)}, {agents(report)}, {called(report)}"


def agents(report: LadderReport) -> str:
    """Whose code acted, or which model."""
    if report.programs is not None and all(arm.agent.partition(":")[0] == "command" for arm in report.arms):
        return "agent programs"
    if report.scripted or not report.arms:
        return "scripted agents"
    kinds = {arm.name: _kind(arm) for arm in report.arms}
    said = list(dict.fromkeys(kind for kind in kinds.values() if kind != "scripted agents"))
    if not said:
        return "scripted agents"
    lead = ["scripted agents"] if "scripted agents" in kinds.values() else []
    return " and ".join([*lead, *said])


def _kind(arm: ArmReport) -> str:
    if truth.phantoms([arm.agent]):
        return "scripted agents"
    if arm.model is not None and arm.agent == "chat":
        return f"{arm.model} acting"
    return "functions of yours" if arm.agent.startswith("function ") or arm.agent.endswith(".py") else "agents of yours"


def called(report: LadderReport) -> str:
    """How often a model was called and for how much, as far as the record knows."""
    found = [cost.calls for cost in _each(report) if cost.calls is not None]
    if not found:
        return "no model was called"
    dollars = [calls.usd for calls in found]
    most = [calls.usd_at_most for calls in found]
    return f"{counted(sum(calls.made for calls in found), 'model call')}, {_dollars(dollars, most)}"


def _dollars(dollars: Sequence[float | None], most: Sequence[float | None]) -> str:
    if None not in dollars:
        return f"${money(_total(dollars))}"
    return "dollars unknown" if None in most else f"dollars unknown, at most ${money(_total(most))}"


def _total(amounts: Sequence[float | None]) -> float:
    return sum(amount for amount in amounts if amount is not None)


def _each(report: LadderReport) -> list[Cost]:
    """The cost of everything, each part once."""
    arms = [cost for arm in report.arms for cost in (arm.improving, arm.examining)]
    return [*arms, *(one.cost for one in report.shared)]


def sittings(report: LadderReport) -> str:
    """Who sits the exam, and how often each task."""
    if report.programs is not None:
        return _forks(report, report.programs)
    first = sum(one.stage == "examining" for one in report.shared)
    last = len(report.arms) * report.lineages
    shared = "shared by all lineages and by all arms that begin alike" if last > 1 else "its only one"
    return (
        f"{counted(first, 'A_0 examinee')} ({shared}) {'sits' if first == 1 else 'sit'} each task "
        f"{_times(report.baseline_repeats)}, {counted(last, 'A_T examinee')} (one per arm and lineage) "
        f"{_times(report.repeats)}"
    )


def _forks(report: LadderReport, found: Programs) -> str:
    """Who sits the exam of a cell. Every attempt is by a fresh fork."""
    fresh = report.config["cell"]["before"] == "fresh"
    whose = "anew for each lineage" if fresh else "shared by all lineages" if report.lineages > 1 else "before the work"
    late = sum(one.cost.attempts for one in report.shared if one.name in {each.control for each in found.sentinels})
    sentinels = f"; among it {counted(late, 'sentinel attempt')} of A_0" if late else ""
    return (
        f"every attempt is by a fresh fork: of A_0 on each task {_times(report.baseline_repeats)} ({whose}), "
        f"of what each lineage left {_times(report.repeats)}{sentinels}"
    )


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def headline(report: LadderReport) -> str:
    """How far an unfinished run is; empty for a finished one.

    The attempts are those of the plan, without trials and reruns.
    """
    done, planned = report.attempts.done, report.attempts.planned
    if done >= planned:
        return ""
    return f"unfinished: {done:,} of {planned:,} attempts ({100 * done / planned:.0f}%)"


def attempts_text(report: LadderReport) -> str:
    """The one total of attempts, and what it is made of."""
    found = report.attempts
    more = [counted(n, what) for n, what in ((found.trials, "trial"), (found.reruns, "rerun")) if n]
    planned = f"{found.done:,} of the plan" if more else ""
    parts = ", ".join(part for part in (planned, *more) if part)
    return f"{counted(found.total, 'attempt')}{f' ({parts})' if parts else ''}"


def took(session: Worked) -> str:
    """How long a working session lasted, and how much of it came after its stream was exhausted."""
    tail = f", {session.idle_seconds:,.0f} s of it idle" if session.idle_seconds >= 1 else ""
    return f"{session.seconds:,.0f} s{tail}"


ALWAYS: tuple[Ending, ...] = ("queue_empty", "agent_stopped", "agent_crashed", "limit_reached", "instrument_fault")
ALWAYS_OF_PROGRAMS: tuple[Ending, ...] = ("queue_empty", "agent_stopped", "instrument_fault")
"""Endings that have a column whether there were any or not; the others have one where there were some."""


def endings_shown(report: LadderReport) -> tuple[Ending, ...]:
    """The endings that have a column, in the order of their definition."""
    seen = {ending for _, _, found in ended(report) for ending, count in found.counts.items() if count}
    always = ALWAYS if report.programs is None else ALWAYS_OF_PROGRAMS
    return tuple(ending for ending in get_args(Ending) if ending in always or ending in seen)


def ending_cells(found: Endings, shown: Sequence[Ending]) -> tuple[str, ...]:
    """How many ended in each of these ways, as it is printed."""
    return tuple(f"{found.of(ending):,}" for ending in shown)


def ending_name(ending: Ending) -> str:
    """An ending in words: `queue empty`."""
    return ending.replace("_", " ")


def ended(report: LadderReport) -> list[tuple[str, str, Endings]]:
    """Who, at which stage, and how those attempts ended; arms first, then what they share."""
    if report.programs is not None:
        return [(line.who, line.stage, line.ended) for line in _of_cell(report, report.programs)]
    arms = [
        (arm.name, stage, found)
        for arm in report.arms
        for stage, found in (("improving", arm.ended_improving), ("examining", arm.ended_examining))
    ]
    return [*arms, *((one.name, one.stage, one.ended) for one in report.shared)]


def spent(report: LadderReport) -> list[tuple[str, str, Cost]]:
    """Who, at which stage, and what it took. The rows add up to all that the report counts.

    Where a model was called in improving, acting in tasks and refining have a row each. Of a cell: before-exam, working
    session, after-exam, sentinels.
    """
    if report.programs is not None:
        return [(line.who, line.stage, line.cost) for line in _of_cell(report, report.programs)]
    rows: list[tuple[str, str, Cost]] = []
    for arm in report.arms:
        rows += [(arm.name, stage, cost) for stage, cost in _improving(arm)]
        rows.append((arm.name, "examining", arm.examining))
    return [
        *rows,
        *((_shared_name(one), "examining" if _is_exam(one) else "instrument", one.cost) for one in report.shared),
    ]


class _Line(NamedTuple):
    """One phase of a cell: whose, which, what it took, how its attempts ended, and its actions."""

    who: str
    stage: str
    cost: Cost
    ended: Endings
    actions: Actions | None


def _of_cell(report: LadderReport, found: Programs) -> list[_Line]:
    """The phases of a cell, in the order in which they are paid."""
    late = {each.control for each in found.sentinels}
    first, last = (
        [
            _Line(one.name, stage, one.cost, one.ended, one.actions)
            for one in report.shared
            if (one.name in late) == (stage == "sentinels")
        ]
        for stage in ("before-exam", "sentinels")
    )
    worked = [
        _Line(arm.name, "working session", arm.improving, arm.ended_improving, arm.actions_improving)
        for arm in report.arms
    ]
    sat = [
        _Line(arm.name, "after-exam", arm.examining, arm.ended_examining, arm.actions_examining) for arm in report.arms
    ]
    return [*first, *worked, *sat, *last]


def _improving(arm: ArmReport) -> list[tuple[str, Cost]]:
    if arm.improving.calls is None or arm.working is None or arm.refining is None:
        return [("improving", arm.improving)]
    return [("improving: working", arm.working), ("improving: refining", arm.refining)]


def _is_exam(one: Shared) -> bool:
    return one.stage == "examining"


def _shared_name(one: Shared) -> str:
    return f"{one.name}, the exam of an A_0" if _is_exam(one) else f"{one.name}, the frozen control"


def summed(report: LadderReport) -> list[tuple[str, Cost]]:
    """What all improving, all examining and the instrument took together, where models were called."""
    if not any(cost.calls for cost in report.totals.values()):
        return []
    parts = [each for each in report.totals.items() if each[0] != "instrument" or report.programs is None]
    return [(f"all {name}" if name != "instrument" else "the instrument", cost) for name, cost in parts]


def cost_cells(cost: Cost) -> tuple[str, ...]:
    """Attempts, steps, seconds, calls, tokens read anew, from a cache and written, dollars: each as it is printed."""
    seconds = number(cost.seconds) if cost.seconds < 100 else f"{cost.seconds:,.0f}"
    worked = (f"{cost.attempts:,}", f"{cost.steps:,}", seconds)
    if cost.calls is None:
        return (*worked, "no model was called", *["–"] * 4)
    tokens = (cost.calls.input_tokens, cost.calls.cached_tokens, cost.calls.output_tokens)
    told = ("unknown" if count is None else f"{count:,}" for count in tokens)
    return (*worked, f"{cost.calls.made:,}", *told, usd_text(cost.calls))


# --------------------------------------------------------------------------------------------- models


def spending_text(spending: Spending) -> str:
    """What the study has cost as its budget counts, beside what it may cost."""
    return ", ".join(text for text, _ in _spent(spending))


def budget_text(spending: Spending) -> str:
    """Only what is limited of it; empty where nothing is."""
    return ", ".join(text for text, most in _spent(spending) if most is not None)


def _spent(spending: Spending) -> Iterator[tuple[str, float | None]]:
    """Each resource in words, and its limit."""
    usd = "dollars unknown" if spending.usd is None else f"${money(spending.usd)}"
    yield usd if spending.most_usd is None else f"{usd} of ${money(spending.most_usd)}", spending.most_usd
    yield f"{_of_most(spending.tokens, spending.most_tokens)} tokens", spending.most_tokens
    yield f"{_of_most(spending.tries, spending.most_tries)} tries at calls", spending.most_tries
    if spending.most_seconds is not None and spending.seconds is not None:
        yield f"{spending.seconds:,.0f} of {spending.most_seconds:,.0f} seconds", spending.most_seconds


def _of_most(amount: int, most: int | None) -> str:
    return f"{amount:,}" if most is None else f"{amount:,} of {most:,}"


def price_text(model: ModelUse) -> str:
    """The price of a model by which dollars were counted, with its date."""
    if model.price is None:
        return "no price is known, so dollars are unknown" if model.priced else "not recorded"
    price = model.price
    cached = "" if price.cached is None else f", {price.cached:g} cached"
    return f"{price.input:g} in{cached}, {price.output:g} out, as of {price.date}"


CALL_HEADS = ("model calls", "empty reply", "no usable reply", "too long for the model", "refused by a limit")
"""How calls went, as `call_rows` counts them; each that failed has one reason."""

ACTION_HEADS = ("answers that parse", "invalid actions")
"""What became of the answers where a model acted: those that were calls at all, and those that changed nothing."""


def call_rows(report: LadderReport) -> list[tuple[str, str, tuple[str, ...]]]:
    """Who, at which stage, and how its model calls went: `CALL_HEADS`, then `ACTION_HEADS` where it acted."""
    rows = []
    for who, stage, cost, actions in _acted(report):
        if cost.calls is None:
            continue
        failed = {failure.error: failure.calls for failure in cost.calls.failures}
        counts = (cost.calls.made, *(failed.get(error, 0) for error in get_args(Failed)))
        rows.append((who, stage, (*(f"{count:,}" for count in counts), *_actions(actions))))
    return rows


def _acted(report: LadderReport) -> Iterator[tuple[str, str, Cost, Actions | None]]:
    if report.programs is not None:
        for line in _of_cell(report, report.programs):
            yield line.who, line.stage, line.cost, line.actions
        return
    for arm in report.arms:
        for stage, cost in _improving(arm):
            yield arm.name, stage, cost, None if stage.endswith("refining") else arm.actions_improving
        yield arm.name, "examining", arm.examining, arm.actions_examining
    for one in report.shared:
        yield _shared_name(one), "examining" if _is_exam(one) else "instrument", one.cost, one.actions


def _actions(actions: Actions | None) -> tuple[str, ...]:
    if actions is None or not actions.total:
        return ("–", "–")
    return tuple(
        f"{count:,} of {actions.total:,} ({100 * count / actions.total:.3g}%)"
        for count in (actions.parsed, actions.invalid)
    )
