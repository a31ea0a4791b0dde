"""What the journal says of a ladder study, read once: the plan, every attempt, and the exam's means."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, cast

from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.values import Purpose, Scale
from rung.reports import tables
from rung.reports.tables import Planned, Row
from rung.reports.truth import phantoms
from rung.reports.values import Cut


@dataclass(frozen=True, slots=True)
class Record:
    """The plan of a ladder study and what came of it."""

    config: Mapping[str, Any]
    about_exam: Mapping[str, Any]  # its id, and attempts per task: `baseline_repeats` of A_0 and `repeats` of A_T
    families: Mapping[str, Any]
    comparisons: Sequence[Mapping[str, Any]]
    exam: Sequence[Planned]
    sequences: Sequence[Sequence[Planned]]
    arms: Mapping[str, Mapping[str, Any]]
    pools: Sequence[Mapping[str, Any]]  # per pool and cell how many instances, and how many of content met before
    rows: Sequence[Row]
    means: Mapping[str, list[float]]
    work: Mapping[tuple[str, int, int], float]  # (arm, lineage, position) -> score, NaN for a fault
    cuts: Mapping[tuple[str, int], Cut]  # (arm, lineage) -> where it ended because its budget was spent
    tainted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # arm -> why its numbers are none
    registered: Mapping[str, Any] | None = None  # the plan that was registered beforehand: its hash and content
    attested: str = ""  # what the owner of an agent that was served vouches for

    @property
    def scripted(self) -> bool:
        """Whether every agent is a phantom."""
        return phantoms(arm["agent"]["kind"] for arm in self.config["arms"])

    @property
    def modelled(self) -> bool:
        """Whether a model may have been called: an arm names one, or an agent is no phantom."""
        parts = [part for arm in self.config["arms"] for part in (arm["agent"], arm["method"])]
        return not self.scripted or any(part.get("model") for part in parts)

    def about(self, name: str) -> Mapping[str, Any]:
        """An arm as the config has it."""
        return next(arm for arm in cast("list[Mapping[str, Any]]", self.config["arms"]) if arm["name"] == name)

    @property
    def exams(self) -> list[str]:
        """The examinees that are an A_0: arms that begin alike share one, unless each lineage has a fresh one."""
        return list(dict.fromkeys(who for name in self.arm_names for who in self.baselines(name)))

    @property
    def sentinels(self) -> list[str]:
        """The examinees that are an A_0 among the after-exam of a cell."""
        wanted = 0 if self.attested else self.config.get("cell", {}).get("sentinels", 0)
        return [f"{name}.sentinel" for name in self._shipped] if wanted else []

    @property
    def _shipped(self) -> list[str]:
        return list(dict.fromkeys(self.arms[name]["A_0"] for name in self.arm_names))

    def fresh(self, name: str) -> bool:
        """Whether each lineage of an arm is held against a before-exam of its own."""
        return bool(self.arms[name].get("before") == "fresh")

    def baselines(self, name: str) -> list[str]:
        """The examinees that an arm's lineages are held against: one for all, or one for each."""
        shipped = self.arms[name]["A_0"]
        return [f"{shipped}.L{number}" for number in self.lineages] if self.fresh(name) else [shipped]

    @property
    def lineages(self) -> range:
        """The numbers of the lineages."""
        return range(1, len(self.sequences) + 1)

    @property
    def arm_names(self) -> list[str]:
        """The arms in the order of the config."""
        return [arm["name"] for arm in self.config["arms"]]

    @property
    def controls(self) -> list[str]:
        """The static arms that somebody is held against; a cell has none."""
        found = (self.arms[name]["control"] for name in self.arm_names)
        return list(dict.fromkeys(control for control in found if control is not None))

    @property
    def is_cell(self) -> bool:
        """Whether programs were measured, each in one working session a lineage."""
        return bool(self.config["protocol"] == "cell")

    def margins(self) -> Mapping[str, float]:
        """The margins that were registered, by level: gains that are as good as none."""
        return {} if self.registered is None else dict(self.registered["plan"].get("margins", {}))

    def entries(self, purpose: Purpose) -> list[Planned]:
        """The entries of every sequence with this purpose."""
        return [entry for sequence in self.sequences for entry in sequence if entry.purpose == purpose]

    def units(self, tasks: Iterable[Planned]) -> tuple[str, ...]:
        """The units in which these tasks are scored."""
        return tuple(dict.fromkeys(scale.unit for scale in self.scales(tasks)))

    def scales(self, tasks: Iterable[Planned]) -> list[Scale]:
        """The declared scale of each family among these tasks."""
        return [self.scale(family) for family in dict.fromkeys(task.family for task in tasks)]

    def scale(self, family: str) -> Scale:
        """The declared scale of a family's scores."""
        return Scale(**self.families[family]["scale"])

    def score(self, arm: str, lineage: int, position: int | None) -> float:
        """A held-in score; NaN where there is none."""
        return nan if position is None else self.work.get((arm, lineage, position), nan)


def record(journal: Journal) -> Record:
    """Read a study, finished or not; raises `UsageError` where none has begun."""
    config = tables.plan_fact(journal, "config")
    if config.get("protocol") == "explore":
        raise UsageError('this run is of protocol = "explore", which has curves and no rungs; `rung report` reads it')
    rows = list(tables.attempts(journal))
    exam = tables.planned_exam(journal)
    work = {
        (row.who, cast(int, row.lineage), row.place): nan if row.score is None else row.score
        for row in rows
        if row.purpose in ("work", "replay")
    }
    arms = {
        fact.path: cast(Mapping[str, Any], fact.value) for fact in journal.facts(kind="arm") if "/" not in fact.path
    }
    if not arms:
        raise UsageError("this run has not begun its first attempt; run it with `rung run`, then report")
    sequences = [tables.planned_lineage(journal, number) for number in range(1, config["lineages"] + 1)]
    return Record(
        config=config,
        about_exam=tables.plan_fact(journal, "exam"),
        families=tables.plan_fact(journal, "families"),
        comparisons=tables.plan_fact(journal, "comparisons"),
        exam=exam,
        sequences=sequences,
        arms=arms,
        pools=tables.plan_fact(journal, "freshness"),
        rows=rows,
        means=tables.exam_means([row for row in rows if row.purpose == "exam"], tasks=len(exam)),
        work=work,
        cuts={(cut.arm, cut.lineage): cut for cut in _cuts(journal, sequences)},
        registered=cast("Mapping[str, Any] | None", journal.get("plan", "registered")),
        attested=str(cast("Mapping[str, Any]", journal.get("served", "attested") or {}).get("forks", "")),
    )


def _cuts(journal: Journal, sequences: Sequence[Sequence[Planned]]) -> Iterator[Cut]:
    for fact in journal.facts(kind="cut"):  # at <arm>/L<lineage>
        arm, _, lineage = fact.path.partition("/L")
        value = cast("Mapping[str, Any]", fact.value)
        planned = len(sequences[int(lineage) - 1])
        yield Cut(arm, int(lineage), int(value["before"]), planned, str(value["reason"]))
