"""`rung digest`: what "identical" means, in one line."""

from pathlib import Path

import click

from rung.cli._say import json_option, run_argument, say_json
from rung.core.errors import UsageError
from rung.store.journal import SqliteJournal
from rung.store.run_directory import existing


@click.command("digest")
@run_argument
@json_option
def command(run: Path, *, as_json: bool) -> None:
    """Print the digest of a run: equal digests, identical runs.

    It covers all facts of the journal in order, and neither times, costs, versions nor the place of the run.
    """
    directory = existing(run)
    journal = SqliteJournal(directory.journal, read_only=True)
    try:
        if journal.get("plan", "config") is None:
            raise UsageError(f"{run} holds no planned study; run one with `rung run CONFIG --out {run}`")
        digest = journal.digest()
    finally:
        journal.close()
    if as_json:
        say_json({"run": str(run), "digest": digest})
    else:
        click.echo(digest)
