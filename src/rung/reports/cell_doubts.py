"""What a hostile reader would say first of a cell: how its sessions ended, what confined them, what nobody saw."""

from collections.abc import Iterator

from rung.reports.values import LadderReport, Programs, Worked
from rung.reports.wording import counted, gain_text, percent, quoted

PRINTED = 4
"""Names that are printed of a longer list."""


def weaknesses(found: Programs | None) -> Iterator[str]:
    """The weaknesses of a cell's programs, the gravest first; none of another study."""
    if found is None:
        return
    if found.attested:
        yield (
            f"The agent was served and not run here ({found.attested}): that each exam address was given to a fork of "
            "what it should be, and where the agent ran and whom it reached, its owner says and nobody here saw."
        )
    yield from _of_confinement(found)
    yield from _of_egress(found)
    for each in found.sessions:
        yield from _of_session(each)
    if not found.attested:  # all its exams are served together
        yield from _of_drift(found)
    yield from _of_versions(found)


def _of_confinement(found: Programs) -> Iterator[str]:
    if "unsafe" in found.sandboxes:
        yield (
            "Programs ran in no sandbox: they could read the run's folder, the exam's secret and the keys, and reached "
            "the whole network unseen. Believe this as far as you trust them."
        )


def of_broken(report: LadderReport) -> Iterator[str]:
    """Exam attempts in which the program itself broke; they are scored, so nobody sees it in the numbers."""
    if report.programs is None:
        return
    sides = [(arm.name, arm.ended_examining) for arm in report.arms]
    for name, ended in (*sides, *((one.name, one.ended) for one in report.shared)):
        broke = ended.of("harness_failure")
        if broke:
            first = quoted(ended.first["harness_failure"]) if "harness_failure" in ended.first else ""
            yield (
                f"{percent(broke, ended.total)} exam attempts of {name} ended because the program broke; they were "
                f"scored as they stood.{first}"
            )


def _of_egress(found: Programs) -> Iterator[str]:
    if found.unseen:
        yield (
            f"The network record of {found.unseen:,} of {counted(found.legs, 'session')} is incomplete: of those "
            "nothing can be said of whom they reached."
        )
    reached = {name for each in found.sessions for name in each.reached}
    if reached:
        shown = ", ".join(sorted(reached)[:PRINTED]) + (" and more" if len(reached) > PRINTED else "")
        yield f"Working sessions reached or tried {counted(len(reached), 'place')} outside: {shown}."


def _of_session(each: Worked) -> Iterator[str]:
    name = f"{each.arm} L{each.lineage}"
    if each.ending is None:
        return
    if each.truncated and each.ending != "instrument_fault":
        yield (
            f"Neither the agent nor its stream ended the working session of {name} "
            f"({each.ending.replace('_', ' ')}) after {each.worked} of {each.planned} tasks: its gain is of a "
            "truncated session."
        )
    if each.ending == "agent_stopped":
        yield f"{name} chose to stop after {each.worked} of {each.planned} tasks; that choice is part of its result."
    if each.interrupted or each.legs > 1:
        yield f"{name} was interrupted from outside and gone on with: {counted(each.legs, 'leg')}."
    if each.odd:
        yield f"Not all that {name} left was kept as it lay, or could be classed: {each.odd[0]}."


def _of_drift(found: Programs) -> Iterator[str]:
    seen = 0
    for each in found.sentinels:
        change = each.change
        seen += change.n_tasks
        if change.lo is not None and change.hi is not None and not change.lo <= 0 <= change.hi:
            yield (
                f"A_0 drifted: among the after-exam it scored otherwise than before ({gain_text(change)} in "
                f"{each.unit}), so a gain of that size may be the provider's."
            )
    if not found.sentinels:
        yield (
            "The exams came one after the other, and no sentinel of A_0 sat among the after-exam, so that a drift of "
            "the provider cannot be told from gain."
        )
    else:
        yield (
            "The exams came one after the other, as published, and were not shuffled together: a drift of the provider "
            f"shows only in {counted(seen, 'task')} that sentinels of A_0 sat again."
        )


def _of_versions(found: Programs) -> Iterator[str]:
    other = {(each.program, each.version, each.pinned) for each in found.sessions if each.version != each.pinned}
    for program, version, pinned in sorted(other, key=str):
        yield (
            f"{program} is installed in version {version or 'unknown'}; what the instrument knows of it was measured "
            f"on {pinned}."
        )
