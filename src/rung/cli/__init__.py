"""The command line: parse, wire, print. One file per command.

Output goes to stdout and progress to stderr. Every command has `--json`. Exit status: 0 done, 1 a check failed, 2 the
caller, 3 the instrument, 130 stopped; an unexpected exception is a bug of ours and shows its traceback (70). The last
line of every failure that can be resumed is the command that resumes.
"""

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from rung.cli._border import conduct
from rung.cli._group import LazyGroup
from rung.core.version import VERSION

__all__ = ["main"]

COMMANDS = {
    "init": "Write a commented config and a stub of an agent to fill in.",
    "run": "Run a study, or resume it.",
    "plan": "Say what a study will use and can show; register it beforehand.",
    "report": "Write and print the report of a run, finished or not.",
    "compare": "Hold the arms of runs on one exam against each other.",
    "tables": "Run several studies, and write the tables over them.",
    "reanalyse": "Give results that another tool measured the honest report.",
    "ablate": "Find what carried the gain of a cell.",
    "audit": "Look through a run for exam content that was not had by work.",
    "annotate": "Say what the methods of a run changed.",
    "serve": "Serve a study to an agent that cannot be launched here.",
    "play": "Play a game in the terminal, as an agent does.",
    "tasks": "Look at families of tasks, and at what a config draws.",
    "check": "Try a method, agent or family against the promises of its kind.",
    "calibrate": "Measure the instrument itself, where the truth is known.",
    "digest": "Print the digest of a run: equal digests, identical runs.",
    "stop": "Ask a running run to stop.",
    "doctor": "Say whether this machine has what rung needs.",
    "schema": "Print the schema of the config, the journal or the report.",
}

HELP = """Measure whether an AI agent gets better by its own work, how far that carries, and whether to believe it.

Begin with `rung init`, then `rung run rung.toml`."""

cli = click.version_option(VERSION, message="rung %(version)s")(
    LazyGroup(name="rung", package="rung.cli", commands=COMMANDS, help=HELP)
)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    sys.exit(conduct(cli, sys.argv[1:] if arguments is None else arguments))
