"""What a hostile reader of a ladder report would say first, said by the report itself."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rung.reports.values import ArmReport, Pool
from rung.stats import flags as say


def weaknesses(
    config: Mapping[str, Any], arms: Sequence[ArmReport], pools: Sequence[Pool], lineages: int
) -> tuple[str, ...]:
    """Every weakness of this study that can be seen from its own record, in plain sentences."""
    found = [
        *_of_lineages(lineages),
        *_of_exam(config, arms),
        *_of_pools(pools),
        *_of_rungs(arms),
        *_of_budgets(arms),
        *_of_methods(arms),
    ]
    return tuple(dict.fromkeys(found))


def _of_lineages(lineages: int) -> Iterator[str]:
    if lineages == 1:
        yield "One lineage: every claim is about this end state only, and says nothing of the method run again."
    elif lineages == 2:
        yield "Two lineages: shown, but too few for any verdict."
    elif lineages < 5:
        yield f"{lineages} lineages: the interval is a hull of two; five lineages would allow the sharper one."
    if lineages > 1:
        yield "All lineages share one exam of A_0: its noise enters each of them alike, as variance between tasks."


def _of_exam(config: Mapping[str, Any], arms: Sequence[ArmReport]) -> Iterator[str]:
    if all(arm.agent.startswith("phantom:") for arm in arms):
        yield "All agents are scripted phantoms: this report measures the instrument and no model."
    if config["secret_fixed"]:
        yield "The exam secret is fixed in the config: anyone can draw this exam, so it is for phantoms and tests only."
    if config["exam"]["order"] == "fixed":
        yield "Exam attempts were not shuffled together: a drift of the provider could be read as gain."
    if len(arms) > 1:
        yield "Arms share the A_0 exam and the static arm, so that their chance errors point the same way together."
    yield "No equivalence margin was declared, so that no rung can be called equivalent, only inconclusive."


def _of_pools(pools: Sequence[Pool]) -> Iterator[str]:
    for pool in pools:
        if pool.stale:
            yield (
                f"Not fresh: {pool.stale} of {pool.count} instances of {pool.cell} in {pool.pool} repeat content met "
                "before; the family is too small for this pool."
            )


def _of_rungs(arms: Sequence[ArmReport]) -> Iterator[str]:
    rungs = [rung for arm in arms for rung in arm.rungs]
    if not any(rung.level == "G0" for rung in rungs):
        yield "No replays were scheduled, so that nothing is said of G0."
    missing = sorted({"G1", "G2", "G3", "G4"} - {rung.level for rung in rungs})
    if missing:
        yield f"Not asked: {', '.join(missing)}; no held-out tasks were on these rungs."
    undefined = [f"{rung.arm} {rung.level}" for rung in rungs if rung.hci.value is None]
    if undefined:
        yield f"HCI is undefined for {len(undefined)} of {len(rungs)} rows ({_some(undefined)}); the raw gains stand."
    imprecise = [f"{rung.arm} {rung.level}" for rung in rungs if say.IMPRECISE in rung.hci.flags]
    if imprecise:
        yield f"HCI is imprecise for {len(imprecise)} of {len(rungs)} rows ({_some(imprecise)}): do not rank by it."
    if any(rung.certificate.startswith("solver") for rung in rungs):
        yield "Some references are a solver's score and not a proven optimum: HCI above 1 is possible there."
    small = sorted({f"{rung.level} {rung.target}" for rung in rungs if 0 < rung.gain.n_tasks < 20})
    if small:
        yield f"Fewer than 20 tasks on {_some(small)}: a verdict there needs the exact test to agree."


def _of_budgets(arms: Sequence[ArmReport]) -> Iterator[str]:
    attempts = {arm.name: arm.improving.attempts for arm in arms}
    if len(attempts) > 1 and max(attempts.values()) > 1.05 * min(attempts.values()):
        most, least = max(attempts, key=attempts.__getitem__), min(attempts, key=attempts.__getitem__)
        yield (
            f"Budgets are not matched: {most} used {attempts[most]} attempts to improve, {least} {attempts[least]} "
            "(trials included)."
        )


def _of_methods(arms: Sequence[ArmReport]) -> Iterator[str]:
    for arm in arms:
        if arm.method_faults:
            yield f"The method of {arm.name} broke {arm.method_faults} times; its incumbent was kept there."
        lost = sum(arm.faults.values())
        if lost:
            yield f"{lost} attempts of {arm.name} broke and have no score; they are missing, not zero."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
