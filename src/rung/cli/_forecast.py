"""A forecast as a person reads it on one screen, and as a machine does."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import click

from rung.cli._say import say_rich
from rung.protocols.forecast import SAMPLE, Against, ArmForecast, Cost, Forecast, Part

if TYPE_CHECKING:
    from rich.table import Table

DETAILED = 3
"""Arms whose phases are shown; with more of them a screen would not do."""
LONG = 100_000
"""Input tokens of one call from which on it is said that a model may not read so much."""
UNKNOWN = "?"


def show(forecast: Forecast) -> None:
    """Print the worst case, what stands against it, and what it leaves out."""
    click.echo(f"{forecast.name}: what it costs at most; nothing was started\n")
    say_rich(_table(forecast))
    click.echo()
    for sentence in (*_verdict(forecast), *_caveats(forecast)):
        click.echo(click.wrap_text(sentence, width=80, subsequent_indent="  "))


def told(forecast: Forecast) -> dict[str, object]:
    """All its numbers."""
    bound = forecast.binds
    return {
        "name": forecast.name,
        "dry_run": True,
        "lineages": forecast.extent.lineages,
        "exam_tasks": forecast.extent.tasks,
        "arms": [
            {
                "name": arm.name,
                **{part.phase: {**_numbers(part.cost), "unknown": part.unknown or None} for part in arm.parts},
                "total": _numbers(arm.total),
            }
            for arm in forecast.arms
        ],
        "phases": {part.phase: _numbers(part.cost) for part in forecast.phases},
        "total": _numbers(forecast.total),
        "unknown": list(forecast.unknown),
        "budget": {
            each.quantity: {"limit": each.limit, "worst": each.worst, "share": each.share} for each in forecast.budget
        },
        "binds_first": bound.quantity if bound is not None else None,
        "lowered_by": list(forecast.lowered),
        "refused": list(forecast.refused),
        "warnings": list(forecast.warned),
        "prices": dict(forecast.prices),
        "longest_input_tokens": forecast.longest,
        "notes": list(_caveats(forecast)),
    }


def _numbers(cost: Cost) -> dict[str, object]:
    return {
        "attempts": cost.attempts,
        "calls": cost.calls,
        "input_tokens": cost.read,
        "output_tokens": cost.written,
        "tokens": cost.tokens,
        "usd": cost.usd,
    }


# --------------------------------------------------------------------------------------------- the table


def _table(forecast: Forecast) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="")
    for name in ("", ""):
        table.add_column(name, no_wrap=True)
    for name in ("attempts", "calls", "tokens in", "tokens out", "dollars"):
        table.add_column(name, justify="right", no_wrap=True)
    for arm in forecast.arms:
        for row in _rows(arm, detailed=len(forecast.arms) <= DETAILED):
            table.add_row(*row)
    if len(forecast.arms) > 1:
        for row in _of_parts("all arms", forecast.phases):
            table.add_row(*row)
    table.add_row("in total", "", *_figures(forecast.total, unknown=bool(forecast.unknown)))
    return table


def _rows(arm: ArmForecast, *, detailed: bool) -> Iterator[Sequence[str]]:
    if detailed:
        yield from _of_parts(arm.name, arm.parts)
    else:
        yield arm.name, "", *_figures(arm.total, unknown=bool(arm.unknown))


def _of_parts(name: str, parts: Sequence[Part]) -> Iterator[Sequence[str]]:
    shown = [part for part in parts if part.unknown or part.cost != Cost()]
    for place, part in enumerate(shown):
        yield "" if place else name, part.phase, *_figures(part.cost, unknown=bool(part.unknown))


def _figures(cost: Cost, *, unknown: bool) -> Sequence[str]:
    """The numbers of a row; what is not known is never shown as nothing."""
    spent = [short(cost.calls), short(cost.read), short(cost.written), dollars(cost.usd)]
    if unknown:
        spent = [f"{figure} + {UNKNOWN}" if cost.calls else UNKNOWN for figure in spent]
    return f"{cost.attempts:,}", *spent


def short(amount: float) -> str:
    """A count in three digits, rounded up: a worst case is never shown as less.

    >>> short(9_999), short(123_401), short(1_000_000), short(999_999)
    ('9,999', '124k', '1M', '1M')
    """
    count = ceil(amount - 1e-6)
    if count < 10_000:
        return f"{count:,}"
    step = 10 ** (floor(log10(count)) - 2)
    rounded = -(-count // step) * step
    size, unit = next(pair for pair in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (1_000, "k")) if rounded >= pair[0])
    return f"{rounded / size:g}{unit}"


def dollars(usd: float | None) -> str:
    """Dollars, rounded up to cents.

    >>> dollars(1234.5601), dollars(0.1 + 0.2), dollars(None)
    ('1,234.57', '0.30', '?')
    """
    return UNKNOWN if usd is None else f"{ceil(round(usd * 100, 6)) / 100:,.2f}"


# --------------------------------------------------------------------------------------------- in words


def _verdict(forecast: Forecast) -> Iterator[str]:
    """What the budget is against it, and whether the study would start."""
    if not forecast.total.calls and not forecast.unknown:
        yield "No model is called, so nothing is spent."
    limited = [each for each in forecast.budget if each.limit is not None and each.worst]
    for each in limited:
        yield f"[budget] {each.quantity} = {each.limit:,g} {_covers(each, forecast)}."
    if forecast.lowered:
        yield f"The worst case is lowered by {', '.join(forecast.lowered)}."
    for reason in forecast.unknown:
        yield f"Unknown: {reason}."
    for shortfall in forecast.warned:
        yield f"Warning: {shortfall}."
    for reason in forecast.refused:
        yield f"As it is, rung run would refuse it: {reason}"


def _covers(each: Against, forecast: Forecast) -> str:
    share = each.share or 0.0
    if share >= 1.0:
        return "covers what is known of it" if forecast.unknown else "covers it"
    first = " and is spent first, if it comes to that" if each is forecast.binds else ""
    return f"covers {_percent(share)} of it{first}"


def _percent(share: float) -> str:
    """A share in two digits, rounded down: a budget is never shown to cover more.

    >>> _percent(0.4999), _percent(0.002499), _percent(0.999)
    ('49%', '0.24%', '99%')
    """
    percent = 100 * share
    step = 10.0 ** (floor(log10(percent)) - 1) if percent > 0 else 1.0
    return f"{floor(percent / step + 1e-9) * step:.2g}%"


def _caveats(forecast: Forecast) -> Iterator[str]:
    """What makes it a bound, where it is an estimate, and what it leaves out."""
    if forecast.total.calls:
        yield (
            "At worst all tasks fail and take every step, replies are max_tokens long, and a byte is a token. How far "
            f"prompts grow is an estimate, from up to {SAMPLE} tasks of a kind."
        )
    if forecast.total.calls or forecast.unknown:
        again = f", and up to {forecast.reruns} reruns of an exam attempt that broke" if forecast.reruns else ""
        yield f"Not counted: tries again after a failed or empty reply{again}."
    if forecast.longest > LONG and not forecast.bounded:
        yield (
            f"One call may read {short(forecast.longest)} tokens. If the model reads less, say so "
            '([models."..."] context_tokens); or lower history in [agent], or shown in [method] where it has that.'
        )
