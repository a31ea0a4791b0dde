"""What weakens an exploring report, strongest first, each in one sentence."""

from collections.abc import Iterator

from rung.core.explore_config import BASELINE_EPISODES
from rung.reports.explore.values import ExploreReport
from rung.stats.judging import TOO_MANY_UNREAD


def weaknesses(report: ExploreReport) -> Iterator[str]:
    """In the order in which they matter."""
    yield from _claims(report)
    yield from _holes(report)
    yield from _judges(report)
    yield from _design(report)


def _claims(report: ExploreReport) -> Iterator[str]:
    if report.config.get("quick"):
        yield "a quick look: everything is cut down to a few episodes, and nothing is measured"
    loose = [arm.name for arm in report.arms if arm.unconfined]
    if loose:
        yield (
            f"{', '.join(loose)}: code that a model wrote ran in no sandbox, so it could have read the run's folder, "
            "the exam's secret and the keys: believe these as far as you trust that code"
        )
    yield from _unchanged(report)
    if report.lineages == 1:
        yield "one lineage: every word is about this one course, and none says that the agent improves itself"
    if report.lineages == 2:
        yield "two lineages carry no word: they show that courses differ, and not by how much"
    if report.lineages in (3, 4):
        yield f"{report.lineages} lineages: intervals are wide, and a gain that is there is often not shown; plan 5"
    if report.secret_fixed:
        yield "the exam's secret is fixed: for phantoms and tests only"
    taken = [row.name for row in report.curves if row.alone.word != row.verdict.word]
    if taken:
        yield f"{', '.join(taken)}: a word by itself that {report.family} curves together do not carry"


def _unchanged(report: ExploreReport) -> Iterator[str]:
    """Pathways that explored to the end and never changed: what their curves do is noise. Controls are meant to."""
    if report.incomplete:
        return
    still = [arm.name for arm in report.arms if not arm.accepted and (arm.of is None or arm.judge != "itself")]
    if still:
        yield f"{', '.join(still)}: no change was taken over, so every checkpoint is A_0 again and the curve is noise"


def _holes(report: ExploreReport) -> Iterator[str]:
    left = {row.name: row.left_out for row in report.curves if row.left_out}
    for name, count in left.items():
        yield f"{name}: {count} checkpoints of lineages have no measured score; they are left out and neighbours joined"
    for arm in report.arms:
        if arm.faults:
            yield f"{arm.name}: {sum(arm.faults.values())} attempts broke, first {next(iter(arm.faults))}"
        if arm.first_refused is not None:
            yield f"{arm.name}: {arm.refused} refinements made nothing, first: {arm.first_refused.text}"


def _judges(report: ExploreReport) -> Iterator[str]:
    for row in report.judging:
        if row.steps and row.unread > TOO_MANY_UNREAD * row.steps:
            whose = "its own" if row.whose == "said" else f"the {row.by}'s"
            yield f"{row.arm} on {row.game}: {row.unread} of {row.steps} steps have no readable judgement of {whose}"


def _design(report: ExploreReport) -> Iterator[str]:
    if report.baseline_episodes < BASELINE_EPISODES:
        yield (
            f"the baseline has {report.baseline_episodes} episodes a game, fewer than {BASELINE_EPISODES}: its noise "
            "is in every number above it"
        )
    for pool in report.pools:
        if pool.pool == "holdout" and pool.stale:
            yield (
                f"{pool.stale} of {pool.count} sealed tasks of {pool.cell} repeat content met before: intervals over "
                "tasks count each as one of its own, and are too short"
            )
    made = {arm.name: arm.exploring.attempts for arm in report.arms}
    if len(set(made.values())) > 1:
        yield f"pathways explored unequally: {', '.join(f'{name} {count}' for name, count in made.items())} episodes"
