"""`rung init`: a config and an agent that run as they stand."""

import shlex
from pathlib import Path

import click

from rung.cli._files import create
from rung.cli._say import json_option, say_json
from rung.core.errors import UsageError

STARTER = Path(__file__).parent / "starter"
FILES = ("rung.toml", "my_agent.py")


@click.command("init")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@json_option
def command(directory: Path, *, as_json: bool) -> None:
    """Write a commented config and a stub of an agent to fill in.

    They are rung.toml and my_agent.py in DIR, and work as they stand. A file that is there is never overwritten.
    """
    places = [directory / name for name in FILES]
    there = [str(place) for place in places if place.exists() or place.is_symlink()]
    if there:
        raise UsageError(f"already there: {', '.join(there)}; nothing is overwritten, so choose another folder")
    for place in places:
        create(place, (STARTER / place.name).read_text("utf-8"))
    if as_json:
        say_json({"written": [str(place) for place in places]})
        return
    for place in places:
        click.echo(f"written: {place}")
    click.echo(f"next: {_next(directory)}")


def _next(directory: Path) -> str:
    return shlex.join(["rung", "run", str(directory / FILES[0])])
