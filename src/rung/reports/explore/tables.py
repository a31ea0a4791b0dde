"""The tables of an exploring report as text, which every renderer lays out in its own way; nothing is computed here.

Numbers 4 to 7 are those of the paper's tables (S3Gym, sections 5.3 and 6), here with what they lack there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rung.core.values import Estimate
from rung.findings.judging import Judged
from rung.findings.self_testing import SelfTesting
from rung.reports.accounts import cost_cells
from rung.reports.explore.values import CurveRow, ExploreReport
from rung.reports.wording import MARKS, gain_text, interval_text, number, ranks_text
from rung.stats.curve import Null

JUDGES = {"itself": "the agent", "verdict": "the verifier", "noise": "the verifier, with noise", "model": "a model"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its place on a page, its title, what a reader has to know, heads and rows of text."""

    id: str
    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(report: ExploreReport) -> tuple[Table, ...]:
    """All of them, in the order of reading."""
    return (
        decided(report),
        described(report),
        after(report),
        judged_by_game(report),
        judged(report),
        tested(report),
        coupled(report),
        against(report),
        standing(report),
        costs(report),
    )


# --------------------------------------------------------------------------------------------- curves


def decided(report: ExploreReport) -> Table:
    """What was decided."""
    return Table(
        "decided",
        "Gained on the curve?",
        "The signed gain is the mean of the curve over its length less the baseline, losses counted, each score held "
        "against A_0 on the same sealed task. The word rests on its interval, on swapping attempts with those of A_0, "
        f"and on Holm's p over all {report.family} curves. The slope is of the checkpoints after the start, per "
        "episode.",
        ("pathway", "game", "A_0", "signed gain [95%]", "Holm's p", "word", "slope [95%]", "and then", "lineages"),
        tuple(
            (
                row.arm,
                row.game,
                f"{number(row.baseline)} ({row.baseline_attempts})",
                gain_text(row.gain),
                _p(row.holm),
                f"{MARKS[row.verdict.word]} {row.verdict.word}",
                gain_text(row.slope),
                row.slope_word,
                ", ".join(number(each, *row.lineage_gains, signed=True) for each in row.lineage_gains),
            )
            for row in report.curves
        ),
    )


def described(report: ExploreReport) -> Table:
    """Table 4 of the paper, with its nulls."""
    return Table(
        "table-4",
        "Table 4: Avg., Max., AUC+ and NABA beside chance",
        "Means over lineages. Beside Max., AUC+ and NABA stands what an agent that never changes gets in this very "
        "design: the mean and, after it, the point that it passes in one of twenty. These describe and decide nothing, "
        "and are to be read within a game alone.",
        ("game", "pathway", "Avg.", "Max.", "by chance", "AUC+", "by chance", "p", "NABA", "by chance up to"),
        tuple(_described(row) for row in _by_game(report)),
    )


def _described(row: CurveRow) -> tuple[str, ...]:
    found = row.described
    if found is None:
        return (row.game, row.arm, *["not measured"] * 8)
    return (
        row.game,
        row.arm,
        number(found.average),
        number(found.maximum.value),
        _chance(found.maximum),
        number(found.auc_plus.value),
        _chance(found.auc_plus),
        _p(found.auc_plus.p),
        number(found.naba) if found.naba is not None else f"undefined: {found.naba_reason}",
        number(found.naba_upper),
    )


def _chance(null: Null) -> str:
    return f"{number(null.mean, null.upper)}, {number(null.upper, null.mean)}"


def after(report: ExploreReport) -> Table:
    """What the paper reports of training, for every pathway."""
    return Table(
        "after",
        "After the start",
        "Delta_Final is the last valid checkpoint less A_0 on its own few tasks; the mean is that of all checkpoints "
        "after the start. Checkpoints without a measured score are left out and their neighbours joined.",
        ("pathway", "game", "Delta_Final [95%]", "mean after the start", "above A_0", "left out"),
        tuple(
            (
                row.arm,
                row.game,
                gain_text(row.final),
                number(row.post_mean),
                f"{row.above} of {row.points_n}",
                str(row.left_out),
            )
            for row in report.curves
        ),
    )


# --------------------------------------------------------------------------------------------- judging, testing

_JUDGING = ("agreement [95%]", "over", "under", "kappa", "events", "NMAE", "of scale", "unread", "steps")
_ON_JUDGING = (
    "A step is an event where it earned more than 0. Agreement, over- and under-confidence sum to 1. A judge that "
    "always says no has an agreement as high as events are rare, and a kappa that is undefined. NMAE is the mean "
    "error over the declared range of one step's reward."
)


def judged_by_game(report: ExploreReport) -> Table:
    """Table 5 of the paper."""
    rows = tuple((row.game, *_judged(row)) for row in report.judging_by_game)
    return Table(
        "table-5",
        "Table 5: self-judging by game",
        f"{_ON_JUDGING}{_beyond(report.judging_by_game)}",
        ("game", *_JUDGING),
        rows,
    )


def judged(report: ExploreReport) -> Table:
    """The same by pathway, with judgements that pathways were told in place of the agent's."""
    rows = tuple(
        (f"{row.arm}", row.game, JUDGES["itself"] if row.whose == "said" else JUDGES.get(row.by, row.by), *_judged(row))
        for row in report.judging
    )
    beyond = _beyond(report.judging)
    note = f"Where a pathway was told another's judgement, that one stands beside the agent's own.{beyond}"
    return Table("judging", "Judging by pathway", note, ("pathway", "game", "judge", *_JUDGING), rows)


def _beyond(rows: Sequence[Judged]) -> str:
    """What is to be known of intervals of a share that reach beyond what a share can be; nothing where none does."""
    ends = [end for row in rows for end in (row.agreement.lo, row.agreement.hi) if end is not None]
    if all(0.0 <= end <= 1.0 for end in ends):
        return ""
    return (
        " An interval that reaches below 0 or above 1 is a t interval over few lineages: it is not cut off, for it "
        "says how little is known."
    )


def _judged(row: Judged) -> tuple[str, ...]:
    unread = f"{100 * row.unread_share:.3g}%"
    found = row.found
    if found is None:
        return ("not estimable", *["–"] * 5, number(row.scale), unread, f"{row.steps:,}")
    return (
        f"{number(row.agreement.value)} {interval_text(row.agreement)}",
        number(found.over),
        number(found.under),
        "undefined" if found.kappa is None else number(found.kappa),
        number(found.event_rate),
        "no declared scale" if row.nmae is None else number(row.nmae),
        number(row.scale),
        unread,
        f"{row.steps:,}",
    )


def tested(report: ExploreReport) -> Table:
    """Self-testing."""
    return Table(
        "testing",
        "Self-testing",
        "What the paper names and does not measure, counted in each lineage by itself and added up. Failed: refused, "
        "or it changed nothing and earned nothing; repeated: it had failed in the same state before. New: something "
        "came of it that had not come of it before. States are what is seen, without counters of steps.",
        ("pathway", "game", "episodes", "steps", "states", "actions", "new", "failed", "repeated", "extra lives used"),
        tuple(_tested(row) for row in report.testing),
    )


def _tested(row: SelfTesting) -> tuple[str, ...]:
    lives = "none given"
    if row.lives_given is not None:
        lives = f"{row.lives_used} of {row.lives_given}; {row.went_on} episodes went on"
    return (
        row.arm,
        row.game,
        f"{row.episodes:,}",
        f"{row.steps:,}",
        f"{row.states:,}",
        f"{row.actions:,}",
        _share(row.share(row.new)),
        _share(row.share(row.failed)),
        _share(row.repeated_share, "of failed"),
        lives,
    )


def _share(share: float | None, of: str = "of steps") -> str:
    return "–" if share is None else f"{100 * share:.3g}% {of}"


# --------------------------------------------------------------------------------------------- over curves


def coupled(report: ExploreReport) -> Table:
    """Table 6 of the paper, with what its numbers are worth."""
    return Table(
        "table-6",
        "Table 6: judging and the gain that follows",
        "Spearman's correlation, within lineages, of how well a block of exploration was judged with the step to the "
        "next checkpoint; and the step after the best-judged third of blocks less that after the worst. Reliability "
        "is the share of these steps that is more than noise: below 0.3, and where noise may well be all of it, "
        "nothing is estimated, which is not to say that there is none.",
        ("game", "lineages", "blocks", "reliability", "rho(A, g)", "rho(−E, g)", "gap A", "gap E"),
        tuple(
            (
                row.game,
                str(row.runs),
                str(row.blocks),
                number(row.reliability),
                _estimated(row.by_agreement),
                _estimated(row.by_error),
                _estimated(row.gap_agreement),
                _estimated(row.gap_error),
            )
            for row in report.coupling
        ),
    )


def _estimated(found: Estimate) -> str:
    if found.value is None:
        return "; ".join(found.flags) or "not estimable"
    interval = "" if found.lo is None else f" {interval_text(found)}"
    return f"{number(found.value, found.lo, found.hi, signed=True)}{interval}"


def against(report: ExploreReport) -> Table:
    """Table 7 of the paper for any two pathways, with what decides."""
    return Table(
        "table-7",
        "Table 7: pathways against each other",
        "Lineage by lineage on the same tasks. NABA counts who has more area above the start; it decides nothing. The "
        "difference of the signed gains has an interval, and its word is for looking around: it is not in the family.",
        ("game", "one", "other", "pairs", "one has more", "other has more", "ties", "mean change of NABA",
         "gain of one less other [95%]", "word"),
        tuple(
            (
                row.game,
                row.one,
                row.other,
                str(row.pairs),
                str(row.wins),
                str(row.losses),
                str(row.ties),
                number(row.naba, signed=True),
                gain_text(row.difference),
                f"{MARKS[row.verdict.word]} {row.verdict.word}",
            )
            for row in sorted(report.versus, key=lambda row: report.games.index(row.game))
        ),
    )  # fmt: skip


def standing(report: ExploreReport) -> Table:
    """Ranks within games, and games improved."""
    return Table(
        "standing",
        "Ranks within games, and games improved",
        "The ranks of the signed gain within each game that the tests of all its pairs leave open, together with 95%; "
        "1 is the largest. Pathways that no test tells apart share their ranks, and no number is averaged over games.",
        ("pathway", *report.games, "improved", "regressed"),
        tuple(
            (
                row.arm,
                *(ranks_text(row.ranks[game]) for game in report.games),
                f"{row.improved} of {row.games}",
                f"{row.regressed} of {row.games}",
            )
            for row in report.standing
        ),
    )


def costs(report: ExploreReport) -> Table:
    """What it took."""
    heads = ("who", "attempts", "steps", "seconds", "model calls", "tokens in", "from cache", "out", "US dollars")
    rows = [("A_0, for all", *cost_cells(report.baseline_cost))]
    for arm in report.arms:
        rows.append((f"{arm.name}, exploring", *cost_cells(arm.exploring)))
        rows.append((f"{arm.name}, examined", *cost_cells(arm.examining)))
    return Table("costs", "Costs", "All lineages and games together.", heads, tuple(rows))


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _by_game(report: ExploreReport) -> Iterator[CurveRow]:
    for game in report.games:
        yield from (row for row in report.curves if row.game == game)
