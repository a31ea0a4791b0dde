"""`rung calibrate`: the instrument measured on what is known."""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from rung.cli._say import json_option, say_json, say_rich

if TYPE_CHECKING:
    from rich.table import Table

    from rung.reports.certificate import Certificate, Row

SECONDS_BETWEEN = 3.0
A_FEW = 8
"""Recorded cells of each kind, with a cheat and without, where it has to be fast."""


@click.command("calibrate")
@click.option(
    "--profile",
    type=click.Choice(["fast", "full"]),
    default="fast",
    show_default=True,
    help="4,000 data sets a setting and 1,000 whole studies, or 10,000 and 4,000.",
)
@click.option("--seed", default="1", show_default=True, help="Whatever it is, a sound instrument passes.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes at once.")
@click.option("--write", is_flag=True, help="Keep the certificate with the package; reports cite it.")
@click.option("--audit", "audited", is_flag=True, help="Measure the audit instead, on recorded cells of known truth.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, profile: str, seed: str, workers: int, *, write: bool, audited: bool, as_json: bool
) -> None:
    """Measure the instrument itself, where the truth is known.

    Every estimator of a report is tried on data sets drawn from laws of known truth, and the whole ladder on scripted
    agents of known true gain. What is demanded: a 95% interval holds the truth in at least 93.5% of cases, at most
    3.5% of claims are made where there is nothing, no interval is more than 1.15 times as wide as a rival that covers
    as well, and studies on disk hold the same facts as in memory. Where chance alone could explain a shortfall nothing
    is called red; a sound instrument comes out red in less than 1% of cases.

    Settings in which no method can keep its word are shown and not judged. Exit status 1 when a row is red.

    With --audit: recorded cells with a cheat of ten kinds, and clean ones with the same footprint, 8 of each kind or 36
    and 32. Demanded are at least 90% of the cheats of each kind, and at most 2% of the clean cells.
    """
    if audited:
        ctx.exit(_audited(profile, seed, workers, write=write, as_json=as_json))
    from rung.calibrate import certificate

    found = certificate.make(profile, seed=seed, workers=workers, told=_Progress().told)  # type: ignore[arg-type]
    if write:
        certificate.write(found)
    if as_json:
        say_json(_json(found))
    else:
        say_rich(_table(found))
        for line in _lines(found):
            click.echo(line)
    ctx.exit(0 if found.passed else 1)


def _audited(profile: str, seed: str, workers: int, *, write: bool, as_json: bool) -> int:
    """Measure the audit, print its rates, and say what the exit status is."""
    from rung.calibrate import audit
    from rung.calibrate.cheats import variants
    from rung.core.errors import UsageError

    if write:
        raise UsageError("--write keeps the certificate; the audit's rates in docs/ are written by make slow")
    cheats, twins = (A_FEW, A_FEW) if profile == "fast" else (variants.CHEATS, variants.TWINS)
    found = audit.measure(audit.ours, seed=seed, cheats=cheats, twins=twins, workers=workers, told=_Progress().told)
    if as_json:
        say_json(audit.as_json(found))
    else:
        for line in (audit.table(found), *audit.wrong(found), *(f"RED {each}" for each in found.red)):
            click.echo(line)
    return 1 if found.red else 0


class _Progress:
    """A line on stderr when something else begins, and now and then."""

    def __init__(self) -> None:
        self._last = ("", 0.0)

    def told(self, what: str, done: int, of: int) -> None:
        """Take note of how far it is."""
        now = time.monotonic()
        if what != self._last[0] or now - self._last[1] >= SECONDS_BETWEEN or done == of:
            self._last = (what, now)
            print(f"{what}: {done:,} of {of:,}", file=sys.stderr)


def _json(found: "Certificate") -> object:
    import json

    from rung.reports.certificate import spell

    return json.loads(spell(found))


def _table(found: "Certificate") -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("estimator", no_wrap=True)
    for head in ("settings", "covers at least", "false at most", "wider at most", "red"):
        table.add_column(head, justify="right")
    groups = defaultdict[str, list["Row"]](list)
    for row in found.judged:
        groups[row.estimator].append(row)
    for estimator, rows in groups.items():
        least = min((row.coverage for row in rows if row.coverage is not None), default=None)
        most = max((row.false for row in rows if row.false is not None), default=None)
        ratio = max((row.ratio for row in rows if row.ratio is not None), default=None)
        red = sum(bool(row.red) for row in rows)
        width = "" if ratio is None else f"{ratio:.2f}"
        table.add_row(estimator, str(len(rows)), _percent(least), _percent(most), width, str(red) if red else "")
    return table


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _lines(found: "Certificate") -> Iterator[str]:
    """What stands below the table: what no method can do, what is red, and the end of it all."""
    limits = [row for row in found.rows if row.limit]
    if limits:
        yield "Beyond what any method can do, and not judged:"
        yield from (f"  {row.setting}: covered {_percent(row.coverage)}; {row.limit}" for row in limits)
    for row in found.red:
        yield f"RED {row.setting} ({row.estimator}): {'; '.join(row.red)}"
    size = f"{len(found.judged)} settings, profile {found.profile}, seed {found.seed}"
    yield f"passed: {size}" if found.passed else f"not passed: {len(found.red)} of {size}"
