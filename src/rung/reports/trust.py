"""What takes belief away from an exam row: content that was met before, and attempts that broke and were run again."""

from dataclasses import dataclass

from rung.reports.record import Record
from rung.reports.tables import Planned
from rung.reports.wording import UNCONFINED
from rung.stats.missing import MAX_MISSING
from rung.stats.verdict import Verdict

NOT_FRESH, NOT_HONEST = "not fresh", "not honest"
"""How the reasons begin for which a row is contaminated: its tasks were met before, or an arm knew them otherwise."""


@dataclass(frozen=True, slots=True)
class Broken:
    """How many of the planned attempts of A_0 and A_T in one cell broke at the first try, rerun or not."""

    attempts: int
    planned: int

    @property
    def share(self) -> float:
        """Share of the planned attempts."""
        return self.attempts / self.planned

    @property
    def flags(self) -> tuple[str, ...]:
        """What stands beside the number; nothing when nothing broke."""
        if not self.attempts:
            return ()
        return (f"{self.attempts} of {self.planned} attempts broke at the first try; the rest and the reruns count",)


def broken(found: Record, name: str, places: set[int]) -> Broken:
    """The first tries that broke, of A_0 and of every A_T of an arm, at these places of the exam."""
    baselines, about = found.baselines(name), found.about_exam
    mine = {*baselines, *(f"{name}.L{number}" for number in found.lineages)}
    first = [row for row in found.rows if row.who in mine and row.place in places and row.rerun == 0]
    sittings = len(baselines) * about["baseline_repeats"] + len(found.lineages) * about["repeats"]
    return Broken(sum(row.purpose == "exam" and row.fault is not None for row in first), sittings * len(places))


def loose(found: Record, name: str) -> tuple[str, ...]:
    """That code which a model wrote was confined by nothing in this arm, where it was so."""
    return (UNCONFINED,) if found.arms[name].get("confined") == "unsafe" else ()


def stale(found: Record, target: Planned) -> tuple[str, ...]:
    """Why a cell of the exam is no test of anything new: a family too small repeats its content; nothing otherwise.

    An exam cell is stale when content in it was met before, in the exam or in the working sequence of its family.
    """
    pools = [pool for pool in found.pools if pool["stale"] and pool["cell"].split(" ")[0] == target.family]
    exam = [pool for pool in pools if pool["pool"] == "holdout" and pool["cell"] == target.cell]
    worked = [pool for pool in pools if pool["pool"] != "holdout"]
    lines = [f"{NOT_FRESH}: {pool['stale']} of {pool['count']} exam tasks repeat content met before" for pool in exam]
    if worked:
        met, of = sum(pool["stale"] for pool in worked), sum(pool["count"] for pool in worked)
        lines.append(f"{NOT_FRESH}: {met} of {of} working tasks of this family repeat content met before")
    return tuple(lines)


def contaminated(verdict: Verdict, why: tuple[str, ...]) -> Verdict:
    """The verdict, unless there is a reason why its number is none."""
    return Verdict("contaminated", verdict.scope, why) if why else verdict


def believed(verdict: Verdict, lost: Broken, met: tuple[str, ...]) -> Verdict:
    """The verdict, unless its tasks were met before, or too much was kept only because it did not break."""
    if met:
        return contaminated(verdict, met)
    if lost.share > MAX_MISSING and verdict.word != "contaminated":
        return Verdict("incomplete", verdict.scope, (*lost.flags, "what counts is what did not break"))
    return verdict
