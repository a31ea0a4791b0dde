"""Kill this process at a labelled place, so that what survives can be looked at by another."""

import os
import signal

from rung.core import crashpoints


def die_at(label: str, passes: int) -> None:
    """Kill this process, without a word, when it passes a label of `crashpoints` for the n-th time."""
    left = passes

    def hook(passed: str) -> None:
        nonlocal left
        left -= passed == label
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    crashpoints.hook = hook
