"""Differences of gains from the journal's own rows, by SQL and numpy alone."""

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rung.core.config import parse
from rung.core.errors import InstrumentFault
from rung.core.ports import Actor, Ports
from rung.core.values import Action, Candidate, Selection, State, View
from rung.methods.static import Static
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports.compare import whole
from rung.reports.compare.exams import bounds
from rung.reports.compare.values import Compared
from rung.stats.missing import Bounds
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.testing.toys.toy_lock_v1.game import FAMILY

from .compared import LOCK, compared, played, study

LINEAGES = 4
CELL = "toy-road-v1 d1"


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """Two runs on disk that begin apart and gain differently."""
    root = tmp_path_factory.mktemp("runs")
    made = {
        "low": study("low", tasks=9, lineages=LINEAGES, agent={"kind": "phantom:general", "base": 0.1, "rate": 0.05}),
        "high": study("high", tasks=9, lineages=LINEAGES, agent={"kind": "phantom:general", "base": 0.2, "rate": 0.15}),
    }
    for name, document in made.items():
        launch.run(parse({**document, "exam": {"secret": "one exam"}}), root / name)
    return {name: root / name for name in made}


@pytest.fixture(scope="module")
def found(folders) -> Compared:
    journals = {name: SqliteJournal(folder / "journal.sqlite", read_only=True) for name, folder in folders.items()}
    try:
        return whole.compare(journals)
    finally:
        for journal in journals.values():
            journal.close()


def by_sql(folder: Path, cell: str) -> tuple[np.ndarray, np.ndarray]:
    """A_T by lineage and task, and A_0 by task: means over repeats, straight from the table of facts."""
    base = sqlite3.connect(folder / "journal.sqlite")
    places = [
        int(path.rsplit("/", 1)[1])
        for path, text in base.execute(
            "SELECT path, json FROM fact WHERE path LIKE 'plan/exam/%' AND kind = 'task' ORDER BY 1"
        )
        if json.loads(text)["cell"] == cell
    ]
    query = "SELECT avg(json_extract(json, '$.score')) FROM fact WHERE kind = 'sealed' AND path LIKE ?"
    after = [
        [base.execute(query, (f"exam/phantom.L{k}/{place:04d}/%",)).fetchone()[0] for place in places]
        for k in range(1, LINEAGES + 1)
    ]
    before = [base.execute(query, (f"exam/A0.%/{place:04d}/%",)).fetchone()[0] for place in places]
    base.close()
    return np.array(after), np.array(before)


def test_a_row_is_the_difference_of_differences_with_the_hull_of_welch_and_of_t_over_tasks(folders, found):
    row = next(row for row in found.rows if row.cell == CELL)
    gains = [after - before for after, before in (by_sql(folders[name], CELL) for name in ("low", "high"))]
    by_task = gains[1].mean(axis=0) - gains[0].mean(axis=0)
    welch = stats.ttest_ind(gains[1].mean(axis=1), gains[0].mean(axis=1), equal_var=False)
    over_tasks = stats.ttest_1samp(by_task, 0)
    ends = [test.confidence_interval(0.95) for test in (welch, over_tasks)]
    assert row.difference.value == pytest.approx(by_task.mean())
    assert row.difference.lo == pytest.approx(min(low for low, _ in ends))
    assert row.difference.hi == pytest.approx(max(high for _, high in ends))
    assert row.gains == pytest.approx([gains[0].mean(), gains[1].mean()])
    assert (row.difference.n_lineages, row.difference.n_tasks) == (LINEAGES, 9)
    flips = np.array(list(product((-1, 1), repeat=9))) @ by_task  # nine tasks: the exact test counts too
    exact = np.mean(np.abs(flips) >= abs(by_task.sum()) - 1e-9)
    assert row.p == pytest.approx(max(welch.pvalue, over_tasks.pvalue, exact))


def test_a_t_alone_stands_beside_where_a_0_was_measured_apart(folders, found):
    row = next(row for row in found.rows if row.cell == CELL)
    low, high = (by_sql(folders[name], CELL)[0].mean() for name in ("low", "high"))
    assert row.end is not None
    assert row.end.value == pytest.approx(high - low)
    assert row.ends == pytest.approx([low, high])


def test_there_is_one_matrix_a_level_and_it_is_the_rows_both_ways_round(found):
    assert [(matrix.level, matrix.cell) for matrix in found.matrices] == [
        ("G0", "replays of toy-lock-v1 d1"),
        ("G1", "toy-lock-v1 d1"),
        ("G4", "toy-road-v1 d1"),
    ]
    matrix, row = found.matrices[2], found.rows[2]
    assert matrix.labels == ("low/phantom", "high/phantom")
    assert (matrix.entries[0][0], matrix.entries[1][1]) == (None, None)
    forward, back = matrix.entries[1][0], matrix.entries[0][1]
    assert forward is not None
    assert back is not None
    assert (forward.value, forward.lo, forward.hi) == (row.difference.value, row.difference.lo, row.difference.hi)
    assert (back.value, back.lo, back.hi) == (-forward.value, -forward.hi, -forward.lo)
    assert (forward.n_lineages, forward.n_tasks, forward.adjusted) == (LINEAGES, 9, row.adjusted)


def test_arms_of_one_run_that_begin_alike_stand_on_one_a_0_which_cancels():
    arms = [
        {"name": name, "agent": {"kind": f"phantom:{name}"}, "method": {"name": "phantom"}}
        for name in ("general", "narrow")
    ]
    document = study("both", arms=arms)
    del document["agent"], document["method"]
    found = compared({"both": played(document)})
    assert all(row.end is None for row in found.rows)
    for row in found.rows[1:]:
        assert row.difference.value == pytest.approx(row.ends[1] - row.ends[0])


# --------------------------------------------------------------------------------------------- the unscored


class Fragile:
    """Opens the locks whose number is even. Once it was refined, its instrument breaks on some the first times."""

    id = "fragile"

    def __init__(self, breaks: int, times: int) -> None:
        self.breaks, self.times = breaks, times
        self.met = Counter[int]()

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/x": b""}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Acts(self, refined=bool(state.files["agent/x"]))


class _Acts:
    def __init__(self, agent: Fragile, *, refined: bool) -> None:
        self.agent, self.refined = agent, refined

    async def act(self, view: View) -> Action:
        shown = int(view.text.rstrip(".").rsplit(" ", 1)[1])
        self.agent.met[shown] += self.refined
        if self.refined and shown % 40 < self.agent.breaks and self.agent.met[shown] <= self.agent.times:
            raise InstrumentFault("model", "gone")
        return Action(str(FAMILY.answer_to(shown)) if self.refined or shown % 2 == 0 else "0")


class Marks(Static):
    """Changes the agent's file once, so that A_T can be told from A_0."""

    id = "marks"

    async def refine(self, context: Any) -> Any:
        return [Candidate(context.snapshot, State({"agent/x": b"later"}))]

    async def select(self, context: Any, incumbent: Any, trials: Any) -> Any:
        return Selection(0)


def fragile(name: str, breaks: int, times: int, *, locks: int = 60) -> MemoryJournal:
    """A run of one lineage whose A_T knows every lock, and breaks on some tasks of the exam."""
    exam = {"baseline_repeats": 1, "repeats": 1, "reruns": 1}
    tasks = {"schedule": [{**LOCK, "count": 1}], "holdout": [{**LOCK, "count": locks}]}
    document = {"name": name, "protocol": "ladder", "lineages": 1, "exam": exam, "tasks": tasks}
    phantom = {"agent": {"kind": "phantom:static"}, "method": {"name": "phantom"}}
    return played(document | phantom, Arm("phantom", Fragile(breaks, times), Marks()))


def still(name: str, *, locks: int = 60) -> MemoryJournal:
    """The same agent, never refined."""
    exam = {"baseline_repeats": 1, "repeats": 1, "reruns": 1}
    tasks = {"schedule": [{**LOCK, "count": 1}], "holdout": [{**LOCK, "count": locks}]}
    document = {"name": name, "protocol": "ladder", "lineages": 1, "exam": exam, "tasks": tasks}
    phantom = {"agent": {"kind": "phantom:static"}, "method": {"name": "phantom"}}
    return played(document | phantom, Arm("phantom", Fragile(0, 0), Static()))


def first_tries(journal: MemoryJournal) -> list[float | None]:
    """What A_T scored at the first try by task; None where that broke."""
    facts = [fact for fact in journal.facts(under="exam", kind="sealed") if fact.path.startswith("exam/phantom.L1/")]
    return [fact.value.get("score") for fact in facts if "/again/" not in fact.path]


def test_what_broke_at_the_first_try_is_counted_in_three_ways_side_by_side():
    holed = fragile("holed", 2, 1)
    row = compared({"still": still("still"), "holed": holed}).rows[0]
    tries = first_tries(holed)
    broke = sum(score is None for score in tries)
    assert 0 < broke <= 3  # of 60
    knew = (
        sum(fact.value["score"] for fact in still("x").facts(under="exam", kind="sealed") if "/A0." in fact.path) / 60
    )
    # A_T knows all 60, once it is tried again; as failed it lacks those that broke
    assert row.unscored["retried"].difference.value == pytest.approx(1 - knew)
    assert row.unscored["failed"].difference.value == pytest.approx(1 - knew - broke / 60)
    assert row.unscored["dropped"].difference.n_tasks == 60 - broke
    assert row.difference == row.unscored["retried"].difference
    assert row.bounds == Bounds(pytest.approx(1 - knew), pytest.approx(1 - knew))  # nothing is missing in the end
    assert (row.word, row.reasons) == ("higher", ())


def test_what_is_missing_for_good_is_bounded_by_the_worst_case():
    holed = fragile("holed", 2, 9)
    row = compared({"still": still("still"), "holed": holed}).rows[0]
    broke = sum(score is None for score in first_tries(holed))
    knew = (
        sum(fact.value["score"] for fact in still("x").facts(under="exam", kind="sealed") if "/A0." in fact.path) / 60
    )
    assert row.bounds == Bounds(pytest.approx(1 - knew - broke / 60), pytest.approx(1 - knew))
    assert row.difference.n_tasks == 60 - broke
    assert row.unscored["retried"] == row.unscored["dropped"]


def test_more_than_a_twentieth_broken_carries_no_word():
    row = compared({"still": still("still"), "holed": fragile("holed", 6, 1)}).rows[0]
    assert row.word == "incomplete"
    assert "broke at the first try" in row.reasons[0]


def test_where_every_first_try_was_scored_nothing_is_said_of_the_unscored():
    row = compared({"still": still("still"), "whole": fragile("whole", 0, 0)}).rows[0]
    assert (row.unscored, row.bounds, row.word) == ({}, None, "higher")


def test_bounds_put_what_is_missing_at_either_end_of_the_scale():
    nan = float("nan")
    sides = [(1, np.array([[1.0, nan]])), (-1, np.array([[nan, 0.0]]))]
    assert bounds(sides, low=0, high=2) == Bounds(0.5 - 1.0, 1.5 - 0.0)
    assert bounds(sides, low=0, high=None) == Bounds(None, None)
    assert bounds([(1, np.array([[1.0, nan]]))], low=0, high=None) == Bounds(0.5, None)
