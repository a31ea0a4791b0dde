"""Promises about a fixed collection of tasks (`rung.core.ports.Pooled`). A family that draws without end has none."""

from collections.abc import Sequence

from rung.core.ports import Pooled
from rung.core.values import Task
from rung.testing.contracts.families.case import CLOSE, FamilyCase, acting
from rung.testing.contracts.promise import Check, into, require

CHECKS: list[Check[FamilyCase]] = []
promise = into(CHECKS)

MOST = 500
"""Tasks of one pool that are played; a larger one is tried by its first."""


def _pools(case: FamilyCase) -> Sequence[tuple[str, Sequence[Task]]]:
    """The pools of a fixed collection, each with where it lies; the sealed one after the one that is worked."""
    family = case.family
    if not isinstance(family, Pooled):
        return ()
    both = [(setting, sealed) for setting in case.settings for sealed in (False, True)]
    return [(family.whence(setting, sealed=sealed), family.pool(setting, sealed=sealed)) for setting, sealed in both]


@promise
def a_fixed_collection_is_dealt_from_as_it_says(case: FamilyCase) -> None:
    """In a fixed collection no content is there twice, so none is both worked and sealed; and a draw is one of it."""
    pools = _pools(case)
    tasks = [task for _, pool in pools for task in pool]
    contents = [case.key.fingerprint(task) for task in tasks]
    twice = len(contents) - len(set(contents))
    require(not twice, seen=f"{twice} contents met before in {[place for place, _ in pools]}", mend="deal each once")
    ids = {task.id for task in tasks}
    stray = [task.cell for task in case.tasks if tasks and task.id not in ids]
    require(not stray, seen=f"draws of {stray} that are in no pool", mend="draw from the pool of the setting")


@promise
def a_fixed_collection_is_solved(case: FamilyCase) -> None:
    """Every task of a fixed collection is worth its reference to the solver, except where that is a bare bound."""
    for place, pool in _pools(case):
        for task in pool[:MOST]:
            reference = case.key.reference(task)
            if reference.certificate != "bound":
                score = case.play(task, acting(case, case.key.solver(task), task)).evaluation.score
                seen = f"{place}: {score} and not {reference.score} for {dict(task.payload)!r:.120}"
                require(abs(score - reference.score) <= CLOSE, seen=seen, mend="mend the check or the known answer")
