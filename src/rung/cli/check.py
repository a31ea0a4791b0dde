"""`rung check`: the contract suites on the command line."""

import click

from rung.cli._contracts import found, print_findings, try_all
from rung.cli._say import json_option


@click.command("check")
@click.argument("name", metavar="FILE.py|FOLDER|NAME")
@json_option
@click.pass_context
def command(ctx: click.Context, name: str, *, as_json: bool) -> None:
    """Try a method, agent or family against the promises of its kind.

    Prints one line a check.

    NAME is a registered family, method or agent (phantom:general too); FILE.py is a file of yours, with FAMILY and
    KEY, with make(), or with act() and refine(); FOLDER is a game of yours, with game.py and key.py. It is imported
    and runs as you. A .jsonl file holds tasks of yours. Exit status 1 when a check fails.
    """
    tried = try_all(found(name))
    print_findings(tried, as_json=as_json)
    ctx.exit(0 if all(finding.passed for _, findings in tried for finding in findings) else 1)
