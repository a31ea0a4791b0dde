"""How a session ended, from our own record. The driver's exit is evidence and not the verdict."""

from dataclasses import dataclass

from rung.core.values import Ending, Exit, Fault


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


def classify(seen: Evidence) -> Ending:
    """The ending of a session.

    A fault of the instrument outranks everything, then a limit that was reached and left tasks undone, then a crash of
    the agent's own code. A session whose tasks were all served and finished ended with its queue, whatever the driver
    says of it; one that left tasks was stopped by the agent.
    """
    left = seen.unserved or seen.unfinished
    if seen.fault is not None:
        return "instrument_fault"
    if seen.limited and left:
        return "limit_reached"
    if seen.said is None:  # cut off by a limit of ours when all was done, or by nobody knows what
        return "queue_empty" if seen.limited else "instrument_fault"
    if seen.crashed:
        return "agent_crashed"
    return "agent_stopped" if left else "queue_empty"
