"""A small study of phantoms that runs in a process of its own, and dies where it is told to.

    python small_study.py FOLDER CONCURRENCY [LABEL PASSES]

It says "go" before it starts. Run again on the same folder it goes on.
"""

import os
import sys
from pathlib import Path

from rung.core.canonical import sha256
from rung.core.config import Config, parse
from rung.core.seeds import Seed
from rung.protocols import launch
from rung.store.memory import MemoryJournal
from rung.testing.crashes import die_at

SECRET = "a fixed secret for tests"
ROAD = {"family": "toy-road-v1", "difficulty": 1}
LOCK = {"family": "toy-lock-v1", "difficulty": 2}
DOCUMENT = {
    "name": "small",
    "protocol": "ladder",
    "seed": 3,
    "lineages": 2,
    "method": {"name": "phantom"},
    "arms": [
        {
            "name": "chooser",
            "agent": {"kind": "phantom:chooser", "base": 0.4, "rate": 0.3},
            "method": {"name": "phantom", "trials": 1},
        },
        {"name": "noisy", "agent": {"kind": "phantom:noisy", "spread": 0.4}},
    ],
    "exam": {"secret": SECRET},
    "tasks": {
        "replay": {"interval": 2, "lag": 2},
        "schedule": [{**ROAD, "count": 4, "replay": True}, {**LOCK, "count": 2}],
        "holdout": [{**ROAD, "count": 1}, {**LOCK, "count": 1}],
    },
}


def config(concurrency: int = 1) -> Config:
    return parse({**DOCUMENT, "engine": {"concurrency": concurrency}})


def in_memory() -> MemoryJournal:
    return launch.simulate(config(), secret=SECRET)


def holdout_root() -> Seed:
    """The root under which the exam's seeds hang; its path must be found nowhere."""
    return Seed(sha256(f"{SECRET}/1"))


def main(folder: str, concurrency: str, label: str = "", passes: str = "0") -> None:
    if label:
        die_at(label, int(passes))
    os.write(1, b"go\n")
    launch.run(config(int(concurrency)), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
