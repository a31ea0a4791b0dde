"""Where code that a model wrote was confined by nothing, every row and every report of the arm says so."""

from dataclasses import dataclass, replace

import pytest

from rung.core.config import parse
from rung.core.ports import Ports, Ran
from rung.protocols import launch, wiring
from rung.reports import flat, ladder, markdown, page
from rung.reports.explore import page as explored_page
from rung.reports.explore import read as explored
from rung.reports.wording import UNCONFINED, UNCONFINED_STAMP

LOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 2}
LADDER = {
    "name": "s",
    "protocol": "ladder",
    "lineages": 1,
    "method": {"name": "phantom"},
    "arms": [
        {"name": "one", "agent": {"kind": "phantom:general"}},
        {"name": "two", "agent": {"kind": "phantom:narrow"}},
    ],
    "tasks": {
        "replay": {"interval": 1, "lag": 1},
        "schedule": [{**LOCK, "replay": True}],
        "holdout": [LOCK],
    },
}
EXPLORE = {
    "name": "s",
    "protocol": "explore",
    "lineages": 1,
    "agent": {"kind": "chat", "model": "scripted/echo"},
    "arms": [{"name": "one", "method": {"name": "history"}}, {"name": "two", "method": {"name": "history"}}],
    "explore": {
        "games": [{"family": "toy-lock-v1", "explore": "tiny", "evaluate": "tiny"}],
        "episodes": 2,
        "checkpoint_every": 1,
        "checkpoint_episodes": 1,
        "baseline_episodes": 2,
    },
}


@dataclass
class Place:
    """A sandbox that is asked for nothing here."""

    name: str

    async def run(self, argv: object, **how: object) -> Ran:
        return Ran(1)


def journal(document, *, loose):
    config = parse(document)
    arms = wiring.arms(config, models=launch.providers.made(config))
    kinds = {"one": "unsafe" if loose else "bubblewrap", "two": "bubblewrap"}
    made = tuple(replace(arm, ports=Ports(sandbox=Place(kinds[arm.name]))) for arm in arms)
    return launch.simulate(config, secret="s", arms=made)


def test_every_row_of_a_ladder_says_it_and_no_row_of_another_arm():
    report = ladder.read(journal(LADDER, loose=True))
    flags = {(rung.arm, rung.level): rung.gain.flags for arm in report.arms for rung in arm.rungs}
    assert {arm for arm, _ in flags} == {"one", "two"}
    assert {where for where, said in flags.items() if UNCONFINED in said} == {("one", "G0"), ("one", "G1")}
    rows = [row for row in flat.rows(report) if row["arm"] == "one"]
    assert all(UNCONFINED in row["gain_flags"] for row in rows)
    assert any(line.startswith("Code that a model wrote ran in no sandbox (one)") for line in report.weaknesses)
    assert f'<p class="stamp">{UNCONFINED_STAMP}</p>' in page.html(report)
    assert "**Code that a model wrote ran in no sandbox.**" in markdown.markdown(report)


def test_every_curve_says_it_and_the_page():
    report = explored.read(journal(EXPLORE, loose=True))
    assert {row.arm for row in report.curves if UNCONFINED in row.gain.flags} == {"one"}
    assert any(line.startswith("one: code that a model wrote ran in no sandbox") for line in report.weaknesses)
    assert f'<p class="stamp">{UNCONFINED_STAMP}</p>' in explored_page.html(report)


@pytest.mark.parametrize(("document", "read"), [(LADDER, ladder.read), (EXPLORE, explored.read)])
def test_a_study_that_is_confined_records_nothing_of_it(document, read):
    told = journal(document, loose=False)
    assert all("confined" not in fact.value for fact in told.facts(kind="arm"))
    assert not any("no sandbox" in line for line in read(told).weaknesses)
