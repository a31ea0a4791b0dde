"""What a hostile reader of a ladder report would say first, said by the report itself.

The order is from the grave and specific to the generic: what is missing, what broke, what was not kept apart, what is
too little, what is undefined, and last what is true of every study like this.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from rung.core import registry
from rung.core.config import ITSELF
from rung.reports import cell_doubts, controls_text, doubts, honesty
from rung.reports.values import ArmReport, Endings, LadderReport, Rung
from rung.reports.wording import brief, counted, kinds, percent, quoted
from rung.stats import flags as say


def weaknesses(report: LadderReport) -> tuple[str, ...]:
    """Every weakness of this study that can be seen from its own record, in plain sentences, the gravest first."""
    found = [
        *_of_quick_look(report),
        *doubts.of_toys(report),
        *honesty.weaknesses(report.honesty),
        *_of_loose_code(report.arms),
        *_incomplete(report),
        *_of_promises(report),
        *_of_cuts(report),
        *_of_crashes(report),
        *_of_limits(report),
        *_of_faults(report),
        *doubts.of_ids(report),
        *doubts.of_failed_calls(report),
        *doubts.of_answers(report),
        *_of_methods(report.arms),
        *controls_text.weaknesses(report),
        *cell_doubts.of_broken(report),
        *cell_doubts.weaknesses(report.programs),
        *_of_few_lineages(report.lineages, "method" if report.programs is None else "agent"),
        *_of_sandbox(report.arms),
        *_of_pools(report),
        *_of_secret(report),
        *_of_own_tasks(report),
        *_of_budgets(report.arms),
        *doubts.of_spending(report),
        *doubts.of_money(report),
        *_of_small_rungs(report),
        *_of_hci(report),
        *_of_many(report),
        *_generic(report),
    ]
    return tuple(dict.fromkeys(found))


# --------------------------------------------------------------------------------------------- missing and broken


def _of_quick_look(report: LadderReport) -> Iterator[str]:
    if report.config.get("quick"):
        yield "A quick look: the study was shrunk (--quick) to see that everything works, so this measures nothing."


def _incomplete(report: LadderReport) -> Iterator[str]:
    attempts = report.attempts
    if attempts.done < attempts.planned:
        share = 100 * attempts.done / attempts.planned
        yield (
            f"Unfinished: {attempts.done:,} of {attempts.planned:,} planned attempts ({share:.0f}%) were worked; "
            "nothing here is final."
        )
    elif report.incomplete:
        yield f"Incomplete: {counted(len(report.incomplete), 'hole')}, the first: {report.incomplete[0]}."


def _of_promises(report: LadderReport) -> Iterator[str]:
    """Where the run is not what was registered beforehand, and what the registered family does not bear out."""
    if report.registered is None:
        return
    for each in report.registered.kept:
        if not each.kept:
            yield f"Not as registered: {each.what}: {each.registered} registered, {each.run}.{_why(each.what)}"
    lost = [f"{each.arm} {each.level}" for each in report.registered.claims if each.word in SHOWN and not each.holds]
    if lost:
        yield (
            f"Over the registered family of {counted(len(report.registered.claims), 'row')} the words of {_some(lost)} "
            "do not hold at 5% (Holm)."
        )


_WHYS: Mapping[str, str] = MappingProxyType(
    {
        "lineages": " When a study ends must not depend on what was seen; its intervals do not allow for that.",
        "family of claims": " Rows that were not registered are for looking around.",
    }
)


def _why(what: str) -> str:
    return _WHYS.get(what, "")


def _of_cuts(report: LadderReport) -> Iterator[str]:
    if report.cuts:
        first = report.cuts[0]
        lost = counted(sum(cut.lost for cut in report.cuts), "attempt")
        yield (
            f"{counted(len(report.cuts), 'lineage')} had spent the budget before the sequence ended and went to the "
            f"exam as it was then; {lost} were never made. The first: {first.arm} L{first.lineage}, before task "
            f"{first.before} of {first.planned}."
        )


def _of_crashes(report: LadderReport) -> Iterator[str]:
    """Attempts that the agent's own side ended, per arm and for what arms share."""
    owners = _owners(report)
    for name, ended in owners:
        yield from _crashed(name, ended)
    for arm in report.arms:
        lopsided = [rung.level for rung in arm.rungs if rung.crashes.asymmetric]
        if lopsided:
            yield (
                f"Crashes differ between the two sides of {', '.join(dict.fromkeys(lopsided))} of {arm.name}: "
                "the gain there may be crashes and not skill."
            )
    for name, ended in owners:
        stopped = sum(one.of("agent_stopped") for one in ended)
        if stopped:
            yield (
                f"{_of(stopped, ended)} attempts of {name} ended because the agent stopped before its task was "
                f"done; they were scored as they stood.{_first(ended, 'agent_stopped')}"
            )


def _of_limits(report: LadderReport) -> Iterator[str]:
    """Attempts that a budget of a task or a session ended, and refinements that any budget ended."""
    for name, ended in _owners(report):
        limited = sum(one.of("limit_reached") for one in ended)
        if limited:
            yield (
                f"{_of(limited, ended)} attempts of {name} ended because a limit was reached; they were scored as they "
                f"stood.{_first(ended, 'limit_reached')}"
            )
    for arm in report.arms:
        lopsided = [rung.level for rung in arm.rungs if rung.limits.asymmetric]
        if lopsided:
            yield (
                f"Limits were reached unequally on the two sides of {', '.join(dict.fromkeys(lopsided))} of "
                f"{arm.name}: the gain there may be limits and not skill."
            )
        if arm.limited:
            yield f"A budget ended {counted(arm.limited, 'refinement')} of {arm.name}; its incumbent was kept there."


def _crashed(name: str, ended: Sequence[Endings]) -> Iterator[str]:
    crashed = sum(one.of("agent_crashed") for one in ended)
    if crashed:
        yield (
            f"{_of(crashed, ended)} attempts of {name} ended because its own code raised; they were scored as they "
            f"stood.{_first(ended, 'agent_crashed')}"
        )


def _owners(report: LadderReport) -> list[tuple[str, tuple[Endings, ...]]]:
    """Whose attempts there are: those of each arm, then what arms share."""
    alone = report.programs is not None  # how its working sessions ended is said one by one
    arms = [
        (arm.name, (arm.ended_examining,) if alone else (arm.ended_improving, arm.ended_examining))
        for arm in report.arms
    ]
    return [*arms, *((doubts.shared_name(one.name, one.stage), (one.ended,)) for one in report.shared)]


def _of(n: int, ended: Sequence[Endings]) -> str:
    return percent(n, sum(one.total for one in ended))


def _first(ended: Sequence[Endings], ending: str) -> str:
    quotes = [quote for one in ended for kind, quote in one.first.items() if kind == ending]
    return quoted(quotes[0]) if quotes else ""


def _of_faults(report: LadderReport) -> Iterator[str]:
    for name, ended in _owners(report):
        lost = sum(one.of("instrument_fault") for one in ended)
        if lost:
            yield (
                f"{_of(lost, ended)} attempts of {name} broke and have no score; they are missing, not zero."
                f"{_first(ended, 'instrument_fault')}"
            )


def _of_methods(arms: Sequence[ArmReport]) -> Iterator[str]:
    for arm in arms:
        if arm.method_faults:
            times = "once" if arm.method_faults == 1 else f"{arm.method_faults:,} times"
            quote = quoted(arm.method_fault) if arm.method_fault else ""
            yield f"The method of {arm.name} broke {times}; its incumbent was kept there.{quote}"
        if arm.skipped and arm.first_skipped is not None:
            yield (
                f"The method of {arm.name} made nothing of {counted(arm.skipped, 'attempt')} that it tried to learn "
                f"from; its incumbent was kept there.{quoted(arm.first_skipped)}"
            )
        if arm.refused and arm.first_refused is not None:
            yield (
                f"The method of {arm.name} tried {counted(sum(arm.refused.values()), 'time')} what it may not do to "
                f"its state ({kinds(arm.refused)}); that was refused.{quoted(arm.first_refused)}"
            )


# --------------------------------------------------------------------------------------------- of the design


def _of_few_lineages(lineages: int, what: str) -> Iterator[str]:
    if lineages == 1:
        yield f"One lineage: every claim is about this end state only, and says nothing of the {what} run again."
    elif lineages == 2:
        yield "Two lineages: shown, but too few for any verdict."
    elif lineages < 5:
        yield f"{lineages} lineages: the interval is a hull of two; five lineages would allow the sharper one."


def _of_loose_code(arms: Sequence[ArmReport]) -> Iterator[str]:
    loose = [arm.name for arm in arms if arm.unconfined]
    if loose:
        yield (
            f"Code that a model wrote ran in no sandbox ({', '.join(loose)}), so it could have read the run's folder, "
            "the exam's secret and the keys: believe these arms as far as you trust that code."
        )


def _of_sandbox(arms: Sequence[ArmReport]) -> Iterator[str]:
    for arm in arms:
        own = [code for code in (_own_agent(arm), _own_method(arm)) if code]
        if own:
            yield (
                f"The code of {arm.name} ({' and '.join(own)}) ran unsandboxed in the instrument's own process, so it "
                "could have read the run's folder, the exam's secret and the keys: believe this arm as far as you "
                "trust that code."
            )


def _own_agent(arm: ArmReport) -> str:
    ours = arm.agent.partition(":")[0] in registry.names("agents")
    return "" if ours else f"agent {arm.agent}"


def _own_method(arm: ArmReport) -> str:
    return "" if arm.method in (*registry.names("methods"), ITSELF.name) else f"method {arm.method}"


def _of_pools(report: LadderReport) -> Iterator[str]:
    for pool in report.pools:
        if pool.stale:
            yield (
                f"Not fresh: {pool.stale} of {pool.count} instances of {pool.cell} in {pool.pool} repeat content met "
                "before; the family is too small for this pool."
            )


def _of_secret(report: LadderReport) -> Iterator[str]:
    if report.secret_fixed:
        models = ", ".join(brief(model.name) for model in report.models)
        yield (
            "The exam secret is fixed in the config: anyone can draw this exam, so it is for phantoms and tests only"
            f"{f', and says nothing that holds of {models}' if models else ''}."
        )
    if report.exam_shared:
        yield (
            "This exam was sat before, by the run it was taken from: its tasks lie in that run's record, and whoever "
            "read them there has rehearsed it."
        )


def _of_own_tasks(report: LadderReport) -> Iterator[str]:
    if report.stocks:
        yield (
            f"Lineages share the tasks of {_some(report.stocks)}, in another order: how they differ says nothing of "
            "other tasks to learn from."
        )
    if report.unconfined:
        yield (
            f"{counted(report.unconfined, 'attempt')} {'was' if report.unconfined == 1 else 'were'} judged by a "
            "command that ran as the user, in no sandbox, over the agent's answer."
        )


def _of_budgets(arms: Sequence[ArmReport]) -> Iterator[str]:
    attempts = {arm.name: arm.improving.attempts for arm in arms}
    if len(attempts) > 1 and max(attempts.values()) > 1.05 * min(attempts.values()):
        most, least = max(attempts, key=attempts.__getitem__), min(attempts, key=attempts.__getitem__)
        yield (
            f"Budgets are not matched: {most} used {attempts[most]:,} attempts to improve, {least} "
            f"{attempts[least]:,} (trials included)."
        )


# --------------------------------------------------------------------------------------------- of the rows


def _rungs(report: LadderReport) -> list[Rung]:
    return [rung for arm in report.arms for rung in arm.rungs]


def _of_small_rungs(report: LadderReport) -> Iterator[str]:
    small = sorted({f"{rung.level} {rung.target}" for rung in _rungs(report) if 0 < rung.gain.n_tasks < 20})
    if small:
        yield f"Fewer than 20 tasks on {_some(small)}: a verdict there needs the exact test to agree."


def _of_hci(report: LadderReport) -> Iterator[str]:
    rungs = _rungs(report)
    undefined = [_row(rung) for rung in rungs if rung.hci.value is None]
    if undefined:
        yield f"HCI is undefined for {len(undefined)} of {len(rungs)} rows ({_some(undefined)}); the raw gains stand."
    imprecise = [_row(rung) for rung in rungs if say.IMPRECISE in rung.hci.flags]
    if imprecise:
        yield f"HCI is imprecise for {len(imprecise)} of {len(rungs)} rows ({_some(imprecise)}): do not rank by it."


SHOWN = ("improved", "regressed")
JUDGED = ("improved", "regressed", "equivalent", "inconclusive")


def _of_many(report: LadderReport) -> Iterator[str]:
    """Every row that got a verdict was asked at 95%. Of phantoms it is known how many rows have no true effect."""
    judged = [row for row in _rungs(report) if row.verdict.word in JUDGED]
    if len(judged) < 2:
        return
    nulls = [row for row in judged if row.truth == 0]
    known = all(row.truth is not None for row in judged)
    exposed, among = (len(nulls), f"the {len(nulls)}") if known else (len(judged), "")
    if_all = "" if known else ", if all were such"
    yield (
        f"{len(judged)} rows at 95%: about {0.05 * exposed:.2g} false words are to be expected among "
        f"{among + ' ' if among else ''}rows without a true effect{if_all}; rungs held are a fixed sequence within an "
        "arm, while G0 and different arms are not corrected for one another."
    )


# --------------------------------------------------------------------------------------------- of every such study


def _generic(report: LadderReport) -> Iterator[str]:
    if report.config["exam"]["order"] == "fixed" and report.programs is None:
        yield ("The exams before and after were not shuffled together: a drift of the provider could be read as gain.")
    if report.scripted:
        yield (
            "All agents are phantoms (scripted agents whose true gain is known): this report measures the instrument "
            "and no model."
        )
    rungs = _rungs(report)
    if report.programs is None and not any(rung.level == "G0" for rung in rungs):
        yield "No replays were scheduled, so that nothing is said of G0."
    missing = sorted({"G1", "G2", "G3", "G4"} - {rung.level for rung in rungs})
    if missing:
        yield f"Not asked: {', '.join(missing)}; no held-out tasks were on these rungs."
    if any(rung.certificate.startswith("solver") for rung in rungs):
        yield "Some references are a solver's score and not a proven optimum: HCI above 1 is possible there."
    if len(report.arms) > 1 and report.programs is None:
        yield (
            "Arms that begin alike share the A_0 exam and the static arm, so that their chance errors point the same "
            "way together."
        )
    if report.lineages > 1 and report.config.get("cell", {}).get("before") != "fresh":
        yield (
            "All lineages share one exam of A_0, the agent as shipped: its noise enters each of "
            "them alike, as variance between tasks."
        )
    unmarked = sorted({rung.level for rung in rungs} - set(report.margins))
    if not report.margins:
        yield "No equivalence margin was declared, so that no rung can be called equivalent, only inconclusive."
    elif unmarked:
        yield f"No equivalence margin was registered for {', '.join(unmarked)}, so that none of it can be equivalent."


def _row(rung: Rung) -> str:
    """A row as a reader finds it: arm, rung and what it was examined on."""
    return f"{rung.arm} {rung.level} on {rung.target}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
