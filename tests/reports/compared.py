"""Small runs in memory to be held against each other, and rows made by hand."""

from collections.abc import Mapping
from typing import Any

from rung.core.config import parse
from rung.core.values import Estimate
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports.compare import whole
from rung.reports.compare.values import Compared, Row, Word
from rung.store.memory import MemoryJournal

LOCK = {"family": "toy-lock-v1", "difficulty": 1}
ROAD = {"family": "toy-road-v1", "difficulty": 1}


def study(name: str, *, tasks: int = 8, worked: int = 4, **more: Any) -> Mapping[str, Any]:
    """A study of a phantom on the toy lock, examined on it and on the toy road."""
    return {
        "name": name,
        "protocol": "ladder",
        "lineages": 3,
        "agent": {"kind": "phantom:general", "base": 0.2, "rate": 0.5},
        "method": {"name": "phantom"},
        "tasks": {
            "replay": {"interval": 2, "lag": 2},
            "schedule": [{**LOCK, "count": worked, "replay": True}],
            "holdout": [{**LOCK, "count": tasks}, {**ROAD, "count": tasks}],
        },
        **more,
    }


def played(document: Mapping[str, Any], *arms: Arm, secret: str = "one exam") -> MemoryJournal:
    """The record of a study worked in memory."""
    return launch.simulate(parse(dict(document)), secret=secret, arms=arms or None)


def compared(journals: Mapping[str, MemoryJournal], **more: Any) -> Compared:
    """These runs held against each other."""
    return whole.compare(journals, **more)


def row(earlier: str, later: str, value: float | None, p: float | None, **more: Any) -> Row:
    """A row on G1 with what is asked and nothing else."""
    word: Word = more.pop("word", "inconclusive")
    return Row(
        cell=more.pop("cell", "toy-lock-v1 d1"),
        levels=more.pop("levels", ("G1", "G1")),
        earlier=earlier,
        later=later,
        gains=more.pop("gains", (0.0, value)),
        ends=(0.0, value),
        difference=Estimate(
            value, None if value is None else value - 0.1, None if value is None else value + 0.1, "t", 20, 5
        ),
        end=None,
        p=p,
        adjusted=p,
        word=word,
        unscored={},
        bounds=None,
        planned_tasks=20,
        reasons=more.pop("reasons", ()),
        flags=(),
        unit="success",
    )
