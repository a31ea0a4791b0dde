"""How fast a report is. Aim: a study of 10,000 episodes is read and on its page within 2 s."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.core.config import parse
from rung.core.ports import Journal
from rung.protocols import launch
from rung.reports import ladder, page

ARMS = ("static", "memoriser", "narrow", "general", "chooser", "forgetter", "regressor", "noisy")
LONGEST = 2.5  # seconds for each of the two parts; five times what it takes, for machines that do other things too


def block(family: str, difficulty: int, count: int, **more: object) -> dict[str, object]:
    return {"family": f"toy-{family}-v1", "difficulty": difficulty, "count": count, **more}


def arm(kind: str) -> dict[str, object]:
    method = {"name": "phantom", "trials": 1 if kind == "chooser" else 0}
    return {"name": f"arm-{kind}", "agent": {"kind": f"phantom:{kind}"}, "method": method}


@pytest.fixture(scope="module")
def journal() -> Journal:
    """Eight arms of ten lineages on the toy families."""
    config = parse(
        {
            "name": "bench",
            "protocol": "ladder",
            "lineages": 10,
            "arms": [arm(kind) for kind in ARMS],
            "tasks": {
                "replay": {"interval": 1, "lag": 12},
                "schedule": [block("lock", 2, 24, replay=True)],
                "holdout": [
                    block("lock", 2, 20),
                    block("lock", 4, 20),
                    block("lamp", 2, 20),
                    block("road", 2, 20),
                ],
            },
        }
    )
    made = launch.simulate(config, secret="bench")
    assert 9_000 < sum(1 for _ in made.facts(kind="sealed")) < 12_000
    return made


def test_ten_thousand_episodes_read(benchmark: BenchmarkFixture, journal: Journal):
    report = benchmark(ladder.read, journal)
    assert len(report.arms) == len(ARMS)
    assert benchmark.stats["median"] < LONGEST


def test_a_page_of_eight_arms(benchmark: BenchmarkFixture, journal: Journal):
    text = benchmark(page.html, ladder.read(journal))
    assert text.startswith("<!doctype html>")
    assert benchmark.stats["median"] < LONGEST
