"""What a study cannot show for want of tasks, told before it runs: from its config alone, and nothing is drawn.

It is refused only where it is impossible. An exam that is not fresh and a cell of five tasks are measured all the same,
and say so in the report; but by then the time and the money are spent.
"""

from collections.abc import Iterator

from rung.core.config import Config
from rung.core.explore_config import BASELINE_EPISODES
from rung.stats.flags import MIN_TASKS
from rung.tasks import sequence


def shortfalls(config: Config) -> tuple[str, ...]:
    """A sentence for each. A quick look has none, for it says of itself that it measures nothing."""
    return () if config.quick else (*_not_fresh(config), *_no_verdict(config))


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
