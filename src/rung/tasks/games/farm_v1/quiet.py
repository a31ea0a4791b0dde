"""HiGHS 1.12 prints a line of its own to the process's output, now and then, whatever it is told. Not here."""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()  # two threads that both put the output back could leave it nowhere


@contextmanager
def quiet() -> Iterator[None]:
    """What C code prints to standard output meanwhile is dropped, so that `--json` stays JSON.

    C's buffers are emptied before and after: what was printed before still comes out, and nothing comes out late.
    """
    with _LOCK:
        try:
            kept = os.dup(1)
        except OSError:  # there is no output to protect
            yield
            return
        flush = ctypes.CDLL(None).fflush
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            flush(None)
            os.dup2(nowhere, 1)
            yield
        finally:
            flush(None)
            os.dup2(kept, 1)
            os.close(nowhere)
            os.close(kept)
