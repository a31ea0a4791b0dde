"""The ending of a session, from our own record: the whole table."""

from typing import Any

import pytest

from rung.core.confined import Departed, Ended
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


# ---------------------------------------------------------------------------------------------- programs

EXIT_0, EXIT_1 = Ended("exited", status=0), Ended("exited", status=1)


@pytest.mark.parametrize(
    ("ending", "gone", "left"),
    [
        ("queue_empty", Departed(EXIT_0, clean=True, statuses=(200,)), False),
        ("queue_empty", Departed(Ended("stopped"), asked="idle", clean=True), False),
        ("queue_empty", Departed(Ended("stopped"), asked="forced", clean=True, over=True), False),
        ("queue_empty", Departed(EXIT_0, clean=True, refused=True), False),
        ("agent_stopped", Departed(EXIT_0, clean=True, statuses=(200,)), True),
        ("agent_stopped", Departed(Ended("stopped"), asked="forced", clean=True, over=True), True),
        ("operator", Departed(Ended("stopped"), asked="operator"), True),
        ("operator", Departed(Ended("memory"), asked="operator"), True),
        ("wall_clock", Departed(Ended("wall_clock")), True),
        ("wall_clock", Departed(Ended("stopped"), asked="wall_clock"), True),
        ("budget", Departed(Ended("stopped"), asked="budget", statuses=(429,)), True),
        ("stalled", Departed(Ended("stopped"), asked="stalled"), True),
        ("looping", Departed(Ended("stopped"), asked="looping", statuses=(200,)), True),
        ("resource_kill", Departed(Ended("memory"), statuses=(200,)), True),
        ("resource_kill", Departed(Ended("written")), False),
        ("credential", Departed(EXIT_1, statuses=(200, 401)), True),
        ("credential", Departed(EXIT_0, statuses=(403,)), True),
        ("provider_limit", Departed(EXIT_0, statuses=(429,)), True),
        ("provider_limit", Departed(EXIT_1, statuses=(529,)), True),
        ("provider_limit", Departed(EXIT_1, statuses=(400,), answered="Credit balance is too low"), True),
        ("provider_filter", Departed(EXIT_0, clean=True, refused=True, statuses=(200,)), True),
        ("provider_filter", Departed(EXIT_1, refused=True), True),
        ("instrument_fault", Departed(EXIT_1, statuses=(503,)), True),
        ("instrument_fault", Departed(Ended("sandbox_failed")), True),
        ("instrument_fault", Departed(Ended("instrument_lost")), False),
        ("harness_failure", Departed(EXIT_1, statuses=(200,)), True),
        ("harness_failure", Departed(EXIT_0), True),
        ("harness_failure", Departed(Ended("signalled", signal=11), statuses=(200,)), False),
        ("harness_failure", Departed(EXIT_1, statuses=(400,), answered="messages: at least one"), True),
        ("unknown", Departed(EXIT_0, clean=True, statuses=(401,)), True),
        ("queue_empty", Departed(EXIT_0, clean=True, statuses=(401,)), False),
    ],
)
def test_how_a_program_departed_is_told_from_the_most_trusted_source(ending: str, gone: Departed, left: bool):
    said = Exit("departed", departed=gone)
    assert classify(Evidence(None, False, int(left), 0, said)) == ending


def test_a_fault_of_the_instrument_outranks_how_a_program_departed():
    said = Exit("departed", departed=Departed(EXIT_0, clean=True))
    assert classify(Evidence(BROKEN, False, 0, 0, said)) == "instrument_fault"
