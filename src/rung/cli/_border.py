"""The one border where an error becomes a message, an exit status, and the command that resumes.

UsageError                    2    nothing was started; or, once a study has begun, running again resumes
InstrumentFault, StoreFault   3    running again resumes
BudgetSpent                   4    running again with a higher budget resumes
ModelUnusable                 5    once a key, a name or an endpoint is mended, running again resumes
Stopped, Ctrl-C             130    running again resumes
anything else                70    our own bug, with its traceback; the record is kept
"""

import errno
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Literal, NoReturn, TypeAlias

import click

from rung.core.errors import BudgetSpent, ModelUnusable, RungError, Stopped, UsageError

Kind: TypeAlias = Literal["usage", "instrument", "budget", "model", "stopped", "bug"]
EXITS: Mapping[Kind, int] = {"usage": 2, "instrument": 3, "budget": 4, "model": 5, "stopped": 130, "bug": 70}
BUG = (
    "This is a bug in rung, or in a plug-in that the lines above name; if it is in rung, please report it with them.\n"
    "What was recorded is kept."
)


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says of a disk that is full, wherever it was met."""


@dataclass(slots=True)
class Invocation:
    """What the border has to know of a command that fails: what would resume it, whether it had begun, who reads."""

    resume: str | None = None
    begun: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A command that failed, as it is told to the caller."""

    kind: Kind
    message: str
    resume: str | None


def conduct(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command line; its exit status."""
    _print_anything()
    invocation = Invocation(as_json="--json" in arguments)
    try:
        with _terminated():
            return _done(command, arguments, invocation)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (told to the caller, bugs with their traceback)
        failure = _failure(error, invocation)
        _tell(failure, as_json=invocation.as_json)
        return EXITS[failure.kind]


def _done(command: click.Command, arguments: Sequence[str], invocation: Invocation) -> int:
    result = command.main(list(arguments), prog_name="rung", standalone_mode=False, obj=invocation)
    return result if isinstance(result, int) else 0


@contextmanager
def _terminated() -> Iterator[None]:
    """While this lasts, who ends the process by SIGTERM is told as who presses Ctrl-C, also before a study has begun
    and when its report is written (see `rung.cli.run.stopping` for between)."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def leave(invocation: Invocation) -> NoReturn:
    """Leave without tidying up, because something holds the process; what was committed survives its death."""
    _tell(Failure("stopped", "left at once; what was committed is kept", invocation.resume), as_json=invocation.as_json)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(EXITS["stopped"])


def _print_anything() -> None:
    """A path or a foreign text that the terminal cannot spell is printed with marks in it, and is no crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _failure(error: BaseException, invocation: Invocation) -> Failure:
    kind, message = _judge(error)
    begun = kind != "usage" or invocation.begun
    return Failure(kind, message, invocation.resume if begun else None)


def _judge(error: BaseException) -> tuple[Kind, str]:
    if isinstance(error, click.ClickException):
        return "usage", _of_click(error)
    if isinstance(error, Stopped):
        return _stopped(error), str(error)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "stopped", "stopped at once; what was committed is kept"
    if isinstance(error, UsageError):
        return "usage", str(error)
    if isinstance(error, RungError):
        return "instrument", str(error)
    if isinstance(error, OSError) and error.errno in FULL:
        return "instrument", f"disk: {error}; free some space, and run again"
    return "bug", "".join(traceback.format_exception(error)).rstrip()


def _stopped(error: Stopped) -> Kind:
    if isinstance(error, BudgetSpent):
        return "budget"
    return "model" if isinstance(error, ModelUnusable) else "stopped"


def _of_click(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    return error.format_message() + (f"\nsee {ctx.command_path} --help" if ctx is not None else "")


def _tell(failure: Failure, *, as_json: bool) -> None:
    """On stderr for a person, the command that resumes as the last line; on stdout for a machine."""
    if as_json:
        told = {"error": failure.message, "kind": failure.kind, "exit": EXITS[failure.kind], "resume": failure.resume}
        click.echo(json.dumps(told, indent=2))
        return
    lead = "error: " if failure.kind in ("usage", "instrument", "model") else ""
    click.echo(lead + _plain(failure.message).replace("\n", "\n" + " " * len(lead)), err=True)
    if failure.kind == "bug":
        click.echo(BUG, err=True)
    if failure.resume is not None:
        click.echo(f"to resume:\n{failure.resume}", err=True)


def _plain(text: str) -> str:
    """Foreign text may hold control characters; a terminal must not act on them."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)
