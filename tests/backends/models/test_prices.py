import tomllib
from importlib import resources

import pytest

from rung.backends.models.prices import FREE, cost, known, most, source
from rung.core.config import PriceConfig
from rung.core.ports import Amount
from rung.core.values import Usage

PRICE = PriceConfig(input=2.0, output=8.0, cached=0.5, date="2026-11-30")
TABLE = tomllib.loads(resources.files("rung.backends.models").joinpath("prices.toml").read_text())


def test_a_million_tokens_of_each_kind_cost_their_prices():
    million = 1_000_000
    assert cost(Usage(million, 0), PRICE) == Amount(2.0, million)
    assert cost(Usage(0, million), PRICE) == Amount(8.0, million)
    assert cost(Usage(0, 0, million), PRICE) == Amount(0.5, million)


def test_cached_input_costs_as_input_where_the_price_does_not_say():
    assert cost(Usage(0, 0, 1_000_000), PriceConfig(input=2.0, output=8.0, date="2026-11-30")) == Amount(2.0, 1_000_000)


@pytest.mark.parametrize("usage", [None, Usage(None, 5), Usage(5, None)])
def test_half_a_usage_gives_no_cost(usage: Usage | None):
    assert cost(usage, PRICE) is None


def test_without_a_price_only_tokens_are_known():
    assert cost(Usage(5, 6, 7), None) == Amount(None, 18)
    assert most(5, 6, None) == Amount(None, 11)


def test_what_is_free_is_known_to_cost_nothing():
    assert cost(Usage(5, 6), FREE) == Amount(0.0, 11)


def test_every_known_price_is_one_and_says_its_day_and_where_it_is_from():
    prices = {model: known(model) for model in TABLE["models"]}
    assert len(prices) >= 12
    assert {price.date for price in prices.values() if price is not None} == {"2026-11-30"}
    assert all(price is not None and 0 < (price.cached or price.input) <= price.input < price.output
               for price in prices.values())  # fmt: skip
    assert source() == "as known to the authors, not fetched"


def test_a_model_reached_through_inspect_has_the_same_price():
    assert known("inspect/openai/gpt-4.1") == known("openai/gpt-4.1") == PriceConfig(
        input=2.0, output=8.0, cached=0.5, date="2026-11-30"
    )  # fmt: skip


def test_a_model_that_nobody_knows_has_no_price():
    assert known("compatible/mine") is None
