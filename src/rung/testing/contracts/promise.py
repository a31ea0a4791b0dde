"""What a check is, what a broken promise says, and how one check is run so that foreign code cannot hurt the others."""

import asyncio
import gc
import signal
import threading
import time
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from types import FrameType
from typing import Any, TypeAlias, TypeVar

from rung.core.waiting import settle

Subject = TypeVar("Subject")
Result = TypeVar("Result")
Check: TypeAlias = Callable[[Subject], None]

_DETAIL = 400


class ContractBroken(AssertionError):
    """A plug-in does not do what its port promises: what was promised, what was seen, and the mend."""

    def __init__(self, promised: str, seen: str, mend: str) -> None:
        super().__init__(f"promised: {promised}; seen: {seen}; mend: {mend}")
        self.promised = promised
        self.seen = seen
        self.mend = mend


class TooSlow(BaseException):
    """Raised inside foreign code that has used up its processor time; no broad `except Exception` swallows it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: its name, the promise as a sentence, whether it was kept, and what was seen if not."""

    name: str
    sentence: str
    passed: bool
    detail: str = ""


def short(value: object, limit: int = _DETAIL) -> str:
    """A value in at most `limit` characters, as a finding quotes it."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= limit else f"{text[: limit - 20]}... ({len(text)} long)"


def require(kept: object, *, seen: object, mend: str) -> None:
    """Break the promise of the check that calls this unless it was kept."""
    if not kept:
        raise ContractBroken("", short(seen), mend)


def sentence(check: Callable[..., None]) -> str:
    """The promise of a check: the first line of its docstring."""
    return (check.__doc__ or check.__name__).strip().splitlines()[0]


def into(checks: list[Check[Subject]]) -> Callable[[Check[Subject]], Check[Subject]]:
    """A decorator that adds a check to a suite, and puts its sentence into whatever it raises."""

    def add(check: Check[Subject]) -> Check[Subject]:
        @wraps(check)
        def kept(subject: Subject) -> None:
            try:
                check(subject)
            except ContractBroken as broken:
                raise ContractBroken(sentence(check), broken.seen, broken.mend) from None

        checks.append(kept)
        return kept

    return add


def examine(check: Check[Subject], subject: Subject) -> Finding:
    """Run one check; a broken promise and a crash of foreign code are both findings, and never a traceback."""
    try:
        check(subject)
    except ContractBroken as broken:
        return _found(check, f"seen: {broken.seen}; mend: {broken.mend}{_note(subject)}")
    except (Exception, SystemExit, TooSlow) as error:  # noqa: BLE001 (foreign code may raise anything)
        return _found(check, f"{_crash(error)}{_note(subject)}")
    return _found(check)


def _note(subject: object) -> str:
    """What a subject adds to whatever is found of it: with what it was tried."""
    note = getattr(subject, "note", "")
    return f"; {note}" if note else ""


def _found(check: Callable[..., None], detail: str = "") -> Finding:
    return Finding(check.__name__, sentence(check), passed=not detail, detail=detail)


def _crash(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return short(f"seen: {type(error).__name__}{place}: {short(str(error), 200)}; mend: nothing here may raise")


def wait(coroutine: Coroutine[object, object, Result]) -> Result:
    """Run a coroutine to its end; checks are plain functions and the ports are async."""
    return asyncio.run(coroutine)


async def settled(function: Callable[..., Any], *arguments: object) -> Any:
    """What an async or plain function of a plug-in gives; the caller says the type."""
    return await settle(function, *arguments)


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Break the promise when the block takes more processor time than this; on the main thread, stop it then.

    Only the time of this thread counts, and no collection of garbage falls into it: what other tests have left
    running, or lying about, is not the block's doing.
    """
    collects = gc.isenabled()
    gc.disable()
    began = time.thread_time()
    try:
        with _alarm(seconds):
            yield
    except TooSlow:
        raise ContractBroken("", f"{what} took more than {seconds} s", _FASTER) from None
    finally:
        if collects:
            gc.enable()
    took = time.thread_time() - began
    require(took <= seconds, seen=f"{what} took {took:.1f} s", mend=_FASTER)


_FASTER = "refuse a text that is too long first, and scan it once rather than from each of its characters"
_SOONEST = 0.005
_OF_ALL = 10


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the main thread once it has used so much time, or all threads together far more.

    The timer counts all threads, so it may go off early: then it is set again for what is left.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    began, all_began = time.thread_time(), time.process_time()

    def stop(number: int, frame: FrameType | None) -> None:
        left = seconds - (time.thread_time() - began)
        if left <= 0 or time.process_time() - all_began > _OF_ALL * seconds:
            raise TooSlow
        signal.setitimer(signal.ITIMER_PROF, max(left, _SOONEST))

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
