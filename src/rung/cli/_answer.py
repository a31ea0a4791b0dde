"""One answer of a person, from a keyboard or a pipe."""

import re
import sys
from collections.abc import Callable
from typing import TypeAlias

import click

HOW = "Enter sends an answer. One that opens { or [ goes on until it is closed, or until an empty line. Ctrl-D ends."

Line: TypeAlias = Callable[[str], str]
"""Asks with a prompt for one line, without its end; raises `EOFError` where there is none."""

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]', re.DOTALL)


def is_open(text: str) -> bool:
    """True while a text holds more opening than closing brackets, those in quotes left out.

    >>> is_open('{"plan": {"1": "all"}'), is_open('{"plan": {}}'), is_open('{"note": "}"'), is_open("7")
    (True, False, True, False)
    """
    pieces = [found[0] for found in _PIECE.finditer(text)]
    return sum(piece in "{[" for piece in pieces) > sum(piece in "}]" for piece in pieces)


def read_answer(line: Line) -> str | None:
    """The next answer, or None at the end of the input. An empty line is no answer, so a stray Enter costs nothing."""
    lines: list[str] = []
    while True:
        try:
            found = line("... " if lines else "> ")
        except EOFError:
            return "\n".join(lines) or None
        if found.strip():
            lines.append(found)
        if lines and not (found.strip() and is_open("\n".join(lines))):
            return "\n".join(lines)


def lines_of(*, to_stderr: bool) -> Line:
    """Where answers come from: a terminal with its line editing, or a pipe, whose answers are shown as they are read.

    With `to_stderr` the prompts go to stderr, because stdout is for a machine.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not to_stderr:
        _edit_lines()
        return _typed
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # what is no UTF-8 is an answer all the same, and the family's to judge

    def piped(prompt: str) -> str:
        click.echo(prompt, nl=False, err=to_stderr)
        found = sys.stdin.readline()
        typed = sys.stdin.isatty() and found
        click.echo("" if typed else found.rstrip("\r\n"), nl=not typed, err=to_stderr)
        if not found:
            raise EOFError
        return found.rstrip("\r\n")

    return piped


def _typed(prompt: str) -> str:
    try:
        return input(prompt)
    except EOFError:
        click.echo()  # Ctrl-D leaves the cursor behind the prompt
        raise


def _edit_lines() -> None:
    """Arrow keys, history, and lines longer than a terminal hands over on its own."""
    try:
        import readline  # noqa: F401 (its import is its effect)
    except ImportError:  # Python may be built without it; a plain line will do
        return
