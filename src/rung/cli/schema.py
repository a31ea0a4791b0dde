"""`rung schema`: what the config, the journal and the report hold, for those who write tools."""

import inspect
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from rung.cli._say import json_option, say_json

KINDS = ("config", "journal", "report", "explore")

QUERIES = {
    "scores of every arm's first lineage, in order": "SELECT path, json ->> 'score' FROM fact\n"
    "WHERE kind = 'sealed' AND path LIKE '%/L1/work/%' ORDER BY path;",
    "what broke, and how often": "SELECT json ->> '$.fault.where' AS broke, count(*) FROM fact\n"
    "WHERE kind = 'sealed' AND json ->> '$.fault.where' IS NOT NULL GROUP BY broke;",
    "which candidates were taken over, and why": "SELECT path, json ->> 'chosen', json ->> 'reason' FROM fact\n"
    "WHERE kind = 'selected' ORDER BY path;",
}


@click.command("schema")
@click.argument("kind", type=click.Choice(KINDS), default="config")
@json_option
def command(kind: str, *, as_json: bool) -> None:
    """Print the schema of the config, the journal or the report.

    The config's and the reports' are JSON schemas: `report` of ladders and of cells, whose programs stand in it, and
    `explore` of exploring studies. The journal's is its SQL, explained; with --json it is JSON too.
    """
    if kind == "config":
        say_json(_config())
    elif kind == "report":
        say_json(_report())
    elif kind == "explore":
        say_json(_explored())
    elif as_json:
        say_json({"tables": _tables(), "paths": _paths(), "queries": QUERIES})
    else:
        click.echo(_journal())


def _config() -> dict[str, Any]:
    from rung.core.config import Config

    return Config.model_json_schema()


def _report() -> dict[str, Any]:
    from pydantic import TypeAdapter

    from rung.reports.values import LadderReport

    return TypeAdapter(LadderReport).json_schema(mode="serialization")


def _explored() -> dict[str, Any]:
    from pydantic import TypeAdapter

    from rung.reports.explore.values import ExploreReport

    return TypeAdapter(ExploreReport).json_schema(mode="serialization")


def _journal() -> str:
    from rung.store import journal

    return "\n".join(
        [
            _comment(inspect.getdoc(journal) or ""),
            "",
            *(f"{sql};\n" for sql in _tables().values()),
            *(_comment(f"{text}\n") for text in _paths().values()),
            "-- Three queries to begin with",
            *(f"\n-- {what}\n{sql}" for what, sql in QUERIES.items()),
        ]
    )


def _comment(text: str) -> str:
    return "\n".join(f"-- {line}".rstrip() for line in text.splitlines())


def _tables() -> Mapping[str, str]:
    """The SQL of a new journal, from a new journal."""
    from rung.store.migrations import migrate

    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(database, Path("journal.sqlite"))
        return dict(
            database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name")
        )
    finally:
        database.close()


def _paths() -> Mapping[str, str]:
    """What is recorded under which path, in the words of the modules that record it."""
    from rung.protocols import plan, record

    return {"plan": inspect.getdoc(plan) or "", "attempts": inspect.getdoc(record) or ""}
