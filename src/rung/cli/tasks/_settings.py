"""Which setting of a family is meant."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rung.core import registry
from rung.core.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def setting_options(command: Command) -> Command:
    """`--difficulty` and `--setting`, of which one may be given."""
    by_name = click.option("--setting", metavar="NAME", help="The setting by name.")
    by_number = click.option(
        "--difficulty", type=click.IntRange(min=1), metavar="N", help="The difficulty; short for --setting dN."
    )
    return by_number(by_name(command))


def chosen(family: str, difficulty: int | None, setting: str | None) -> str:
    """The setting's name; without any it is the first published one, and that is said."""
    if difficulty is not None and setting is not None:
        raise UsageError("give either --difficulty N or --setting NAME; `rung tasks list` names them")
    if setting is not None or difficulty is not None:
        return setting if setting is not None else f"d{difficulty}"
    first = registry.family(family).settings()[0].name
    click.echo(f"{first} is the first setting of {family}; --difficulty N or --setting NAME shows another", err=True)
    return first
