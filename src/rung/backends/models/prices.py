"""What models cost: a dated table of known prices, and the dollars and tokens of one call."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from rung.core.config import PriceConfig
from rung.core.ports import Amount
from rung.core.values import Usage

FREE = PriceConfig(input=0.0, output=0.0, date="2026-11-30")
"""The price of what runs on this machine or is scripted: tokens are counted, and no dollar is owed."""

NOTHING = Amount(0.0, 0)
"""What a try costs that the provider does not count."""

MILLION = 1_000_000


@cache
def _table() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("prices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def source() -> str:
    """Where the table's prices come from, in words."""
    return str(_table()["source"])


def known(model: str) -> PriceConfig | None:
    """The price of a model by provider and name, with the table's date; None for one that the table does not hold.

    The same model reached through Inspect has the same price.

    >>> known("openai/gpt-4.1").output, known("compatible/my-model")
    (8.0, None)
    """
    row = _table()["models"].get(model.removeprefix("inspect/"))
    return None if row is None else PriceConfig(**row, date=_table()["date"])


def cost(usage: Usage | None, price: PriceConfig | None) -> Amount | None:
    """What a call cost by its usage; None where the provider did not say how much it read and wrote.

    >>> price = PriceConfig(input=1, output=10, cached=0.1, date="2026-11-30")
    >>> cost(Usage(400_000, 10_000, cached_tokens=600_000), price)
    Amount(usd=0.56, tokens=1010000)
    """
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    read, cached, written = usage.input_tokens, usage.cached_tokens or 0, usage.output_tokens
    tokens = read + cached + written
    if price is None:
        return Amount(None, tokens)
    for_cached = price.input if price.cached is None else price.cached
    return Amount((read * price.input + cached * for_cached + written * price.output) / MILLION, tokens)


def most(read: int, written: int, price: PriceConfig | None) -> Amount:
    """The most that so many tokens can cost, whether their input comes from a cache or not."""
    if price is None:
        return Amount(None, read + written)
    dearest = max(price.input, price.cached or 0.0)
    return Amount((read * dearest + written * price.output) / MILLION, read + written)
