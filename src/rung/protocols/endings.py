"""How a session ended, from our own record. What a driver or a program says of itself is evidence and not the verdict.

    queue_empty       every task was served and finished, and nothing more was asked of the agent
    agent_stopped     the agent ended its session and left tasks
    agent_crashed     the code of an agent in the instrument's own process raised
    limit_reached     such an agent had cost or lasted as long as it may
    instrument_fault  the instrument broke, or a provider did: no measurement

and of agent programs alone:

    operator          whoever runs the study asked for a stop
    wall_clock, budget, resource_kill      time, money or tokens, memory or disk were used up
    stalled, looping  nothing came of it any more from any source; or the same call, over and over
    credential, provider_limit             a key was not taken; the provider has suspended it
    provider_filter   the model or its provider refused to go on
    harness_failure   the program broke
    unknown           the sources contradict one another

The sources in the order of trust: why the instrument ended it, what the sandbox saw, what passed through the gateway,
what the stream served, what the program itself says. Its exit status counts where it says nothing: there are programs
that exit with 0 after every failure of a provider.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rung.core.confined import Departed
from rung.core.values import Ending, Exit, Fault

PAUSES: frozenset[Ending] = frozenset({"operator", "credential", "provider_limit"})
"""Interruptions from outside. Such a session has not ended: it is gone on with when the study is run again. A stop that
the agent chose is part of the measurement, and is not."""

OUT_OF_MEANS = re.compile(r"quota|credit|billing|rate.?limit|usage.?limit|insufficient", re.IGNORECASE)
"""Words by which a provider says with another status that it has suspended a caller."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a session left behind: a fault if one ended it, whether a limit of ours was reached in it, the tasks never
    served and those served and not finished, and what the driver says."""

    fault: Fault | None
    limited: bool
    unserved: int
    unfinished: int
    said: Exit | None

    @property
    def crashed(self) -> bool:
        """Whether the agent's own code raised."""
        return self.said is not None and self.said.reason == "agent_crashed"

    @property
    def left(self) -> bool:
        """Whether tasks were left undone."""
        return bool(self.unserved or self.unfinished)


def classify(seen: Evidence) -> Ending:
    """The ending of a session.

    A fault of the instrument outranks everything, then a limit that was reached and left tasks undone, then a crash of
    the agent's own code. A session whose tasks were all served and finished ended with its queue, whatever the driver
    says of it; one that left tasks was stopped by the agent.
    """
    if seen.fault is not None:
        return "instrument_fault"
    if seen.said is not None and seen.said.departed is not None:
        return _of_program(seen, seen.said.departed)
    if seen.limited and seen.left:
        return "limit_reached"
    if seen.said is None:  # cut off by a limit of ours when all was done, or by nobody knows what
        return "queue_empty" if seen.limited else "instrument_fault"
    if seen.crashed:
        return "agent_crashed"
    return "agent_stopped" if seen.left else "queue_empty"


# --------------------------------------------------------------------------------------------- programs

BY_US: Mapping[str, Ending] = MappingProxyType(
    {
        "operator": "operator",
        "wall_clock": "wall_clock",
        "budget": "budget",
        "stalled": "stalled",
        "looping": "looping",
    }
)
BY_SANDBOX: Mapping[str, Ending] = MappingProxyType(
    {
        "sandbox_failed": "instrument_fault",
        "instrument_lost": "instrument_fault",
        "memory": "resource_kill",
        "written": "resource_kill",
        "wall_clock": "wall_clock",
    }
)


def _of_program(seen: Evidence, gone: Departed) -> Ending:
    if gone.ended.reason in BY_SANDBOX and gone.asked != "operator":
        return BY_SANDBOX[gone.ended.reason]
    if gone.asked is not None and gone.asked in BY_US and (seen.left or gone.asked != "budget"):
        return BY_US[gone.asked]
    if gone.asked == "idle":
        return "agent_stopped" if seen.left else "queue_empty"
    return _by_its_provider(seen, gone) or _by_itself(seen, gone)


def _by_its_provider(seen: Evidence, gone: Departed) -> Ending | None:
    """What its provider ended; None where that is not what ended it."""
    if gone.clean and not seen.left:  # whatever was refused on the way, it came to the end
        return None
    if gone.refused:
        return "provider_filter"
    found = _suspended(gone.statuses[-1], f"{gone.answered} {gone.words}") if gone.statuses else None
    return "unknown" if found is not None and gone.clean else found


def _suspended(status: int, words: str) -> Ending | None:
    """What an answer with this status means to a session that ended after it."""
    if status in (401, 403):
        return "credential"
    if status in (402, 429, 529) or (400 <= status < 500 and OUT_OF_MEANS.search(words)):
        return "provider_limit"
    return "instrument_fault" if status >= 500 else None


def outage(gone: Departed) -> bool:
    """Whether its provider's own failure ended it: a working session waits for that to pass, as for a suspension."""
    own = gone.asked is not None or gone.ended.reason in BY_SANDBOX or gone.clean
    return not own and bool(gone.statuses) and gone.statuses[-1] >= 500


def _by_itself(seen: Evidence, gone: Departed) -> Ending:
    if not gone.clean:
        return "harness_failure"
    return "agent_stopped" if seen.left else "queue_empty"


FAULTY: Mapping[Ending, str] = MappingProxyType(
    {
        "instrument_fault": "the sandbox or the provider broke",
        "unknown": "how it ended is not known: its provider and the program contradict one another",
    }
)
"""Endings of programs whose unfinished attempts have no score, and why."""
