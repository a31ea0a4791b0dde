"""How a session ended, from our own record. The driver's exit is evidence and not the verdict."""

from typing import Literal, TypeAlias

from rung.core.values import Exit, Fault

Ending: TypeAlias = Literal["queue_empty", "agent_stopped", "agent_crashed", "instrument_fault"]


def classify(*, fault: Fault | None, crashed: bool, unserved: int, unfinished: int, said: Exit | None) -> Ending:
    """The ending of a session.

    A fault of the instrument outranks everything, then a crash of the agent's own code. A session whose tasks were all
    served and finished ended with its queue, whatever the driver says of it; one that left tasks was stopped by the
    agent.
    """
    if fault is not None or (said is None and not crashed):
        return "instrument_fault"
    if crashed:
        return "agent_crashed"
    return "agent_stopped" if unserved or unfinished else "queue_empty"
