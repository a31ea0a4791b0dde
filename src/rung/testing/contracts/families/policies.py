"""Promises of a family's key: the solver reaches the reference, and a newcomer does not."""

from statistics import fmean

from rung.testing.contracts.families.case import CLOSE, FamilyCase, acting
from rung.testing.contracts.promise import Check, into, require

CHECKS: list[Check[FamilyCase]] = []
promise = into(CHECKS)


@promise
def the_solver_reaches_the_reference(case: FamilyCase) -> None:
    """The solver scores the reference exactly, on every admitted task; a bare bound it may stay below."""
    for played in case.solved:
        reference = case.key.reference(played.task)
        short_by = reference.score - played.evaluation.score
        kept = short_by >= -CLOSE if reference.certificate == "bound" else abs(short_by) <= CLOSE
        seen = f"{played.task.cell}: {played.evaluation.score}, reference {reference.score} ({reference.certificate})"
        require(kept, seen=seen, mend="let the reference be what the solver's own episode scores")


@promise
def the_reference_is_a_function_of_the_task(case: FamilyCase) -> None:
    """Asked twice, a reference is the same, and it lies on the declared scale."""
    scale = case.family.scale
    for task in case.tasks:
        first, again = case.key.reference(task), case.key.reference(task)
        require(first == again, seen=f"{first} and {again}", mend="compute it from the task alone")
        kept = scale.low - CLOSE <= first.score <= (float("inf") if scale.high is None else scale.high) + CLOSE
        require(kept, seen=f"{task.cell}: {first.score} on {scale}", mend="measure it as episodes are measured")


@promise
def a_newcomer_is_below_the_reference(case: FamilyCase) -> None:
    """Over twenty tasks a newcomer scores less than the reference in the mean: there is something to learn."""
    newcomers = fmean(played.evaluation.score for _, _, played in case.compared)
    references = fmean(reference.score for _, reference, _ in case.compared)
    seen = f"newcomer {newcomers:.6g}, reference {references:.6g}, over {len(case.compared)} tasks"
    require(newcomers < references - CLOSE, seen=seen, mend="strengthen the solver, or weaken the naive policy")


@promise
def nothing_beats_a_proven_reference(case: FamilyCase) -> None:
    """No episode seen here scores above a reference that is certified as optimal or as a bound."""
    proven = [(ref, played) for _, ref, played in case.compared if ref.certificate in ("optimal", "bound")]
    for played in (*case.attempted, *case.muddled, *case.solved):
        reference = case.key.reference(played.task)
        proven += [(reference, played)] if reference.certificate in ("optimal", "bound") else []
    for reference, played in proven:
        seen = f"{played.task.cell}: {played.evaluation.score} above {reference.certificate} {reference.score}"
        kept = played.evaluation.score <= reference.score + CLOSE
        require(kept, seen=seen, mend="certify as 'solver' what is not proven")


@promise
def policies_play_a_task_the_same_way_each_time(case: FamilyCase) -> None:
    """The naive and the solver policy make the same calls on the same task, whenever they are asked."""
    for played in case.attempted:
        again = case.play(played.task, acting(case, case.key.naive(played.task), played.task))
        require(again == played, seen=f"{played.task.cell}: the naive policy varies", mend="draw from the task's seed")
    for played in case.solved:
        again = case.play(played.task, acting(case, case.key.solver(played.task), played.task))
        require(again == played, seen=f"{played.task.cell}: the solver varies", mend="draw from the task's seed")


@promise
def the_solver_makes_legal_calls(case: FamilyCase) -> None:
    """No call of the solver is invalid."""
    for played in case.solved:
        stray = [index for index, reply in enumerate(played.replies) if reply.invalid]
        require(not stray, seen=f"{played.task.cell}: calls {stray[:5]} are invalid", mend="mend parse or the solver")
