"""What a judge is worth, in the report's own words, where the truth is known.

Two agents play locks that show one of eight numbers. Both guess right half of the time, copy what their history holds
for a lock they have met, and are told only the steps judged above 0. One says truly what each answer earns; the other
says the opposite. So the first is worth 1 in the end and the second 0, by themselves; told the verdict, both are 1.
Noise is the verdict with their own errors elsewhere: the first has none, and of the second nothing is left that is
right.
"""

import pytest

from rung.core.config import parse
from rung.core.explore_config import Judge
from rung.methods.history import make as history
from rung.protocols import launch
from rung.protocols.judging import Judging
from rung.protocols.study import Arm
from rung.reports.explore import read

from .explored import TINY
from .studies import Act, Scripted
from .test_explore import deluded, honest

pytestmark = pytest.mark.slow
SECRET = "a fixed secret"
OTHERS: tuple[Judge, ...] = ("verdict", "noise")


def arms(name: str, act: Act) -> list[Arm]:
    made = [Arm(name, Scripted(act, id=name), history({"steps": "positive"}))]
    return [*made, *(Arm(f"{name}-{by}", made[0].agent, made[0].method, judging=Judging(by)) for by in OTHERS)]


def words() -> dict[str, str]:
    agent, method = {"kind": "phantom:static"}, {"name": "history", "steps": "positive"}
    config = parse(
        {
            "name": "judges",
            "protocol": "explore",
            "lineages": 5,
            "exam": {"secret": SECRET},
            "arms": [{"name": name, "agent": agent, "method": method} for name in ("honest", "deluded")],
            "explore": {
                "games": [TINY],
                "episodes": 60,
                "checkpoint_every": 6,
                "checkpoint_episodes": 4,
                "judges": list(OTHERS),
            },
        }
    )
    made = (*arms("honest", honest), *arms("deluded", deluded))
    report = read.read(launch.simulate(config, secret=SECRET, arms=made))
    return {curve.arm: curve.verdict.word for curve in report.curves}


def test_a_reversed_judge_hurts_who_filters_by_it_and_the_verdict_helps_whoever_judges():
    assert words() == {
        "honest": "improved",
        "honest-verdict": "improved",
        "honest-noise": "improved",
        "deluded": "regressed",
        "deluded-verdict": "improved",
        "deluded-noise": "regressed",
    }
