"""What commands share in asking and in printing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """`--json`, which every command has."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")(command)


def run_argument(command: Command) -> Command:
    """`RUN`, the folder of a run."""
    return click.argument("run", type=click.Path(path_type=Path))(command)


def say_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2))


def say_rich(*things: "RenderableType") -> None:
    """Print tables and styled text."""
    from rich.console import Console

    console = Console(highlight=False)
    for thing in things:
        console.print(thing)
