"""`rung tasks check`: the contract suite of a family."""

import click

from rung.cli._contracts import families, print_findings, try_all
from rung.cli._say import json_option


@click.command("check")
@click.argument("name", metavar="FAMILY")
@json_option
@click.pass_context
def command(ctx: click.Context, name: str, *, as_json: bool) -> None:
    """Try a family against what every family promises.

    FAMILY is a registered name, a folder of yours with game.py and key.py, which is imported and runs as you, or a
    .jsonl file of your tasks, whose commands run as you. Exit status 1 when a check fails.
    """
    tried = try_all(families(name))
    print_findings(tried, as_json=as_json)
    ctx.exit(0 if all(finding.passed for _, findings in tried for finding in findings) else 1)
