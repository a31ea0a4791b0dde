"""A small version of a study, for a first look: does everything work, and what will the report look like?

It has the same arms, families, settings and comparisons, and all checks of a config hold of it. It is another study:
its name ends in `quick`, `quick = true` stands in its resolved config, and so its identity, its folder and its exam are
its own. With at most four exam tasks a cell, no rung of it from G1 up can carry a verdict.
"""

from collections.abc import Sequence
from typing import Any

from rung.core.config import Block, Config, MethodConfig, TasksConfig, parse
from rung.core.explore_config import ExploreConfig
from rung.protocols.shortfalls import gathered

LINEAGES = {"ladder": 2, "cell": 1, "explore": 2}
"""Of a cell one, for a working session of a program costs most of all."""
SENTINELS = 1
WORKED = 6
"""Tasks of one block of the schedule."""
EXAMINED = 4
"""Tasks of one block of the holdout; with fewer than 6 no verdict is given."""
CHECKPOINTS, APART = 2, 2
"""Checkpoints of a course that explores, and episodes between them."""

EXPLORED = ("episodes", "plays", "checkpoint_every", "checkpoint_episodes", "baseline_episodes")

ENDING = " quick"
LONGEST_NAME = 80


def shrink(config: Config) -> tuple[Config, tuple[str, ...]]:
    """The quick look at a study, and what was changed for it, a line each. Shrinking again changes nothing."""
    document = config.model_dump(mode="json")
    tasks = document["tasks"]
    document["name"] = config.name if config.quick else config.name[: LONGEST_NAME - len(ENDING)] + ENDING
    document["quick"] = True
    document["lineages"] = min(config.lineages, LINEAGES[config.protocol])
    document["exam"] |= {"repeats": 1, "baseline_repeats": 1}
    for key, most in (("schedule", WORKED), ("holdout", EXAMINED)):
        for block in tasks[key]:
            block["count"] = min(block["count"], most)
    pool = config.tasks.holdout_tasks_per_difficulty
    tasks["holdout_tasks_per_difficulty"] = None if pool is None else min(pool, EXAMINED)
    tasks["replay"] = _replay(config.tasks, [Block.model_validate(block) for block in tasks["schedule"]])
    if config.protocol == "cell":
        document["cell"]["sentinels"] = min(config.cell.sentinels, SENTINELS)
    if config.explore is not None:
        document["explore"] |= _explored(config.explore)
        del tasks["schedule"], tasks["holdout"]  # they follow
    small = _gathering_less(parse(document))
    return small, tuple(_changes(config, small))


def _explored(how: ExploreConfig) -> dict[str, int]:
    """A few episodes with two checkpoints of few tasks each."""
    every = min(how.checkpoint_every, APART)
    episodes = every * min(how.checkpoints, CHECKPOINTS)
    return {
        "checkpoint_every": every,
        "episodes": episodes,
        "plays": max(plays for plays in range(1, how.plays + 1) if episodes % plays == 0),
        "checkpoint_episodes": min(how.checkpoint_episodes, EXAMINED // CHECKPOINTS),
        "baseline_episodes": min(how.baseline_episodes, EXAMINED),
    }


def _gathering_less(small: Config) -> Config:
    """The study with every method that gathers attempts made to gather few enough to change something."""
    document, most = small.model_dump(mode="json"), _most_gathered(small)
    for section, (_, method) in zip((document, *document["arms"]), _methods(small), strict=True):
        if method is not None and gathered(method) > most:
            section["method"]["every"] = most
    return parse(document)


def _most_gathered(small: Config) -> int:
    """Attempts before the first change: where they explore, those before the first checkpoint, but two where there are
    two, for a play of a task that is kept for being better than another needs both."""
    how = small.explore
    if how is None:
        return sum(block.count for block in small.tasks.schedule)
    return min(how.episodes, max(how.checkpoint_every, APART))


def _methods(config: Config) -> Sequence[tuple[str, MethodConfig | None]]:
    """The methods as they are configured, that of the study first, each with its key."""
    return [("method", config.method), *((f"arms[{n}].method", arm.method) for n, arm in enumerate(config.arms))]


def replays(schedule: Sequence[Block], *, interval: int, lag: int) -> int:
    """How many replays are put into a sequence of these blocks (SelfImprove-Bench, A.2).

    >>> replays([Block(family="f", difficulty=1, count=6, replay=True)], interval=2, lag=2)
    2
    """
    if interval < 1 or lag < 1:
        return 0
    flags = [block.replay for block in schedule for _ in range(block.count)]
    return sum(wanted and n % interval == 0 and n > lag for n, wanted in enumerate(flags, 1))


def _replay(tasks: TasksConfig, schedule: Sequence[Block]) -> dict[str, int]:
    """Interval and lag that still replay something where the study does, as near to its own as can be."""
    interval, lag = tasks.replay.interval, tasks.replay.lag
    total = sum(block.count for block in schedule)
    if not interval or replays(schedule, interval=interval, lag=lag):
        return {"interval": interval, "lag": lag}
    nearer = min(lag, total // 2)
    for spacing in (interval, 1):
        if replays(schedule, interval=spacing, lag=nearer):
            return {"interval": spacing, "lag": nearer}
    return {"interval": 1, "lag": 1}


def _changes(config: Config, small: Config) -> Sequence[str]:
    before, after = _numbers(config), _numbers(small)
    return [f"{key}: {old} -> {new}" for (key, old), (_, new) in zip(before, after, strict=True) if old != new]


def _numbers(config: Config) -> list[tuple[str, Any]]:
    """All that a quick look may change, by key."""
    tasks, replay = config.tasks, config.tasks.replay
    blocks = [
        (f"tasks.{key}[{place}] {block.label} count", block.count)
        for key, found in (("schedule", tasks.schedule), ("holdout", tasks.holdout))
        for place, block in enumerate(found)
    ]
    return [
        ("name", repr(config.name)),
        ("lineages", config.lineages),
        ("exam.repeats", config.exam.repeats),
        ("exam.baseline_repeats", config.baseline_repeats),
        *blocks,
        ("tasks.holdout_tasks_per_difficulty", tasks.holdout_tasks_per_difficulty),
        ("cell.sentinels", config.cell.sentinels),
        *((f"explore.{key}", getattr(config.explore, key)) for key in EXPLORED if config.explore is not None),
        *((f"{key}.every", gathered(method)) for key, method in _methods(config) if method is not None),
        ("tasks.replay", f"interval {replay.interval}, lag {replay.lag}"),
    ]
