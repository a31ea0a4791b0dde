"""`rung plan`: what a study is expected to use and can show, and what is promised of it before it starts."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rung.cli import _planned
from rung.cli._files import create
from rung.cli._runs import opened
from rung.cli._say import json_option, say_json
from rung.core import config
from rung.core.errors import UsageError
from rung.planning import pilot, promise, study
from rung.planning.pilot import Pilot
from rung.protocols import registered


@click.command("plan")
@click.argument("file", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option(
    "--pilot",
    "runs",
    type=click.Path(path_type=Path),
    metavar="RUN",
    multiple=True,
    help="Learn from this run; repeatable.",
)
@click.option("--power", type=float, default=0.8, show_default=True, help="How surely a gain shall be found.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over the config; repeatable.")
@click.option("--register", "is_registered", is_flag=True, help=f"Write {registered.NAME} beside the config.")
@click.option("--margin", "margins", multiple=True, metavar="LEVEL=GAIN", help="Register what is as good as no gain.")
@json_option
def command(file: Path, **given: Any) -> None:
    """Say what a study will use and can show; register it beforehand.

    Attempts, actions, model calls, tokens, dollars and hours with 90% ranges, from a pilot: any earlier
    run of these games, or a quick look at this config (rung run CONFIG --quick). Without one the
    lengths of episodes are those of scripted players, which is a guess and said so.

    Then the smallest gain that each row of the ladder detects, and where the next dollar buys most. No
    model is called. With --register the plan is written down with its hash, and `rung run CONFIG --plan
    FILE` holds the run against it.
    """
    settings = config.read(file, overrides=given["overrides"])
    margins = _margins(given["margins"])
    if margins and not given["is_registered"]:
        raise UsageError("--margin is a promise: give --register as well, or leave it out")
    pilots = [_pilot(run, number) for number, run in enumerate(given["runs"])]
    found = study.make(settings, base=file.parent, pilots=pilots, at=given["power"])
    promised = promise.make(found, margins=margins) if given["is_registered"] else None
    place = file.parent / registered.NAME
    if promised is not None:
        _write(promise.spell(promised), place)
    if given["as_json"]:
        about = {"file": str(place), "sha256": promised.sha256} if promised is not None else None
        say_json({**_planned.told(found), "registered": about})
        return
    _planned.show(found)
    if promised is not None:
        click.echo(f"\nregistered: {place}\nsha256 {promised.sha256}\nrung run {file} --plan {place}")


def _pilot(run: Path, number: int) -> Pilot:
    with opened(run) as (_, journal):
        return pilot.read(journal, number=number)


def _write(text: str, place: Path) -> None:
    """A plan is registered once: the same again is nothing, and another is refused."""
    if place.exists():
        if place.read_text("utf-8", errors="replace") == text:
            return
        raise UsageError(f"{place} holds another registered plan and is left as it is; move it away to register anew")
    create(place, text)


def _margins(given: Sequence[str]) -> dict[str, float]:
    """Margins by level, each a gain above 0 in the units of the scores."""
    found: dict[str, float] = {}
    for text in given:
        level, _, gain = text.partition("=")
        try:
            margin = float(gain)
        except ValueError:
            margin = math.nan
        if level not in promise.LEVELS or not 0 < margin < math.inf:
            raise UsageError(f"--margin takes LEVEL=GAIN, such as G1=0.05, seen {text!r}; levels: G0 to G4")
        found[level] = margin
    return found
