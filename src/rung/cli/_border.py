"""The one border where an error becomes a message, an exit status, and the command that resumes.

UsageError                    2    nothing was started; or, once a study has begun, running again resumes
InstrumentFault, StoreFault   3    running again resumes
Stopped, Ctrl-C             130    running again resumes
anything else                70    our own bug, with its traceback; the record is kept
"""

import json
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import click

from rung.core.errors import InstrumentFault, RungError, Stopped, UsageError

Kind: TypeAlias = Literal["usage", "instrument", "stopped", "bug"]
EXITS: dict[Kind, int] = {"usage": 2, "instrument": 3, "stopped": 130, "bug": 70}


@dataclass(slots=True)
class Invocation:
    """What the border has to know of a command that fails: what would resume it, and whether it had begun."""

    resume: str | None = None
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A command that failed, as it is told to the caller."""

    kind: Kind
    message: str
    resume: str | None


def conduct(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command line; its exit status."""
    _print_anything()
    invocation = Invocation()
    try:
        result = command.main(list(arguments), prog_name="rung", standalone_mode=False, obj=invocation)
        return result if isinstance(result, int) else 0
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        failure = _failure(error, invocation)
        _tell(failure, as_json="--json" in arguments)
        return EXITS[failure.kind]


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
        return "usage", _click_message(error)
    if isinstance(error, Stopped):
        return "stopped", f"stopped: {error}"
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "stopped", "stopped at once; what was committed is kept"
    if isinstance(error, InstrumentFault):
        return "instrument", f"error: {error}"
    if isinstance(error, UsageError):
        return "usage", "\n".join(f"error: {line}" for line in str(error).splitlines())
    if isinstance(error, RungError):
        return "instrument", f"error: {error}"
    shown = "".join(traceback.format_exception(error))
    return "bug", (
        f"{shown}this is a bug in rung, or in a plug-in that the traceback names; please report it with the lines "
        "above. What was recorded is kept."
    )


def _click_message(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    lines = [f"error: {error.format_message()}"]
    if ctx is not None:
        lines.append(f"try: {ctx.command_path} --help")
    return "\n".join(lines)


def _tell(failure: Failure, *, as_json: bool) -> None:
    if as_json:
        if failure.kind == "bug":
            click.echo(_plain(failure.message), err=True)
        told = {"error": failure.message.removeprefix("error: "), "kind": failure.kind, "resume": failure.resume}
        click.echo(json.dumps(told, indent=2))
        return
    click.echo(_plain(failure.message), err=True)
    if failure.resume is not None:
        click.echo("to resume:", err=True)
        click.echo(failure.resume, err=True)


def _plain(text: str) -> str:
    """Foreign text may hold control characters; a terminal must not act on them."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)
