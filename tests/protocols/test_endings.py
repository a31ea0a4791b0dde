"""The ending of a session, from our own record: the whole table."""

from typing import Any

import pytest

from rung.core.values import Exit, Fault
from rung.protocols.endings import classify

BROKEN = Fault("model", "gone")
DONE, STOPPED, CRASHED = Exit("queue_empty"), Exit("agent_stopped"), Exit("agent_crashed")


@pytest.mark.parametrize(
    ("ending", "fault", "unserved", "unfinished", "said"),
    [
        ("queue_empty", None, 0, 0, DONE),
        ("queue_empty", None, 0, 0, STOPPED),
        ("agent_stopped", None, 1, 0, DONE),
        ("agent_stopped", None, 0, 1, DONE),
        ("agent_stopped", None, 3, 2, STOPPED),
        ("agent_crashed", None, 0, 0, CRASHED),
        ("agent_crashed", None, 1, 1, CRASHED),
        ("instrument_fault", BROKEN, 0, 0, None),
        ("instrument_fault", BROKEN, 1, 1, DONE),
        ("instrument_fault", BROKEN, 0, 1, CRASHED),
        ("instrument_fault", None, 0, 0, None),
    ],
)
def test_the_record_outranks_what_the_driver_says(ending: str, fault: Any, unserved: int, unfinished: int, said: Any):
    crashed = said is CRASHED
    found = classify(fault=fault, crashed=crashed, unserved=unserved, unfinished=unfinished, said=said)
    assert found == ending
