"""A first config for a file of tasks: which levels are worked, which are examined, and how many there are of each."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rung.core.errors import UsageError
from rung.tasks.domains.files.game import FilesFamily
from rung.tasks.domains.files.load import load

LONGEST_LAG = 8


@dataclass(frozen=True, slots=True)
class Levels:
    """How many tasks are worked and examined, by level, and the level that is examined alone, if there is one."""

    worked: Mapping[int, int]
    examined: Mapping[int, int]

    @property
    def replay(self) -> tuple[int, int] | None:
        """Interval and lag that go with so few tasks, or None where nothing can be met again."""
        total = sum(self.worked.values())
        lag = max(1, min(LONGEST_LAG, total // 3))
        return None if total < 2 else (1 if total < 4 else 2, lag)


def config(file: Path, directory: Path, template: str) -> str:
    """The starter config with the tasks of a file in the place of the game's; raises `UsageError` where none can be."""
    family = load(file).family
    levels = choose(file.name, family)
    head, _, rest = template.partition("# What is worked")
    tail = rest[rest.index("# holdout_seed") :]
    name = json.dumps(_beside(file, directory), ensure_ascii=False)
    text = f"{head}{_tasks(levels, name)}\n{tail}".replace('"farm-v1"', name)
    return text.replace("my first ladder", f"{family.id} ladder").replace("my-first-ladder", f"{family.id}-ladder")


def choose(name: str, family: FilesFamily) -> Levels:
    """What to work and what to examine: the hardest level is examined alone where there are easier ones to work, for
    it shows whether a gain carries upwards (G2)."""
    counts = {sealed: _counts(family, sealed=sealed) for sealed in (False, True)}
    there, sealed = counts[False], counts[True]
    for found, split in ((there, "train"), (sealed, "test")):
        if not found:
            raise UsageError(f'{name} has no task of split "{split}"; give some tasks of each split, or none a split')
    easier = {level: count for level, count in there.items() if level < max(sealed)}
    worked = easier or there
    examined = {level: count for level, count in sealed.items() if level in worked or level > max(worked)}
    if not examined:
        raise UsageError(
            f'{name}: every task of split "test" is easier than those of split "train" (levels {_said(sealed)} and '
            f"{_said(there)}), so no gain could be told; give both splits some tasks of one level"
        )
    return Levels(worked, examined)


def _counts(family: FilesFamily, *, sealed: bool) -> Mapping[int, int]:
    counts = {level: len(family.pool(family.setting(f"d{level}"), sealed=sealed)) for level in family.levels}
    return {level: count for level, count in counts.items() if count}


def _said(levels: Mapping[int, int]) -> str:
    return ", ".join(map(str, levels))


def _beside(file: Path, directory: Path) -> str:
    """The file as the config names it: by a path from the config's own folder."""
    path = Path(os.path.relpath(file, directory)).as_posix()
    return path if path.startswith("..") else f"./{path}"


def _tasks(levels: Levels, name: str) -> str:
    return "\n".join([*_worked(levels, name), "", *_examined(levels, name)])


def _worked(levels: Levels, name: str) -> Iterator[str]:
    replay = levels.replay
    again = ", replay = true" if replay else ""
    yield '# What is worked, tasks of split "train", by each lineage in its own order. After each the method refines.'
    if replay:
        yield "# With replay = true, tasks are met again later: has the agent kept what it learned? (G0)"
    yield "schedule = ["
    for level, count in levels.worked.items():
        yield f"  {{ family = {name}, difficulty = {level}, count = {count}{again} }},"
    yield "]"
    if replay:
        interval, lag = replay
        yield f"replay = {{ interval = {interval}, lag = {lag} }}"


def _examined(levels: Levels, name: str) -> Sequence[str]:
    blocks = (
        f"  {{ family = {name}, difficulty = {level}, count = {count} }},  # {_rung(levels, level)}"
        for level, count in levels.examined.items()
    )
    heading = '# What A_0 and A_T are examined on, sealed and without feedback: tasks of split "test".'
    return [heading, "holdout = [", *blocks, "]"]


def _rung(levels: Levels, level: int) -> str:
    return "G1: other tasks of a level that is worked" if level in levels.worked else "G2: a harder level"
