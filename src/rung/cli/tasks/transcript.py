"""`rung tasks transcript`: a whole episode, to read and to keep."""

import asyncio

import click

from rung.cli._contracts import family_id
from rung.cli._say import json_option, say_json
from rung.cli.tasks._settings import chosen, setting_options
from rung.testing.transcripts import transcript


@click.command("transcript")
@click.argument("family")
@setting_options
@json_option
def command(family: str, difficulty: int | None, setting: str | None, *, as_json: bool) -> None:
    """Show a task worked by the solver and by a newcomer.

    It prints everything: rules, tools, views, calls, scores, and what only the instrument knows. Read it, and keep it
    beside your game: a line that changes is a game that changed, and so another version.

    FAMILY is a name, a folder of yours with game.py and key.py, or a .jsonl file of your tasks. Without a setting it is
    the first one published.
    """
    known = family_id(family)
    name = chosen(known, difficulty, setting)
    text = asyncio.run(transcript(known, name, written_by=f"rung tasks transcript {known} --setting {name}"))
    if as_json:
        say_json({"family": known, "setting": name, "transcript": text})
    else:
        click.echo(text, nl=False)
