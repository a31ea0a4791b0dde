"""The ending of a session, from our own record: the whole table."""

from typing import Any

import pytest

from rung.core.values import Exit, Fault
from rung.protocols.endings import Evidence, classify

BROKEN = Fault("model", "gone")
DONE, STOPPED = Exit("queue_empty"), Exit("agent_stopped")
CRASHED, LIMITED = Exit("agent_crashed"), Exit("limit_reached")


@pytest.mark.parametrize(
    ("ending", "fault", "limited", "unserved", "unfinished", "said"),
    [
        ("queue_empty", None, False, 0, 0, DONE),
        ("queue_empty", None, False, 0, 0, STOPPED),
        ("queue_empty", None, True, 0, 0, DONE),
        ("agent_stopped", None, False, 1, 0, DONE),
        ("agent_stopped", None, False, 0, 1, DONE),
        ("agent_stopped", None, False, 3, 2, STOPPED),
        ("agent_stopped", None, False, 0, 1, LIMITED),
        ("agent_crashed", None, False, 0, 0, CRASHED),
        ("agent_crashed", None, False, 1, 1, CRASHED),
        ("limit_reached", None, True, 0, 1, LIMITED),
        ("limit_reached", None, True, 1, 0, CRASHED),
        ("limit_reached", None, True, 0, 1, None),
        ("queue_empty", None, True, 0, 0, None),
        ("instrument_fault", BROKEN, False, 0, 0, None),
        ("instrument_fault", BROKEN, True, 1, 1, DONE),
        ("instrument_fault", BROKEN, False, 0, 1, CRASHED),
        ("instrument_fault", None, False, 0, 0, None),
    ],
)
def test_the_record_outranks_what_the_driver_says(
    ending: str, fault: Any, limited: bool, unserved: int, unfinished: int, said: Any
):
    assert classify(Evidence(fault, limited, unserved, unfinished, said)) == ending
