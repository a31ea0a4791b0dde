"""What the journal says of an exploring study, read once: plan, arms, scores of checkpoints and baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rung.core.errors import UsageError
from rung.core.explore_config import ExploreConfig
from rung.core.ports import Journal
from rung.core.values import Scale
from rung.findings.transitions import Course, courses
from rung.reports import tables
from rung.reports.explore.scores import Checkpoint, Scores
from rung.reports.tables import Row
from rung.stats.inputs import FloatArray


@dataclass(frozen=True, slots=True)
class Record:
    """The plan of an exploring study and what came of it. `scores` are by arm and game, `courses` by lineage too."""

    config: Mapping[str, Any]
    how: ExploreConfig
    about_exam: Mapping[str, Any]
    families: Mapping[str, Mapping[str, Any]]
    arms: Mapping[str, Mapping[str, Any]]
    rows: Sequence[Row]
    courses: Mapping[tuple[str, str, int], Course]
    scores: Mapping[tuple[str, str], Scores]
    reached: Mapping[tuple[str, str, int], int]  # checkpoints of a lineage that are on record
    cuts: Mapping[tuple[str, str, int], str]  # lineages that ended because a budget was spent, and what was said

    @property
    def lineages(self) -> range:
        """The numbers of the lineages."""
        return range(1, int(self.config["lineages"]) + 1)

    @property
    def arm_names(self) -> list[str]:
        """The arms in the order of the config."""
        return [arm["name"] for arm in self.config["arms"]]

    @property
    def games(self) -> list[str]:
        """The games in the order of the config."""
        return [game.family for game in self.how.games]

    def about(self, name: str) -> Mapping[str, Any]:
        """An arm as the config has it."""
        return next(arm for arm in cast("list[Mapping[str, Any]]", self.config["arms"]) if arm["name"] == name)

    def scale(self, game: str) -> Scale:
        """The declared scale of a game's scores."""
        return Scale(**self.families[game]["scale"])

    def step(self, game: str) -> float | None:
        """The declared least score above 0 of an episode."""
        return cast("float | None", self.families[game].get("score_step"))


def record(journal: Journal) -> Record:
    """Read a study, finished or not; raises `UsageError` where none of this protocol has begun."""
    config = tables.plan_fact(journal, "config")
    if config.get("protocol") != "explore":
        raise UsageError('this run is no study of protocol = "explore"')
    arms = {fact.path: cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="arm")}
    names = [arm["name"] for arm in config["arms"]]
    if not set(names) <= set(arms):
        raise UsageError("this run has not begun its first episode; run it with `rung run`, then report")
    how = ExploreConfig.model_validate(config["explore"])
    rows = list(tables.attempts(journal))
    exams = tables.last_reruns([row for row in rows if row.purpose == "exam"])
    by_examinee: dict[str, dict[tuple[int, int], float]] = {}
    for row in exams:
        score = np.nan if row.score is None else row.score
        by_examinee.setdefault(row.who, {})[row.place, row.repeat] = score
    about_exam = tables.plan_fact(journal, "exam")
    scores = {
        (arm, game.family): _scores(
            how, number, about_exam, by_examinee, arms[arm]["A_0"], arm, int(config["lineages"])
        )
        for arm in names
        for number, game in enumerate(how.games)
    }
    places = [fact.path for fact in journal.facts(kind="checkpoint")]
    cuts = {
        _course_of(fact.path): str(cast("Mapping[str, Any]", fact.value)["reason"])
        for fact in journal.facts(kind="cut")
    }
    return Record(
        config=config,
        how=how,
        about_exam=about_exam,
        families=tables.plan_fact(journal, "families"),
        arms=arms,
        rows=rows,
        courses={(each.arm, each.game, each.lineage): each for each in courses(journal)},
        scores=scores,
        reached={key: sum(_course_of(path) == key for path in places) for key in {_course_of(path) for path in places}},
        cuts=cuts,
    )


def _course_of(path: str) -> tuple[str, str, int]:
    """Arm, game and lineage of a course's path: `history.trust-v1/L2/...`."""
    name, lineage = path.split("/")[:2]
    arm, _, game = name.partition(".")
    return arm, game, int(lineage.removeprefix("L"))


def _scores(
    how: ExploreConfig,
    number: int,
    about_exam: Mapping[str, Any],
    found: Mapping[str, Mapping[tuple[int, int], float]],
    start: str,
    arm: str,
    lineages: int,
) -> Scores:
    """The scores of one arm in the game with this number; nan for what was not measured or not yet."""
    first, game = number * how.sealed + 1, how.games[number].family
    baseline = _table(found.get(start, {}), range(first, first + how.sealed), about_exam["baseline_repeats"])
    checkpoints = []
    for k in range(how.checkpoints):
        x, columns = (
            (k + 1) * how.checkpoint_every,
            range(k * how.checkpoint_episodes, (k + 1) * how.checkpoint_episodes),
        )
        rows = [
            _table(
                found.get(f"{arm}.{game}.L{lineage}.x{x:04d}", {}), [first + c for c in columns], about_exam["repeats"]
            )
            for lineage in range(1, lineages + 1)
        ]
        checkpoints.append(Checkpoint(x, tuple(columns), np.stack(rows)))
    return Scores(baseline, tuple(checkpoints))


def _table(found: Mapping[tuple[int, int], float], places: Sequence[int], repeats: int) -> FloatArray:
    rows = [[found.get((place, repeat), np.nan) for repeat in range(1, repeats + 1)] for place in places]
    return np.array(rows, dtype=np.float64)
