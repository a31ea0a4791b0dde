"""The agent that the README shows: it keeps what it met, and its notes tell it nothing of what is new."""

from pathlib import Path

from rung.core.config import parse
from rung.protocols import launch

FILE = str(Path(__file__).parents[2] / "examples" / "notes_agent.py")
LOCK = {"family": "toy-lock-v1", "difficulty": 1}
DOCUMENT = {
    "name": "notes",
    "protocol": "ladder",
    "lineages": 1,
    "agent": {"kind": FILE},
    "method": {"name": FILE},
    "tasks": {
        "replay": {"interval": 1, "lag": 3},
        "schedule": [{**LOCK, "count": 8, "replay": True}],
        "holdout": [{**LOCK, "count": 4}],
    },
}


def test_the_example_agent_keeps_what_it_met_and_nothing_more():
    journal = launch.simulate(parse(DOCUMENT), secret="for the example")
    scores = {fact.path: fact.value["score"] for fact in journal.facts(kind="sealed")}
    by_heart = [score for path, score in scores.items() if path.startswith("notes-agent/L1/replay/")]
    examined = [score for path, score in scores.items() if path.startswith("exam/")]
    assert by_heart == [1.0] * 5
    assert set(examined) == {0.0}
