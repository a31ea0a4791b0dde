"""`rung init`: a config and an agent that run as they stand."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from rung.cli import _own_tasks
from rung.cli._files import create
from rung.cli._say import json_option, say_json
from rung.core.errors import UsageError

STARTER = Path(__file__).parent / "starter"
FILES = ("rung.toml", "my_agent.py")
OF_CELL = ("rung.toml", "my_program/agent.py")


@click.command("init")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--tasks", metavar="FILE.jsonl", type=click.Path(path_type=Path), help="Tasks of your own, one a line.")
@click.option("--cell", is_flag=True, help="For an agent program, measured as a whole in a sandbox.")
@click.option("--explore", is_flag=True, help="For an agent that judges itself and is told no verdict.")
@json_option
def command(directory: Path, tasks: Path | None, *, cell: bool, explore: bool, as_json: bool) -> None:
    """Write a commented config and a stub of an agent to fill in.

    They are rung.toml and my_agent.py in DIR, and work as they stand. With --tasks they are for tasks of your own: the
    config takes as many as the file has to work and to examine. With --cell they are rung.toml and
    my_program/agent.py, a program that takes its tasks itself; Claude Code and Codex take a line instead. With
    --explore they are for an agent that judges its own play. A file that is there is never overwritten.
    """
    if cell and tasks is not None:
        raise UsageError("--cell with --tasks: leave one out; then name the file in [tasks] as family = 'FILE.jsonl'")
    if explore and (cell or tasks is not None):
        raise UsageError("--explore goes with neither --cell nor --tasks; leave one out")
    texts = _of_cell() if cell else _of_exploring() if explore else _texts(directory, tasks)
    places = {directory / name: text for name, text in texts.items()}
    there = [str(place) for place in places if place.exists() or place.is_symlink()]
    if there:
        raise UsageError(f"already there: {', '.join(there)}; nothing is overwritten, so choose another folder")
    for place, text in places.items():
        create(place, text)
    if as_json:
        say_json({"written": [str(place) for place in places]})
        return
    for place in places:
        click.echo(f"written: {place}")
    click.echo(f"next: {_next(directory)}")


def _texts(directory: Path, tasks: Path | None) -> Mapping[str, str]:
    """What is written, by the name of its file."""
    config = (STARTER / "rung.toml").read_text("utf-8")
    if tasks is None:
        return dict(zip(FILES, (config, (STARTER / "my_agent.py").read_text("utf-8")), strict=True))
    agent = (STARTER / "my_tasks_agent.py").read_text("utf-8")
    return dict(zip(FILES, (_own_tasks.config(tasks, directory, config), agent), strict=True))


def _of_cell() -> Mapping[str, str]:
    """What is written for an agent program."""
    texts = ((STARTER / name).read_text("utf-8") for name in ("cell.toml", "my_program.txt"))
    return dict(zip(OF_CELL, texts, strict=True))


def _of_exploring() -> Mapping[str, str]:
    """What is written for an agent that judges itself."""
    texts = ((STARTER / name).read_text("utf-8") for name in ("explore.toml", "my_explorer.py"))
    return dict(zip(FILES, texts, strict=True))


def _next(directory: Path) -> str:
    return shlex.join(["rung", "run", str(directory / FILES[0])])
