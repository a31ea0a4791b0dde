"""What a cell costs, as a person reads it on one screen, and as a machine does."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from rung.backends.models.prices import FREE
from rung.cli._forecast import UNKNOWN, dollars, short
from rung.cli._say import say_rich
from rung.core.ports import Amount
from rung.protocols.cell_forecast import BYTES, CONTEXT, QUANTITIES, WRITTEN, CellForecast, Guess, Quantity, Sessions

if TYPE_CHECKING:
    from rich.table import Table

NO_LIMIT = "no limit"


def show(forecast: CellForecast) -> None:
    """Print the sessions, the most that they may cost, the estimate, and what both rest on."""
    click.echo(f"{forecast.name}: what it may cost at most, and an estimate; nothing was started\n")
    say_rich(_table(forecast))
    click.echo()
    for sentence in (*_most(forecast), *_estimate(forecast), *_rest(forecast)):
        click.echo(click.wrap_text(sentence, width=80, subsequent_indent="  "))


def brief(forecast: CellForecast) -> str:
    """In two lines, for who starts it."""
    sessions = sum(part.sessions for part in forecast.parts)
    lines = [f"{sessions:,} sessions, {forecast.attempts:,} attempts", *_most(forecast)]
    guess = forecast.guess
    if guess is not None and guess.calls:
        amounts = f"{short(guess.calls)} calls, {short(guess.tokens)} tokens, {_dollars(guess)}"
        lines.append(f"Estimated: {amounts}. What it supposes: rung run --dry-run.")
    return "\n".join([*lines, *_too_little(forecast)])


def told(forecast: CellForecast) -> dict[str, object]:
    """All its numbers."""
    return {
        "name": forecast.name,
        "dry_run": True,
        "protocol": "cell",
        "lineages": forecast.lineages,
        "exam_tasks": forecast.exam_tasks,
        "attempts": forecast.attempts,
        "phases": [_part(part) for part in forecast.parts],
        "at_most": {each: forecast.most(each) for each in QUANTITIES},
        "at_most_of_sessions": {each: forecast.bounded(each) for each in QUANTITIES},
        "budget": {each: forecast.study.get(each) for each in QUANTITIES},
        "binds_first": [f"[budget] {each}" for each in QUANTITIES if forecast.binds(each)],
        "estimate": _guess(forecast.guess),
        "set_aside_first": {arm: {"usd": first.usd, "tokens": first.tokens} for arm, first in forecast.first.items()},
        "too_little": list(forecast.too_little),
        "refused": list(forecast.refused),
        "warnings": list(forecast.warned),
        "prices": {name: price.model_dump() if price else None for name, price in forecast.prices.items()},
        "notes": [*_most(forecast), *_estimate(forecast)],
    }


def _part(part: Sessions) -> dict[str, object]:
    return {
        "arm": part.arm,
        "phase": part.phase,
        "sessions": part.sessions,
        "tasks_each": part.tasks,
        "at_most": {each: part.most(each) for each in QUANTITIES},
        "limited_by": [limit.section for limit in part.limits.values()],
        "estimate": _guess(part.guess),
        "cut_short_by": [limit.section for limit in part.short],
    }


def _guess(guess: Guess | None) -> dict[str, object] | None:
    if guess is None:
        return None
    return {
        "calls": round(guess.calls),
        "input_tokens": round(guess.read),
        "output_tokens": round(guess.written),
        "usd": guess.usd,
        "usd_with_cache": guess.cached,
    }


# --------------------------------------------------------------------------------------------- the table


def _table(forecast: CellForecast) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="")
    for name in ("", ""):
        table.add_column(name, no_wrap=True)
    for name in ("sessions", "tasks", "at most", "~ calls", "~ tokens", "~ $"):
        table.add_column(name, justify="right", no_wrap=True)
    arm = ""
    for part in forecast.parts:
        bounds = _bounds(part.most("usd"), part.most("tokens"))
        likely = _likely(part.guess)
        table.add_row("" if part.arm == arm else part.arm, part.phase, *_many(part), bounds, *likely)
        arm = part.arm
    whole = _bounds(forecast.most("usd"), forecast.most("tokens"))
    sessions = sum(part.sessions for part in forecast.parts)
    table.add_row("in total", "", f"{sessions:,}", f"{forecast.attempts:,}", whole, *_likely(forecast.guess))
    return table


def _many(part: Sessions) -> Sequence[str]:
    return f"{part.sessions:,}", f"{part.sessions * part.tasks:,}"


def _bounds(usd: float | None, tokens: float | None) -> str:
    """Dollars where they are bounded, else tokens."""
    if usd is not None:
        return f"${dollars(usd)}"
    return NO_LIMIT if tokens is None else f"{short(tokens)} tokens"


def _likely(guess: Guess | None) -> Sequence[str]:
    if guess is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    return short(guess.calls), short(guess.tokens), dollars(guess.usd)


# --------------------------------------------------------------------------------------------- in words

WORDS: dict[Quantity, str] = {"usd": "dollars", "tokens": "tokens", "calls": "calls", "seconds": "seconds"}


def _most(forecast: CellForecast) -> Iterator[str]:
    """The most that it may cost, and which budget says so."""
    if not forecast.asks:
        yield "No program has a model, so no call is paid for."
        return
    if all(price == FREE for price in forecast.prices.values()):
        yield "No model of it costs money, so no dollar is spent."
        return
    bounds = [_said(forecast, each) for each in QUANTITIES if forecast.most(each) is not None]
    if not bounds:
        yield "At most: nothing bounds it. A program asks its model as often as it likes; give [budget] usd or tokens."
        return
    yield f"At most: {'; '.join(bounds)}."
    if all(forecast.bounded(each) is None for each in ("usd", "tokens")):
        yield (
            "[budget.session] and [budget.task] do not bound every session, so that one may spend it all, and the rest "
            "wait for more."
        )


def _said(forecast: CellForecast, quantity: Quantity) -> str:
    most, bounded = forecast.most(quantity), forecast.bounded(quantity)
    amount = f"${most:,.2f}" if quantity == "usd" else f"{most:,.0f} {WORDS[quantity]}"
    if not forecast.binds(quantity):
        return f"{amount}, by the budgets of its sessions"
    against = "" if bounded is None else f", which ends the run before its sessions' own ({bounded:,.6g}) are spent"
    return f"{amount}, by [budget] {quantity}{against}"


def _estimate(forecast: CellForecast) -> Iterator[str]:
    """The estimate and what it supposes."""
    guess = forecast.guess
    if guess is None:
        yield "Estimate: unknown, for a program of yours asks its model as it likes; a --quick run shows it."
        return
    if not guess.calls:
        return
    yield (
        f"Estimate: {short(guess.calls)} calls, {short(guess.read)} tokens in, {short(guess.written)} out; "
        f"{_dollars(guess)}. It supposes steps + 2 calls for an exam task, steps as a newcomer takes them, {WRITTEN} "
        f"tokens written a call, {BYTES} bytes a token, and a conversation of {short(CONTEXT)} tokens at most. A model "
        "that thinks, or a program that looks around, costs several times that."
    )
    sizes = [f"{arm} {each.bytes / 1000:.0f} kB ({each.date})" for arm, each in forecast.opening.items() if each]
    if sizes:
        yield f"First request, measured, and read again in each call: {', '.join(sizes)}."
    short_ones = dict.fromkeys(limit.section for part in forecast.parts for limit in part.short)
    for limit in short_ones:
        if limit in forecast.too_little:
            continue
        yield f"{limit} is less than a session is estimated to cost: it would end sessions before their tasks do."


def _too_little(forecast: CellForecast) -> Iterator[str]:
    """Limits under which a program cannot ask its model once."""
    for limit in forecast.too_little:
        needs = [f"{arm} {_amount(first)}" for arm, first in forecast.first.items()]
        yield (
            f"TOO LITTLE: {limit} is less than what is set aside for the first call of a session "
            f"({', '.join(needs)}), so no session could ask its model at all; raise it."
        )


def _amount(first: Amount) -> str:
    usd = "" if first.usd is None else f"${dollars(first.usd)} or "
    return f"{usd}{short(first.tokens)} tokens"


def _dollars(guess: Guess) -> str:
    if guess.usd is None:
        return "dollars unknown, for no price is known"
    if guess.cached is None or guess.cached == guess.usd:
        return f"${dollars(guess.usd)}"
    return f"${dollars(guess.usd)}, or ${dollars(guess.cached)} where the provider caches what was read before"


def _rest(forecast: CellForecast) -> Iterator[str]:
    yield from _too_little(forecast)
    for shortfall in forecast.warned:
        yield f"Warning: {shortfall}."
    for reason in forecast.refused:
        yield f"As it is, rung run would refuse it: {reason}"
    if forecast.reruns and forecast.asks:
        yield f"Not counted: up to {forecast.reruns} reruns of an exam attempt that broke."
