"""Hand-made ladder reports. Their numbers are invented and consistent enough to look at; nothing here was measured."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from rung.agents.phantom import RUNGS
from rung.core.values import Estimate
from rung.reports import economy
from rung.reports.values import (
    MIXED_UNITS,
    Actions,
    ArmReport,
    Attempts,
    Calls,
    Cost,
    Crashes,
    CurvePoint,
    Cut,
    Drift,
    Endings,
    Failure,
    Holes,
    LadderReport,
    ModelUse,
    Pool,
    Price,
    Quote,
    Rung,
    Shared,
    Spending,
)
from rung.reports.weaknesses import weaknesses
from rung.stats import flags as say
from rung.stats.missing import Bounds
from rung.stats.verdict import Scope, Verdict, Word

Level = Literal["G0", "G1", "G2", "G3", "G4"]

SWEEP, FARM = "share of spare actions left", "profit / greedy profit"
TARGETS: Mapping[Level, tuple[str, str, float, float, str]] = {  # target, unit, before, reference, certificate
    "G0": ("sweepmine-v1 d1", SWEEP, 0.412, 0.861, "solver"),
    "G1": ("sweepmine-v1 d1", SWEEP, 0.402, 0.861, "solver"),
    "G2": ("sweepmine-v1 d3", SWEEP, 0.287, 0.794, "solver"),
    "G3": ("lights-v1 d2", "share of lights out", 0.512, 1.0, "optimal"),
    "G4": ("farm-v1 d2", FARM, 0.871, 1.42, "bound"),
}
LEVELS: tuple[Level, ...] = ("G0", "G1", "G2", "G3", "G4")
RE_SATT, LINEAGE_T = "crossed random effects, Satterthwaite t", "t over lineages"
FIELLER = "Fieller, crossed random effects"
SPREAD = (-0.9, 0.4, 1.1, -0.3, 0.7, -1.2, 0.1, 0.1, 0.9, -0.9)


def estimate(value: float, half: float, method: str, tasks: int, lineages: int, *flags: str) -> Estimate:
    """An estimate with an interval of this half width."""
    return Estimate(value, value - half, value + half, method, tasks, lineages, flags)


def no_holes(pairs: int, gain: Estimate) -> Holes:
    """Everything planned was measured."""
    return Holes(pairs, pairs, gain, gain, Bounds(gain.value, gain.value))


def scope(lineages: int) -> Scope | None:
    """The claim that this many lineages carry."""
    return {1: "this end state only", 2: None}.get(lineages, "the agent improves itself")


def word(value: float, half: float) -> Word:
    """The word of a plain comparison."""
    return "improved" if value - half > 0 else "regressed" if value + half < 0 else "inconclusive"


def rung(arm: str, level: Level, value: float, half: float, *, lineages: int = 8, tasks: int = 20) -> Rung:
    """One row of the ladder with everything in order."""
    target, unit, before, reference, certificate = TARGETS[level]
    events = lineages * 4 if level == "G0" else tasks
    gain = estimate(value, half, LINEAGE_T if level == "G0" else RE_SATT, events, lineages)
    room = reference - before
    hci = estimate(value / room, half / room, FIELLER, events, lineages)
    gains = tuple(value + SPREAD[at % 10] * half for at in range(lineages))
    verdict = Verdict(word(value, half), scope(lineages))
    pairs = events if level == "G0" else events * lineages
    return Rung(
        arm,
        level,
        target,
        ("sweepmine-v1 d1",),
        before,
        before + value,
        reference,
        certificate,
        gain,
        hci,
        verdict,
        gains,
        no_holes(pairs, gain),
        unit,
        tau_star=0.031 if lineages == 1 and abs(value) > half else None,
        unseen_share=3 / events,
        crashes=Crashes(0, events, 0, pairs),
        truth=RUNGS[arm][int(level[1])] if arm in RUNGS else None,
    )


def curve(start: float, end: float, lineages: int = 8) -> tuple[CurvePoint, ...]:
    """Ten points of a learning curve that bends."""
    wobble = (0.0, 0.02, -0.015, 0.01, -0.02, 0.015, 0.0, -0.01, 0.02, 0.0)
    return tuple(
        CurvePoint(2 * at + 1, 2 * at + 2, start + (end - start) * (1 - 0.62**at) + wobble[at], 2 * lineages)
        for at in range(10)
    )


def arm(name: str, gains: tuple[float, ...], *, lineages: int = 8, halves: tuple[float, ...] = ()) -> ArmReport:
    """An arm with one comparison per rung."""
    widths = halves or (0.062, 0.091, 0.088, 0.104, 0.132)
    rows = tuple(rung(name, level, g, h, lineages=lineages) for level, g, h in zip(LEVELS, gains, widths, strict=True))
    climbed: list[str] = []
    for row in rows[1:]:
        if row.verdict.word != "improved":
            break
        climbed.append(row.level)
    learned = 0 if name == "static" else 20 * lineages
    return ArmReport(
        name,
        f"phantom:{name}",
        "static" if name == "static" else "phantom",
        "static",
        tuple(climbed),
        rows[0].verdict.word,
        rows,
        curve(0.4, 0.4 + gains[0], lineages),
        learned,
        learned // 3,
        0,
        None,
        {},
        Cost(24 * lineages, 412 * lineages, 3.4 * lineages),
        Cost(80 * lineages, 1365 * lineages, 10.9 * lineages),
        in_order(24 * lineages),
        in_order(80 * lineages),
    )


def in_order(attempts: int) -> Endings:
    """Everything was worked to its end."""
    return Endings({"queue_empty": attempts})


def shared(names: tuple[str, ...], lineages: int, repeats: int) -> tuple[Shared, ...]:
    """The static arm and the one A_0 exam under these arms."""
    work, exam = 24 * lineages, 80 * repeats
    return (
        Shared("static", "improving", names, Cost(work, 412 * lineages, 3.4 * lineages), in_order(work)),
        Shared("A0.1f2e3d", "examining", names, Cost(exam, 1365 * repeats, 10.9 * repeats), in_order(exam)),
    )


HOW = {
    "gain, G1 to G4": "rung.stats.lineages.gain",
    "gain, G0": "rung.stats.lineages.nested_gain",
    "HCI, G1 to G4": "rung.stats.headroom.hci",
    "HCI, G0": "rung.stats.headroom.nested_hci",
    "bounds": "rung.stats.missing.worst_case",
    "unscored = failed, unscored = dropped": "rung.stats.missing.cover",
    "verdict": "rung.stats.verdict.judge",
    "rungs held": "rung.stats.climb.rungs_held",
}

POOLS = (
    Pool("held-in", "sweepmine-v1 d1", 160, 0),
    Pool("exam", "sweepmine-v1 d1", 20, 0),
    Pool("exam", "sweepmine-v1 d3", 20, 0),
    Pool("exam", "lights-v1 d2", 20, 0),
    Pool("exam", "farm-v1 d2", 20, 1),
)


def report(*arms: ArmReport, lineages: int = 8) -> LadderReport:
    """A ladder report over these arms."""
    repeats = 3 if lineages > 1 else 1
    rest = shared(tuple(arm.name for arm in arms), lineages, repeats)
    worked = sum(arm.improving.attempts + arm.examining.attempts for arm in arms)
    worked += sum(one.cost.attempts for one in rest)
    return LadderReport(
        name="first ladder",
        attempts=Attempts(worked, worked, 0, 0),
        incomplete=(),
        weaknesses=(
            "scripted agents: this shows the instrument, not any agent",
            "8 arms are each asked at full alpha; the chance of one false rung somewhere is above 5%",
            "1 of 20 exam tasks of farm-v1 d2 had been met before",
        ),
        lineages=lineages,
        exam_tasks=80,
        baseline_repeats=repeats,
        repeats=1,
        exam_id="exam-6f1f0c2a9be4d7035a1e",
        digest="9b2f4a7c51d08e63f7aa02be4417c9d05e8b63121f9d3c7746a0b85ec2d91f38",
        secret_fixed=True,
        scripted=True,
        arms=arms,
        shared=rest,
        controls={"static": curve(0.4, 0.41, lineages)},
        curve_units=(SWEEP,),
        drift=(Drift("static", estimate(0.004, 0.031, LINEAGE_T, 4 * lineages, lineages), SWEEP),),
        pools=POOLS,
        how=HOW,
        config={
            "name": "first ladder",
            "protocol": "ladder",
            "lineages": lineages,
            "exam": {"repeats": 1, "order": "interleaved"},
        },
        provenance={
            "rung": "0.1.0",
            "commit": "87cba9e",
            "dirty": False,
            "python": "3.11.9",
            "machine": "Linux x86_64",
        },
        calibration="The estimators are not calibrated: this report was made by hand.",
    )


def full() -> LadderReport:
    """Eight arms, eight lineages: every phantom doing what it is known to do."""
    return report(
        arm("static", (0.004, 0.011, -0.006, 0.013, -0.021)),
        arm("memoriser", (0.338, 0.014, -0.012, 0.008, 0.026)),
        arm("narrow", (0.322, 0.312, 0.031, -0.014, 0.043)),
        arm("general", (0.301, 0.294, 0.263, 0.221, 0.381)),
        arm("chooser", (0.266, 0.251, 0.224, 0.093, 0.302)),
        arm("forgetter", (-0.282, 0.021, 0.009, -0.017, 0.012)),
        arm("regressor", (-0.262, -0.241, -0.183, -0.222, -0.364)),
        arm("noisy", (0.031, 0.042, -0.051, 0.033, 0.087), halves=(0.181, 0.214, 0.197, 0.226, 0.341)),
    )


def one_lineage() -> LadderReport:
    """K = 1: this end state only."""
    made = report(arm("narrow", (0.31, 0.301, 0.02, -0.03, 0.05), lineages=1, halves=(0.2,) * 5), lineages=1)
    first = made.arms[0]
    rows = tuple(
        replace(
            row,
            gain=replace(row.gain, method="t over tasks", flags=(say.END_STATE_ONLY, say.FEW_INFORMATIVE)),
            verdict=replace(row.verdict, reasons=(say.FEW_INFORMATIVE,)),
        )
        for row in first.rungs
    )
    return replace(made, arms=(replace(first, rungs=rows),), weaknesses=("one lineage: this end state only",))


def two_lineages() -> LadderReport:
    """K = 2: shown, and no verdict."""
    made = report(arm("narrow", (0.31, 0.301, 0.02, -0.03, 0.05), lineages=2), lineages=2)
    first = made.arms[0]
    rows = tuple(
        replace(
            row,
            gain=replace(row.gain, method="t over tasks of the mean of two lineages", flags=(say.TWO_LINEAGES,)),
            verdict=Verdict("not estimable", None, (say.TWO_LINEAGES,)),
        )
        for row in first.rungs
    )
    return replace(made, arms=(replace(first, climbed=(), retention="not estimable", rungs=rows),))


def faulted() -> LadderReport:
    """One arm whose every exam attempt broke, one with a few holes, one contaminated."""
    nothing = Estimate(None, None, None, "none", 0, 0, (say.NO_COMPLETE_TASK,))
    dead = arm("broken", (0.0,) * 5)
    rows = tuple(
        replace(
            row,
            before=None,
            after=None,
            reference=None,
            certificate="none",
            gain=nothing,
            hci=replace(nothing, method=FIELLER, flags=("undefined: no task is complete",)),
            verdict=Verdict("incomplete", "the agent improves itself", nothing.flags),
            lineage_gains=(None,) * 8,
            unseen_share=None,
            holes=Holes(160, 0, None, None, Bounds(-1.0, 1.0) if row.level != "G4" else Bounds(None, None)),
        )
        for row in dead.rungs
        if row.level != "G3"
    )
    dead = replace(
        dead,
        rungs=rows,
        climbed=(),
        retention="not measured",
        curve=(),
        faults={"model: connection reset by peer": 611, "sandbox: no space left on device": 29},
        method_faults=160,
        method_fault=Quote("broken/L1/work/0001", "KeyError: 'notes'"),
        accepted=0,
        improving=Cost(192, 1201, 812.0, Calls(1201, 1201, None, None, None, None, None)),
        examining=Cost(640, 0, 61.2),
        ended_examining=Endings(
            {"instrument_fault": 640}, {"instrument_fault": Quote("exam/broken.L1/0001/1", "connection reset")}
        ),
    )
    return replace(
        report(dead, _holed(), _contaminated()),
        incomplete=(
            "arm broken: 640 of 640 exam attempts faulted",
            "arm holed: 12 of 160 pairs missing on sweepmine-v1 d3",
            "lineage 3 of arm holed ended early: budget spent",
        ),
        controls={},
        drift=(),
    )


def _holed() -> ArmReport:
    made = arm("holed", (0.02, 0.21, 0.19, 0.04, 0.03))
    counted = "148 of 160 planned pairs measured"
    failed, dropped = estimate(0.141, 0.102, RE_SATT, 20, 8), estimate(0.19, 0.088, RE_SATT, 14, 8)
    row = replace(
        made.rungs[2],
        gain=replace(dropped, flags=("6 of 20 tasks dropped: missing in a lineage", say.SMALL)),
        verdict=Verdict("incomplete", "the agent improves itself", (counted,)),
        lineage_gains=(0.2, 0.11, None, 0.24, 0.18, 0.3, 0.12, 0.19),
        holes=Holes(160, 148, failed, dropped, Bounds(0.112, 0.262)),
    )
    faults = {"sandbox: command timed out after 120 s": 12}
    costs = (
        Cost(192, 3301, 512.0, Calls(3301, 0, 2_000_000, 2_612_300, 200_000, 12.4, 12.4)),
        Cost(1280, 21_884, 2931.0, Calls(21_884, 0, 20_000_000, 9_204_114, 2_000_000, 81.02, 81.02)),
    )
    rungs = (*made.rungs[:2], row, *made.rungs[3:])
    return replace(made, climbed=("G1",), rungs=rungs, faults=faults, improving=costs[0], examining=costs[1])


def _contaminated() -> ArmReport:
    made = arm("leaky", (0.3, 0.777, 0.02, 0.04, 0.03))
    reasons = ("the number stands inside the finding only",)
    row = replace(made.rungs[1], verdict=Verdict("contaminated", "the agent improves itself", reasons))
    return replace(made, climbed=(), rungs=(made.rungs[0], row, *made.rungs[2:]))


def undefined_hci() -> LadderReport:
    """A baseline above its reference, a reference that is missing, and one that may be exceeded."""
    made = arm("narrow", (0.322, 0.312, 0.031, -0.014, 0.043))
    none = Estimate(None, None, None, FIELLER, 20, 8, ("undefined: no reference",))
    above = replace(none, flags=("undefined: no headroom, the baseline is at or above the reference",))
    over = estimate(1.31, 0.44, FIELLER, 20, 8, say.IMPRECISE, say.NOT_A_BOUND)
    flat = replace(made.rungs[4].gain, lo=None, hi=None, flags=(say.NO_VARIATION,))
    rows = (
        made.rungs[0],
        replace(made.rungs[1], hci=above),
        replace(made.rungs[2], hci=none, reference=None, certificate="none"),
        replace(
            made.rungs[3], hci=over, verdict=Verdict("equivalent", scope(8), ("the 90% interval lies inside ±0.2",))
        ),
        replace(made.rungs[4], gain=flat, verdict=Verdict("not estimable", scope(8), (say.NO_VARIATION,))),
    )
    return report(replace(made, rungs=rows))


HOSTILE = (
    "<script>alert(1)</script>",
    "</style></svg><img src=x onerror=alert(2)>",
    '"><svg/onload=alert(3)>',
    "{{ 7*7 }}{% raw %}",
    "שלום עולם \u202eevil\u202c",
    "very-long-" * 40,
    "=HYPERLINK(1)",
    "a|b`c*d_e\x1b[31m\x00\ud800",
    "数字 🪜 naïve ﬁ",
)


def hostile() -> LadderReport:
    """Every foreign string tries something."""
    arms = []
    for at, name in enumerate(HOSTILE):
        made = arm(name, (0.3, 0.2, 0.1, 0.0, -0.3))
        rows = tuple(
            replace(row, target=name, sources=(name, name), unit=name, certificate=name, gain=_flagged(row.gain, name))
            for row in made.rungs
        )
        faults = {f"{name} {at}": 3}
        ended = Endings({"agent_crashed": 3}, {"agent_crashed": Quote(name, name)})
        arms.append(
            replace(
                made,
                agent=name,
                method=name,
                control=name,
                rungs=rows,
                faults=faults,
                retention=name,
                method_fault=Quote(name, name),
                ended_improving=ended,
                model=name,
                improver=name,
                improving=Cost(1, 1, 1.0, called(3, 1.0, failures=(Failure("ModelFault", 1, Quote(name, name)),))),
                skipped=1,
                first_skipped=Quote(name, name),
                refused={name: 1},
                first_refused=Quote(name, name),
            )
        )
    return replace(
        report(*arms),
        shared=tuple(Shared(name, "improving", (name,), Cost(1, 1, 1.0), in_order(1)) for name in HOSTILE),
        name=HOSTILE[0],
        incomplete=HOSTILE,
        weaknesses=HOSTILE,
        exam_id=HOSTILE[1],
        digest=HOSTILE[0],
        controls={name: curve(0.4, 0.4) for name in HOSTILE},
        curve_units=(HOSTILE[1],),
        drift=tuple(Drift(name, estimate(0.0, 0.1, name, 3, 8, name), name) for name in HOSTILE),
        pools=tuple(Pool(name, name, 3, 1) for name in HOSTILE),
        how={name: name for name in HOSTILE},
        config={name: {name: [name]} for name in HOSTILE},
        provenance={name: name for name in HOSTILE},
        cuts=tuple(Cut(name, 1, 2, 3, name) for name in HOSTILE),
        models=tuple(ModelUse(name, (name,), (name, name), None, True) for name in HOSTILE),
        spending=Spending(None, 1, 1, None, most_usd=2.0),
        totals={"improving": Cost(1, 1, 1.0, called(3, 1.0))},
    )


def _flagged(found: Estimate, flag: str) -> Estimate:
    return replace(found, method=flag, flags=(flag,))


def no_arms() -> LadderReport:
    """A study that ended before anything was measured."""
    made = replace(
        report(), incomplete=("no arm was run",), weaknesses=(), controls={}, drift=(), pools=(), exam_tasks=0
    )
    return replace(made, how={}, config={}, provenance={})


def no_curves() -> LadderReport:
    """Arms without held-in scores."""
    made = full()
    return replace(made, arms=tuple(replace(one, curve=()) for one in made.arms), controls={})


def mixed_units() -> LadderReport:
    """A schedule of two families whose scores cannot be averaged."""
    made = no_curves()
    change = replace(made.drift[0].change, flags=(MIXED_UNITS,))
    return replace(made, curve_units=(SWEEP, FARM), drift=(replace(made.drift[0], change=change),))


def big() -> LadderReport:
    """Ten arms by twelve comparisons."""
    names = tuple(f"candidate-{at}" for at in range(10))
    arms = []
    for name in names:
        made = arm(name, (0.322, 0.312, 0.231, -0.014, 0.043))
        rows = tuple(
            replace(row, target=f"{row.target} {at}")
            for row in made.rungs
            for at in range(1 if row.level == "G0" else 3 if row.level in ("G1", "G2", "G3") else 2)
        )
        arms.append(replace(made, rungs=rows))
    return report(*arms)


def sizes() -> LadderReport:
    """Numbers of every size, in the width of one picture and one column."""
    made = arm("sizes", (0.3, 0.2, 0.1, 0.0, -0.3))
    values = (
        (2.06e-17, -1.3e-17, 5.4e-17),
        (123_456.7, -98_765.4, 345_678.9),
        (-1.234e12, -9.87e12, 7.4e12),
        (0.00061, -0.00042, 0.00164),
        (12_345.6, -23_456.7, 48_147.9),
    )
    rows = tuple(
        replace(
            row,
            unit=f"unit {at}",
            before=value / 3,
            after=4 * value / 3,
            reference=5 * value / 3,
            gain=Estimate(value, lo, hi, RE_SATT, 20, 8),
            hci=Estimate(value, lo, hi, FIELLER, 20, 8),
            verdict=Verdict("inconclusive", scope(8)),
            lineage_gains=(lo, value, hi),
        )
        for at, (row, (value, lo, hi)) in enumerate(zip(made.rungs, values, strict=True))
    )
    points = tuple(CurvePoint(at, at, mean, 8) for at, mean in enumerate((1.2e9, -3.4e9, 5e-18), 1))
    return report(replace(made, rungs=rows, curve=points), replace(made, name="sizes again", rungs=rows))


def crashing() -> LadderReport:
    """An agent whose own code raises on every exam attempt of A_T, and a method that raises."""
    made = arm("main", (0.01, -0.3, 0.0, 0.02, 0.0))
    sad = Endings({"agent_crashed": 192}, {"agent_crashed": Quote("main/L1/work/0001", "KeyError: 'oops'")})
    late = Endings(
        {"queue_empty": 10, "agent_stopped": 3, "agent_crashed": 627},
        {"agent_crashed": Quote("exam/main.L1/0001/1", "KeyError: 'oops'")},
    )
    rows = tuple(replace(row, crashes=Crashes(0, 60, 160, 160)) for row in made.rungs)
    fault = Quote("main/L1/work/0002", "TypeError: no")
    made = replace(
        made, agent="function act", method="function refine", rungs=rows, method_faults=7, method_fault=fault
    )
    made = replace(made, ended_improving=sad, ended_examining=late)
    return replace(report(made), scripted=False, secret_fixed=False)


def at_odds() -> LadderReport:
    """Words that the printed interval alone would not lead to."""
    made = arm("odd", (0.3, 0.3, 0.3, 0.01, 0.02))
    words: tuple[tuple[Word, tuple[str, ...]], ...] = (
        ("improved", ()),
        ("inconclusive", (say.SMALL, "the interval excludes 0 and the exact test does not agree (p = 0.07)")),
        ("not estimable", (say.TWO_LINEAGES,)),
        ("incomplete", ("148 of 160 planned pairs measured",)),
        ("inconclusive", ()),
    )
    rows = tuple(
        replace(row, verdict=Verdict(word, scope(8), reasons))
        for row, (word, reasons) in zip(made.rungs, words, strict=True)
    )
    return report(replace(made, climbed=(), rungs=rows))


LONG = "inspect/some-provider-with-a-long-name/publisher/an-extraordinarily-long-model-name-instruct-2026-11-30-preview"


def called(made: int, usd: float | None, *, failures: tuple[Failure, ...] = (), unmetered: int = 0) -> Calls:
    """Model calls of 900 tokens read, 300 from a cache and 80 written each, where all were counted."""
    read, cached, written = (None if unmetered else made * each for each in (900, 300, 80))
    return Calls(made, unmetered, read, cached, written, None if unmetered else usd, usd, failures)


def modelled() -> LadderReport:
    """Models with long names: one arm over a priced one, one whose calls were not all counted, one cut short."""
    trouble = (
        Failure("EmptyReply", 12, Quote("exam/mirror.L1/0007/1", f"3 replies of no text and no call {'x' * 300}")),
        Failure("ContextOverflow", 3, Quote("mirror/L2/work/0004", "too long: context_length_exceeded")),
    )
    mirror = _modelled("mirror", called(4000, 12.3), called(900, 6.6), called(9000, 20.0, failures=trouble))
    spent = "lineage cut/L3: 1,000,000 of [budget.lineage] tokens = 1,000,000 is spent"
    cut = _modelled("cut", called(1200, 3.1), called(300, 0.004, unmetered=4), called(9000, 21.5))
    limits = {
        "limit_reached": Quote("cut/L1/work/0003", "task cut/L1/work/0003: 20 of [budget.task] calls = 20 is spent")
    }
    cut = replace(
        cut,
        ended_improving=Endings({**cut.ended_improving.counts, "limit_reached": 9}, limits),
        actions_improving=Actions(3301, 2471, 840),
        limited=2,
        skipped=31,
        first_skipped=Quote("cut/L1/work/0001", "no reply was a reflection"),
        refused={"import": 1, "path": 3},
        first_refused=Quote("cut/L1/work/0002", "agent/tools/a.py: line 1 imports socket, which is not allowed"),
        rungs=tuple(replace(row, limits=Crashes(0, 60, 9, 160)) for row in cut.rungs),
    )
    made = economy.flagged((mirror, replace(cut, improving=replace(cut.improving, calls=called(1500, 3.2)))), 8)
    found = report(*made)
    found = replace(
        found,
        scripted=False,
        secret_fixed=False,
        incomplete=(f"cut L3: ended before task 17 of 24: {spent}",),
        shared=tuple(replace(one, cost=replace(one.cost, calls=called(700, 0.9))) for one in found.shared),
        cuts=(Cut("cut", 3, 17, 24, spent),),
        models=(
            ModelUse(LONG, ("mirror acts", "mirror refines"), (f"{LONG}-a", f"{LONG}-b"), None, True),
            ModelUse(
                "openai/gpt-4.1", ("cut acts", "cut refines"), ("gpt-4.1",), Price(2.0, 8.0, 0.5, "2026-11-30"), True
            ),
        ),
        spending=Spending(63.5, 30_100_200, 25_400, None, most_usd=100.0, most_tokens=50_000_000),
        totals={
            "improving": Cost(384, 6602, 51.2, called(6400, 22.0)),
            "examining": Cost(1520, 23_000, 190.0, called(18_700, None, unmetered=3)),
            "instrument": Cost(192, 3296, 27.2, called(700, 0.9)),
        },
    )
    return replace(found, weaknesses=weaknesses(found))


def _modelled(name: str, working: Calls, refining: Calls, examining: Calls) -> ArmReport:
    made = arm(name, (0.1, 0.28, 0.2, 0.02, 0.03))
    both = called(working.answered + refining.answered, (working.usd or 0.0) + (refining.usd or 0.0))
    improving = replace(made.improving, calls=both)
    return replace(
        made,
        agent="chat",
        method="reflexion",
        model=LONG,
        improver="openai/gpt-4.1",
        improving=improving,
        working=replace(made.improving, calls=working),
        refining=Cost(0, 0, 7.5, refining),
        examining=replace(made.examining, calls=examining),
        actions_improving=Actions(3301, 3301, 40),
        actions_examining=Actions(10_920, 10_900, 133),
        rungs=tuple(economy.priced(replace(row, truth=None), improving, 8) for row in made.rungs),
    )


def unfinished() -> LadderReport:
    """A run that was stopped early, with more holes than fit a screen."""
    made = faulted()
    holes = tuple(f"arm broken, lineage {at}: 3 of 24 tasks worked" for at in range(40))
    return replace(made, incomplete=holes, attempts=Attempts(planned=3200, done=800, trials=7, reruns=3))


SAMPLES: Mapping[str, LadderReport] = {
    "full": full(),
    "one_lineage": one_lineage(),
    "two_lineages": two_lineages(),
    "faulted": faulted(),
    "undefined_hci": undefined_hci(),
    "hostile": hostile(),
    "no_arms": no_arms(),
    "no_curves": no_curves(),
    "mixed_units": mixed_units(),
    "big": big(),
    "sizes": sizes(),
    "crashing": crashing(),
    "at_odds": at_odds(),
    "unfinished": unfinished(),
    "modelled": modelled(),
}
