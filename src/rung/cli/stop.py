"""`rung stop`: ask, and never kill."""

from pathlib import Path

import click

from rung.cli._say import json_option, run_argument, say_json
from rung.core.errors import UsageError
from rung.store.run_directory import RunDirectory, existing


@click.command("stop")
@run_argument
@json_option
def command(run: Path, *, as_json: bool) -> None:
    """Ask a running run to stop.

    It ends by itself after what is in flight, and says how to resume. Nothing is killed.
    """
    directory = existing(run)
    asked = directory.running()
    if asked:
        _ask(directory)
    if as_json:
        say_json({"run": str(run), "running": asked, "asked": asked})
    elif asked:
        click.echo(f"asked {run} to stop; it ends after what is in flight")
    else:
        click.echo(f"{run} is not running; there is nothing to stop")


def _ask(directory: RunDirectory) -> None:
    try:
        directory.request_stop()
    except OSError as error:
        raise UsageError(
            f"{directory.path} cannot be written ({error.strerror}); ask its owner, or stop it from where it runs"
        ) from error
