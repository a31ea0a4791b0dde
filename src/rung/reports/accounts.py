"""The accounts of a report in words: how much was measured, by whom, how it ended and what it took."""

from rung.reports import truth
from rung.reports.values import Cost, Endings, LadderReport
from rung.reports.wording import counted, number


def subtitle(report: LadderReport) -> str:
    """How much was measured, in one sentence without its full stop."""
    runs = "1 lineage: this end state only" if report.lineages == 1 else f"{report.lineages} lineages"
    tasks = counted(report.exam_tasks, "sealed exam task")
    arms = counted(len(report.arms), "arm")
    return f"{arms}, {runs}, {tasks}, {attempts_text(report)}, {agents(report)}, {called(report)}"


def agents(report: LadderReport) -> str:
    """Whose code acted."""
    own = [arm.agent for arm in report.arms if not truth.phantoms([arm.agent])]
    if report.scripted or not own:
        return "scripted agents"
    functions = all(kind.startswith("function ") or kind.endswith(".py") for kind in own)
    yours = "functions of yours" if functions else "agents of yours"
    return yours if len(own) == len(report.arms) else f"scripted agents and {yours}"


def called(report: LadderReport) -> str:
    """How often a model was called, as far as the record knows."""
    calls = [cost.model_calls for _, _, cost in spent(report) if cost.model_calls is not None]
    return counted(sum(calls), "model call") if calls else "no model was called"


def sittings(report: LadderReport) -> str:
    """Who sits the exam, and how often each task."""
    first = sum(one.stage == "examining" for one in report.shared)
    last = len(report.arms) * report.lineages
    shared = "shared by all lineages and by all arms that begin alike" if last > 1 else "its only one"
    return (
        f"{counted(first, 'A_0 examinee')} ({shared}) {'sits' if first == 1 else 'sit'} each task "
        f"{_times(report.baseline_repeats)}, {counted(last, 'A_T examinee')} (one per arm and lineage) "
        f"{_times(report.repeats)}"
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


def ending_cells(ended: Endings) -> tuple[str, ...]:
    """Queue empty, agent stopped, agent crashed, instrument fault: each as it is printed."""
    counts = (ended.queue_empty, ended.agent_stopped, ended.agent_crashed, ended.instrument_fault)
    return tuple(f"{count:,}" for count in counts)


def ended(report: LadderReport) -> list[tuple[str, str, Endings]]:
    """Who, at which stage, and how those attempts ended; arms first, then what they share."""
    arms = [
        (arm.name, stage, found)
        for arm in report.arms
        for stage, found in (("improving", arm.ended_improving), ("examining", arm.ended_examining))
    ]
    return [*arms, *((one.name, one.stage, one.ended) for one in report.shared)]


def spent(report: LadderReport) -> list[tuple[str, str, Cost]]:
    """Who, at which stage, and what it took. The rows add up to all attempts of the report."""
    arms = [
        (arm.name, stage, cost)
        for arm in report.arms
        for stage, cost in (("improving", arm.improving), ("examining", arm.examining))
    ]
    shared = [(_shared_name(one.name, one.stage), one.stage, one.cost) for one in report.shared]
    return [*arms, *shared]


def _shared_name(name: str, stage: str) -> str:
    return f"{name}, the frozen control" if stage == "improving" else f"{name}, the exam of an A_0"


def cost_cells(cost: Cost) -> tuple[str, ...]:
    """Attempts, steps, seconds, model calls, tokens, dollars: each as it is printed."""
    called = cost.model_calls is not None
    missing = "not reported" if called else "no model was called"
    return (
        f"{cost.attempts:,}",
        f"{cost.steps:,}",
        number(cost.seconds) if cost.seconds < 100 else f"{cost.seconds:,.0f}",
        f"{cost.model_calls:,}" if cost.model_calls is not None else missing,
        f"{cost.tokens:,}" if cost.tokens is not None else missing,
        f"{cost.usd:,.2f}" if cost.usd is not None else missing,
    )
