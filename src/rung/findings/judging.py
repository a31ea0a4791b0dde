"""How well agents judge their own steps: what each said it would earn, against what it earned (S3Gym, section 6.2).

Of every arm in every game: agreement, over- and under-confidence, Cohen's kappa and the event rate, and the mean error
over the declared scale of a step's reward. The numbers are those of `rung.stats.judging`; here is what goes into them,
and what an interval may rest on. Where a pathway was told another's judgement, that one is measured beside.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.findings.transitions import Course, Transition
from rung.stats import flags as say
from rung.stats.judging import Judging, agreement, judging
from rung.stats.quantiles import spread

Whose: TypeAlias = Literal["said", "told"]
"""The agent's own judgement, or the one that its pathway was told."""

SEED = Seed("rung.findings.judging")
UNDECLARED = "no error over a scale: the game declares no range of a step's reward"


@dataclass(frozen=True, slots=True)
class Judged:
    """One arm's judgements in one game, over all of its exploration.

    `found` is None where no step can be measured, `flags` says why; its error stands only where `scale` (the declared
    range of one step's reward) does. `agreement` has the share with its interval, `nmae` None without a scale.
    `unrewarded` steps had no reward to be held against, and `unread` no judgement.
    """

    arm: str
    game: str
    whose: Whose
    by: str
    lineages: int
    episodes: int
    steps: int
    unread: int
    unrewarded: int
    scale: float | None
    found: Judging | None
    agreement: Estimate
    nmae: float | None
    flags: tuple[str, ...]

    @property
    def unread_share(self) -> float:
        """The share of steps without a judgement that could be read."""
        return self.unread / self.steps if self.steps else 0.0


def judgings(journal: Journal, found: Sequence[Course]) -> tuple[Judged, ...]:
    """Every arm in every game: its own judgement, and the one it was told where that is another's."""
    families = cast("Mapping[str, Mapping[str, Any]]", journal.get("plan", "families") or {})
    rows = []
    for (arm, game), members in groupby(found, key=lambda each: (each.arm, each.game)):
        lineages = list(members)
        by = str(cast("Mapping[str, Any]", journal.get(arm, "arm") or {}).get("judge", "itself"))
        scale = span(families.get(game, {}).get("reward"))
        rows.append(judged(lineages, scale=scale))
        if by != "itself":
            rows.append(judged(lineages, scale=scale, whose="told", by=by))
    return tuple(rows)


def span(reward: Sequence[float] | None) -> float | None:
    """The width of a declared range; None where none is declared.

    >>> span([-1, 3]), span(None)
    (4.0, None)
    """
    return None if reward is None else float(reward[1]) - float(reward[0])


def judged(lineages: Sequence[Course], *, scale: float | None, whose: Whose = "said", by: str = "itself") -> Judged:
    """What the steps of all lineages of one arm in one game say together. `scale` is in units of the reward."""
    arm, game = lineages[0].arm, lineages[0].game
    steps = [step for each in lineages for step in each.transitions]
    rewarded = [step for step in steps if step.earned is not None]
    said = [_of(step, whose) for step in rewarded]
    unread = sum(_of(step, whose) is None for step in steps)
    flags = () if scale is not None else (UNDECLARED,)
    found = None
    if any(each is not None for each in said):
        found = judging(said, [cast(float, step.earned) for step in rewarded], scale=scale or 1.0)
        flags = (*flags, *found.flags)
    else:
        flags = (*flags, "not estimable (no step has both a judgement and a reward)")
    return Judged(
        arm=arm,
        game=game,
        whose=whose,
        by=by,
        lineages=len(lineages),
        episodes=sum(len(each.episodes) for each in lineages),
        steps=len(steps),
        unread=unread,
        unrewarded=len(steps) - len(rewarded),
        scale=scale,
        found=found,
        agreement=_agreement(lineages, whose, found),
        nmae=None if found is None or scale is None else found.nmae,
        flags=flags,
    )


def _of(step: Transition, whose: Whose) -> float | None:
    return step.said if whose == "said" else step.told


def _agreement(lineages: Sequence[Course], whose: Whose, found: Judging | None) -> Estimate:
    """The share with the interval that its sampling carries.

    One lineage: its episodes are resampled, where there are 20. Three and more: t over the shares of lineages, because
    steps of one lineage hang together. Two show nothing of how lineages differ.
    """
    episodes = [[_pairs(episode.transitions, whose) for episode in each.episodes] for each in lineages]
    known = [[pair for pair in each if pair[0]] for each in episodes]
    n = sum(map(len, known))
    if found is None:
        return Estimate(None, None, None, "none", n, len(lineages), ("not estimable (nothing was judged)",))
    if len(lineages) == 1:
        return agreement(known[0], seed=SEED.child(lineages[0].arm, lineages[0].game))
    shares = [_share(each) for each in known if each]
    between = spread(np.array(shares)) if len(shares) > 2 else None
    if between is None:
        why = say.TWO_LINEAGES if len(shares) < 3 else say.NO_VARIATION
        return Estimate(found.agreement, None, None, "share", n, len(lineages), (why,))
    lo, hi = between.interval(0.95)
    method = "mean of lineages, t over lineages"
    return Estimate(between.mean, max(0.0, lo), min(1.0, hi), method, n, len(lineages))


def _pairs(steps: Sequence[Transition], whose: Whose) -> tuple[list[float], list[float]]:
    both = [(said, step.earned) for step in steps if (said := _of(step, whose)) is not None and step.earned is not None]
    return [said for said, _ in both], [earned for _, earned in both]


def _share(pairs: Sequence[tuple[list[float], list[float]]]) -> float:
    agreed = [(s > 0) == (r > 0) for said, earned in pairs for s, r in zip(said, earned, strict=True)]
    return sum(agreed) / len(agreed)
