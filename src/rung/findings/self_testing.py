"""How an agent tests itself while it explores: what S3Gym names as a part of improving and does not measure.

    states, actions     how many different ones there were
    failed              actions that the game refused, or that changed nothing and earned nothing
    repeated            failed ones that had failed before in the same state, in the same lineage: nothing was learned
    new                 actions of which something came that had not come of them before: never tried in this state by
                        this lineage, or with another outcome than ever before
    extra lives         where a game gives some: how many were used, and how many episodes went on after a loss

A state is what the agent sees, with the counters of steps, turns and rounds taken out: they would make every view
another one. So it is what can be told apart by looking, and no more. Reference point: of an agent that plays at random
the same numbers say what a game gives away by itself.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rung.core.ports import Journal
from rung.findings.transitions import Course, Episode, views

_WORD = r"(?:steps?|turns?|rounds?|moves?|calls?)"
_COUNTERS = re.compile(
    rf"\b{_WORD}(?:\s+left)?\s*:?\s*\d+(?:\s*(?:of|/)\s*\d+)?|\b\d+(?:\s*(?:of|/)\s*\d+)?\s+{_WORD}\b(?:\s+left)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SelfTesting:
    """What the lineages of one arm did in one game while exploring; counts over all of them.

    States, actions and what is new are told apart within a lineage: one knows nothing of another. `lives_given` are
    extra lives, None where the game has none; `went_on` of the episodes lost a life and went on.
    """

    arm: str
    game: str
    lineages: int
    episodes: int
    steps: int
    states: int
    actions: int
    invalid: int
    failed: int
    repeated: int
    new: int
    lives_given: int | None
    lives_used: int | None
    went_on: int | None

    def share(self, count: int) -> float | None:
        """So many of the steps; None where there were none."""
        return count / self.steps if self.steps else None

    @property
    def repeated_share(self) -> float | None:
        """Of failed actions, those that had failed before; None where none failed."""
        return self.repeated / self.failed if self.failed else None


def self_testings(journal: Journal, found: Sequence[Course]) -> tuple[SelfTesting, ...]:
    """Every arm in every game."""
    rows = []
    for (arm, game), members in groupby(found, key=lambda each: (each.arm, each.game)):
        lineages = list(members)
        seen = [_counted(each, {view: state(text) for view, text in views(journal, each)}) for each in lineages]
        episodes = [episode for each in lineages for episode in each.episodes]
        total = {key: sum(one[key] for one in seen) for key in seen[0]}
        given, used, went_on = _lives(episodes)
        rows.append(
            SelfTesting(
                arm,
                game,
                len(lineages),
                len(episodes),
                **total,
                lives_given=given,
                lives_used=used,
                went_on=went_on,
            )
        )
    return tuple(rows)


def state(view: str) -> str:
    """A view without its counters.

    >>> state("#H.\\nStep 3 of 64"), state("lives left 2, steps left 17.")
    ('#H.\\n#', 'lives left 2, #.')
    """
    return _COUNTERS.sub("#", view)


def _counted(course: Course, states: Mapping[str, str]) -> dict[str, int]:
    """What one lineage did. The state after the last step of an episode is not shown, so its outcome is the reply."""
    known: dict[tuple[str, str], set[tuple[str, float | None, str]]] = {}
    failures: set[tuple[str, str]] = set()
    total = dict.fromkeys(("steps", "invalid", "failed", "repeated", "new"), 0)
    for episode in course.episodes:
        here = [states[step.view] for step in episode.transitions]
        for step, now, after in zip(episode.transitions, here, [*here[1:], None], strict=True):
            tried = now, step.action
            outcome = (state(step.reply) if after is None else after, step.earned, "invalid" if step.invalid else "")
            failed = step.invalid or (after == now and not (step.earned or 0.0) > 0)
            total["steps"] += 1
            total["invalid"] += step.invalid
            total["failed"] += failed
            total["repeated"] += failed and tried in failures
            total["new"] += outcome not in known.get(tried, ())
            known.setdefault(tried, set()).add(outcome)
            failures |= {tried} if failed else set()
    shown = [step for episode in course.episodes for step in episode.transitions]
    total["states"] = len({states[step.view] for step in shown})
    total["actions"] = len({step.action for step in shown})
    return total


def _lives(episodes: Sequence[Episode]) -> tuple[int | None, int | None, int | None]:
    """Extra lives given, extra lives used, and episodes that went on after a loss; None where a game has no lives.

    A life beyond the extra ones ends the episode, and is none that was used.
    """
    counts = [(each.extra_lives, each.lost) for each in episodes if each.extra_lives is not None]
    used = [min(extra, lost) for extra, lost in counts if lost is not None]
    if not any(extra for extra, _ in counts):
        return None, None, None
    return sum(extra for extra, _ in counts), sum(used), sum(map(bool, used))
