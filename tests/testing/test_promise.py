"""Time that foreign code may take: its own thread's, whatever else the process does meanwhile."""

import gc
import threading
import time

import pytest

from rung.testing.contracts.promise import ContractBroken, within


def test_what_other_threads_burn_is_not_counted():
    done = threading.Event()

    def burn() -> None:
        while not done.is_set():
            pass

    others = [threading.Thread(target=burn) for _ in range(2)]
    for other in others:
        other.start()
    try:
        with within(0.2, "waiting"):
            began = time.process_time()
            while time.process_time() - began < 0.4:
                done.wait(0.001)
    finally:
        done.set()
        for other in others:
            other.join()


def test_a_collection_of_garbage_does_not_fall_into_the_block():
    with within(5.0, "nothing"):
        assert not gc.isenabled()
    assert gc.isenabled()


def burn_within(seconds, what):
    with within(seconds, what):
        while True:
            pass


def test_a_block_that_burns_its_time_is_stopped_and_named():
    with pytest.raises(ContractBroken, match=r"the call took more than 0\.05 s") as broken:
        burn_within(0.05, "the call")
    assert "scan it once" in broken.value.mend
