"""A small study of a chat agent over a scripted model, in a process of its own, that dies where it is told to.

    python chat_study.py FOLDER CONCURRENCY LOG USD [LABEL PASSES]

Every try at the model is a line of LOG, with the dollars it cost, so that what was truly spent can be compared with the
record. A word costs a dollar. Run again on the same folder the study goes on.
"""

import os
import sys
from pathlib import Path
from typing import Any

from rung.backends.models import scripted
from rung.core.config import Config, parse
from rung.core.errors import BudgetSpent
from rung.core.values import ModelReply, ModelRequest
from rung.protocols import launch
from rung.testing.crashes import die_at

LOCK = {"family": "toy-lock-v1", "difficulty": 1}
DOLLAR_A_WORD = {"input": 1e6, "output": 1e6, "date": "2026-11-30"}
DOCUMENT: dict[str, Any] = {
    "name": "chat",
    "protocol": "ladder",
    "lineages": 2,
    "agent": {"kind": "chat", "model": "scripted/first", "answers": "tools", "max_tokens": 20},
    "method": {"name": "reflexion", "max_tokens": 20},
    "models": {"scripted/first": {"price": DOLLAR_A_WORD}},
    "exam": {"secret": "a fixed secret for tests"},
    "tasks": {
        "replay": {"interval": 2, "lag": 2},
        "schedule": [{**LOCK, "count": 4, "replay": True}],
        "holdout": [{**LOCK, "count": 2}],
    },
}


def config(concurrency: int = 1, **budget: Any) -> Config:
    return parse({**DOCUMENT, "engine": {"concurrency": concurrency}, "budget": budget})


def log_tries(file: str) -> None:
    """Let every reply of a scripted model be written down, past anything that a killed process would lose."""
    reply, log = scripted.reply, os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def logged(request: ModelRequest, said: Any, **more: Any) -> ModelReply:
        made = reply(request, said, **more)
        assert made.usage is not None
        os.write(log, f"{(made.usage.input_tokens or 0) + (made.usage.output_tokens or 0)}\n".encode())
        return made

    scripted.reply = logged


def spent(file: Path) -> list[int]:
    """Dollars of each try that was made."""
    return [int(line) for line in file.read_text().splitlines()]


def main(folder: str, concurrency: str, log: str, usd: str, label: str = "", passes: str = "0") -> None:
    log_tries(log)
    if label:
        die_at(label, int(passes))
    try:
        launch.run(config(int(concurrency), **({"usd": float(usd)} if usd != "none" else {})), Path(folder))
    except BudgetSpent:
        sys.exit(4)


if __name__ == "__main__":
    main(*sys.argv[1:])
