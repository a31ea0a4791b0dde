"""Rules of selection that several methods share."""

from collections.abc import Sequence
from statistics import fmean

from rung.core.values import Outcome, Score, Selection, Trial


def mean_score(outcomes: Sequence[Outcome]) -> float | None:
    """The mean of what was measured; None when nothing was. A fault is no measurement and never a zero."""
    scores = [outcome.value for outcome in outcomes if isinstance(outcome, Score)]
    return fmean(scores) if scores else None


def keep_best(incumbent: Trial, trials: Sequence[Trial]) -> Selection:
    """The candidate with the highest mean, if it is strictly above the incumbent's; the earliest among equals.

    A candidate without a measurement cannot win, and an incumbent without one cannot be beaten.
    """
    bar = mean_score(incumbent.outcomes)
    chosen, reason = None, "no candidate was above the incumbent"
    if bar is None:
        return Selection(None, "the incumbent has no measurement to beat")
    for trial in trials:
        mean = mean_score(trial.outcomes)
        if mean is not None and mean > bar:
            chosen, bar, reason = trial.candidate, mean, f"trial mean {mean!r}"
    return Selection(chosen, reason)


def take_first(trials: Sequence[Trial]) -> Selection:
    """The first candidate, untried; the incumbent when nothing was proposed."""
    return Selection(trials[0].candidate if trials else None, "taken without trial")
