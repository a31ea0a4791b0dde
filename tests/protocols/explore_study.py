"""A small exploring study over a scripted model that runs in a process of its own, and dies where it is told to.

    python explore_study.py FOLDER CONCURRENCY [LABEL PASSES]

It says "go" before it starts. Run again on the same folder it goes on.
"""

import os
import sys
from pathlib import Path

from rung.core.config import Config, parse
from rung.protocols import launch
from rung.testing.crashes import die_at

GAMES = [
    {"family": "toy-lock-v1", "explore": "tiny", "evaluate": "tiny"},
    {"family": "toy-road-v1", "explore": "d1", "evaluate": "d2"},
]
DOCUMENT = {
    "name": "exploring",
    "protocol": "explore",
    "seed": 3,
    "lineages": 1,
    "agent": {"kind": "chat", "model": "scripted/echo"},
    "exam": {"secret": "a fixed secret for tests"},
    "explore": {
        "games": GAMES,
        "pathways": ["history", "summary"],
        "judges": ["noise", "model"],
        "judge": "scripted/echo",
        "episodes": 2,
        "checkpoint_every": 1,
        "checkpoint_episodes": 1,
        "baseline_episodes": 2,
    },
}


def config(concurrency: int = 1) -> Config:
    return parse({**DOCUMENT, "engine": {"concurrency": concurrency}})


def main(folder: str, concurrency: str, label: str = "", passes: str = "0") -> None:
    if label:
        die_at(label, int(passes))
    os.write(1, b"go\n")
    launch.run(config(int(concurrency)), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
