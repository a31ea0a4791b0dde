"""Several studies of one file, each in a folder of its own; those that have one exam sit the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rung.core.canonical import fingerprint
from rung.core.config import Config
from rung.core.studies import Studies


@dataclass(frozen=True, slots=True)
class Job:
    """One study to run, its folder, and the run whose exam it sits; None where it draws its own."""

    name: str
    config: Config
    out: Path
    exam_of: Path | None


def jobs(studies: Studies, out: Path) -> Sequence[Job]:
    """The studies in turn. The first one of an exam draws its secret, and the others take it over, so that their tasks
    are the same and the arms of all may be held against each other. Where the config fixes the secret, that is so
    anyhow."""
    made: list[Job] = []
    first: dict[str, Path] = {}
    for name, config in studies.configs.items():
        shared = first.get(_exam(config)) if config.exam.secret is None else None
        made.append(Job(name, config, out / name, shared))
        first.setdefault(_exam(config), out / name)
    return made


def _exam(config: Config) -> str:
    """What makes the exam of a config, but for the secret."""
    tasks: Any = config.tasks.model_dump(
        mode="json", include={"holdout", "holdout_seed", "holdout_tasks_per_difficulty", "self_score"}
    )
    return fingerprint([config.protocol, config.exam.model_dump(mode="json", exclude={"secret"}), tasks])
