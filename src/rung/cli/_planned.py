"""The plan of a study as a person reads it, and as a machine does."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from rung.cli._say import say_rich
from rung.planning.power import Step
from rung.planning.predict import Range
from rung.planning.study import TAUS, Row, StudyPlan

if TYPE_CHECKING:
    from rich.table import Table

UNKNOWN = "?"

NAMES = MappingProxyType(
    {
        "attempts": "attempts",
        "actions": "actions",
        "calls": "model calls",
        "input_tokens": "tokens read",
        "output_tokens": "tokens written",
        "tokens": "tokens",
        "usd": "dollars",
        "hours": "hours",
    }
)

ONE_MORE = MappingProxyType(
    {
        "task": "exam task in each cell",
        "lineage": "lineage",
        "repeat": "A_T attempt at each task",
        "baseline repeat": "A_0 attempt at each task",
    }
)

PER = MappingProxyType(
    {
        "usd": (1.0, "dollar", "buys"),
        "tokens": (1e6, "million tokens", "buy"),
        "calls": (1e3, "1,000 calls", "buy"),
        "actions": (1e3, "1,000 actions", "buy"),
    }
)
"""In how much of it the worth of a step is said, how that is called, and its verb."""


def show(found: StudyPlan) -> None:
    """Print what it uses, what it can show, where the next dollar goes, and what all that rests on."""
    sort = "a guess without a pilot" if found.level is None else f"{found.level:.0%} ranges"
    click.echo(f"{found.name}: what it will use ({sort}); nothing was started\n")
    say_rich(_use(found))
    _say(_unknown(found))
    k = found.config.lineages
    runs = "1 lineage: this end state only" if k == 1 else f"{k} lineages"
    units = list(dict.fromkeys(row.unit for row in found.rows))
    click.echo(f"\nSmallest gains found with {found.power:.0%} power, two-sided 5% ({runs})")
    click.echo(f"in {units[0]}\n" if len(units) == 1 else "")
    say_rich(_rows(found.rows, units))
    _say(_no_word(found))
    if found.steps:
        click.echo(f"\nWhere the next {' '.join(PER[found.currency][1:])} most: one more\n")
        say_rich(_steps(found))
    click.echo("\nWhat this rests on")
    _say((*found.basis, *found.warnings))


def _say(sentences: Sequence[str] | Iterator[str]) -> None:
    for sentence in sentences:
        click.echo(click.wrap_text(f"- {sentence}.", width=80, subsequent_indent="  "))


# --------------------------------------------------------------------------------------------- use


def _use(found: StudyPlan) -> "Table":
    table = _table("", ("low", "expected", "high"))
    for each in found.amounts:
        table.add_row(NAMES[each.quantity], *_ends(each.range, each.quantity))
    return table


def _ends(found: Range | None, quantity: str) -> Sequence[str]:
    if found is None:
        return (UNKNOWN,) * 3
    return tuple(_figure(value, quantity) for value in (found.low, found.expected, found.high))


def _figure(value: float, quantity: str) -> str:
    """A number in three digits.

    >>> _figure(1234567.0, "tokens"), _figure(0.0213, "hours"), _figure(12.3456, "usd"), _figure(1234.4, "calls")
    ('1.23M', '0.0213', '12.35', '1,234')
    """
    if quantity == "usd":
        return f"{value:,.2f}" if value >= 0.01 or value == 0 else f"{value:.2g}"
    if quantity == "hours":
        return f"{value:,.3g}"
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g}{unit}"
    return f"{value:,.0f}"


def _unknown(found: StudyPlan) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for each in found.amounts:
        if each.range is None:
            reasons.setdefault(each.unknown, []).append(NAMES[each.quantity])
    for reason, names in reasons.items():
        yield f"Unknown: {', '.join(names)}: {reason}"
    for quantity in ("usd", "tokens", "calls"):
        limit, amount = getattr(found.config.budget, quantity), found.amount(quantity)
        if limit is not None and amount is not None and amount.range is not None:
            yield f"[budget] {quantity} = {limit:,g} {_covers(limit, amount.range)}"


def _covers(limit: float, found: Range) -> str:
    if limit >= found.high:
        return "covers it"
    return "covers what is expected, and not the high end" if limit >= found.expected else "is less than expected"


# --------------------------------------------------------------------------------------------- power


def _rows(rows: Sequence[Row], units: Sequence[str]) -> "Table":
    seen = any(len(row.found) > len(TAUS) for row in rows)
    taus = [f"tau {100 * tau:.0f}" for tau in TAUS]
    table = _table("row", ("tasks", *taus, *(("pilot's tau",) if seen else ())), "unit" if len(units) > 1 else None)
    for row in rows:
        gains = [_gain(each.gain) for each in row.found]
        gains += [UNKNOWN] * (len(TAUS) + seen - len(gains))
        table.add_row(f"{row.level} {row.target}", f"{row.tasks}", *gains, *([row.unit] if len(units) > 1 else []))
    return table


def _gain(gain: float | None) -> str:
    return "none" if gain is None else f"{gain:.2g}" if gain < 100 else f"{gain:,.0f}"


def _no_word(found: StudyPlan) -> Iterator[str]:
    reasons = dict.fromkeys(row.best.why for row in found.rows if row.best.why)
    yield from (f"None: {reason}" for reason in reasons)


def _steps(found: StudyPlan) -> "Table":
    size, per, _ = PER[found.currency]
    table = _table("", (f"adds ({NAMES[found.currency]})", "gains fall by", f"per {per}"))
    for step in found.steps:
        table.add_row(ONE_MORE[step.what], _figure(step.cost, found.currency), *_worth(step, size))
    return table


def _worth(step: Step, size: float) -> tuple[str, str]:
    if step.opens:
        return "brings a verdict", ""
    if step.closes:
        return "no verdict then", ""
    return f"{100 * step.saved:.2g}%", f"{100 * size * step.worth:.2g}%"


def _table(first: str, numbers: Sequence[str], last: str | None = None) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    if last is not None:
        table.add_column(last, overflow="fold")
    return table


# --------------------------------------------------------------------------------------------- for a machine


def told(found: StudyPlan) -> dict[str, object]:
    """All its numbers."""
    return {
        "name": found.name,
        "config": found.identity,
        "power": found.power,
        "lineages": found.config.lineages,
        "range": found.level,
        "use": {
            each.quantity: {"unknown": each.unknown or None, **(asdict(each.range) if each.range else {})}
            for each in found.amounts
        },
        "rows": [_told_row(row) for row in found.rows],
        "next": [{**asdict(step), "saved": step.saved, "opens": step.opens} for step in found.steps],
        "currency": found.currency,
        "pilots": [{"name": name, "digest": digest} for name, digest in found.pilots],
        "basis": list(found.basis),
        "warnings": list(found.warnings),
    }


def _told_row(row: Row) -> dict[str, object]:
    pairs = zip(row.noise, row.found, strict=True)
    return {
        "level": row.level,
        "target": row.target,
        "tasks": row.tasks,
        "unit": row.unit,
        "detectable": [
            {"tau": noise.tau, "task": noise.task, "attempt": noise.attempt, "gain": each.gain, "why": each.why or None}
            for noise, each in pairs
        ],
        "from_pilot": row.seen is not None,
    }
