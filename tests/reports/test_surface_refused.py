"""What a method was not allowed is counted by kind in every form of the report, and the first time is quoted."""

from dataclasses import replace
from typing import Any

import pytest

from rung.core.config import parse
from rung.core.ports import RefineContext
from rung.core.values import Candidate, Skipped
from rung.methods.phantom import PhantomMethod
from rung.protocols import launch, wiring
from rung.reports import flat, ladder, markdown, page
from rung.reports.values import LadderReport

LOCK = {"family": "toy-lock-v1", "difficulty": 1}
CONFIG = {
    "name": "small",
    "protocol": "ladder",
    "lineages": 1,
    "agent": {"kind": "phantom:static"},
    "method": {"name": "phantom"},
    "tasks": {"schedule": [{**LOCK, "count": 3}], "holdout": [{**LOCK, "count": 3}]},
}
EDIT = {"turn": 1, "tool": "write", "path": "x", "kind": "path", "why": "x: only agent/** may be changed"}


class Tries(PhantomMethod):
    """Proposes a state with two faults, then one with a refused edit, then only such an edit."""

    async def refine(self, context: RefineContext) -> Any:
        if len(context.log) == 1:
            files = {"agent/a.py": b"import socket, os\n", "agent/b.md": b"fine\n"}
            return [Candidate(context.snapshot, context.state.with_files(files))]
        if len(context.log) == 2:
            return [Candidate(context.snapshot, context.state.with_files({"agent/b.md": b"x"}), {"refused": [EDIT]})]
        return Skipped("nothing came of it", {"refused": [EDIT, "odd"]})


@pytest.fixture(scope="module")
def report() -> LadderReport:
    config = parse(CONFIG)
    arms = tuple(replace(arm, method=Tries(trials=0)) for arm in wiring.arms(config))
    return ladder.read(launch.simulate(config, secret="s", arms=arms))


def test_they_are_counted_by_kind(report: LadderReport):
    (arm,) = report.arms
    assert arm.refused == {"import": 2, "path": 2}
    assert (arm.proposed, arm.accepted, arm.skipped) == (1, 1, 1)


def test_every_form_prints_them(report: LadderReport):
    assert "off its surface and refused import 2, path 2." in page.html(report)
    assert "off its surface and refused: import 2, path 2" in markdown.markdown(report)
    assert [row["method_refused"] for row in flat.rows(report)] == [4]


def test_the_first_is_quoted_among_the_weaknesses(report: LadderReport):
    said = [each for each in report.weaknesses if "may not do to its state" in each]
    assert len(said) == 1
    assert "tried 4 times what it may not do to its state (import 2, path 2)" in said[0]
    assert "agent/a.py: line 1 imports" in said[0]
