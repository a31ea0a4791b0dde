"""What a study cannot show for want of tasks, told before it runs: from its config alone, and nothing is drawn.

It is refused only where it is impossible. An exam that is not fresh and a cell of five tasks are measured all the same,
and say so in the report; but by then the time and the money are spent.
"""

from collections.abc import Iterator

from rung.core.config import Config, MethodConfig
from rung.core.explore_config import BASELINE_EPISODES
from rung.stats.flags import MIN_TASKS
from rung.tasks import sequence

GATHERING = {"ahe": 1, "training": 3}
"""Methods with an option `every`, attempts before each change, and what it is unless given."""


def shortfalls(config: Config) -> tuple[str, ...]:
    """A sentence for each. Of a quick look only what it cannot even try, for it says that it measures nothing."""
    never = tuple(_never_refined(config))
    return never if config.quick else (*never, *_not_fresh(config), *_no_verdict(config))


def _never_refined(config: Config) -> Iterator[str]:
    """Methods that gather more attempts before they do anything than a lineage makes."""
    how = config.explore
    many = sum(block.count for block in config.tasks.schedule) if how is None else how.episodes
    key = "more tasks" if how is None else "more explore.episodes"
    for arm in config.arms or config.every_arm()[:1]:
        method = arm.method or config.method
        every = gathered(method) if method is not None else 1
        if method is not None and every > many:
            yield (
                f"arm {arm.name!r}: method {method.name!r} changes something after every = {every} attempts, and a "
                f"lineage makes {many}, so nothing ever changes; lower every, or give {key}"
            )


def gathered(method: MethodConfig) -> int:
    """Attempts that a method gathers before each change; 1 for what no method is told, or would be refused."""
    every = method.options.get("every", GATHERING[method.name]) if method.name in GATHERING else 1
    return every if type(every) is int and every > 0 else 1


def _not_fresh(config: Config) -> Iterator[str]:
    for cell in sequence.crowded(config.tasks):
        so = "the exam will not be fresh" if cell.sealed else "some will be worked more than once"
        yield f"{cell.cell} has {cell.there:,} different tasks and this study wants {cell.wanted:,}: {so}"


def _no_verdict(config: Config) -> Iterator[str]:
    how = config.explore
    if how is not None:
        if how.sealed < BASELINE_EPISODES:
            yield (
                f"explore.baseline_episodes: A_0 sits {how.sealed} tasks of each game, and with fewer than "
                f"{BASELINE_EPISODES} the noise of the baseline is in every number above it"
            )
        return
    few = [f"{cell.label} has {cell.count}" for cell in config.tasks.holdout if cell.count < MIN_TASKS]
    if few:
        yield f"{', '.join(few)} sealed tasks, and fewer than {MIN_TASKS} give no verdict"
