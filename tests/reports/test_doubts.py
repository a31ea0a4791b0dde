"""What is said against a report because models acted in it."""

from dataclasses import replace

import pytest

from rung.reports import doubts
from rung.reports.values import ModelUse, Price
from rung.reports.weaknesses import weaknesses

from . import samples

REPORT = samples.modelled()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "local/smollm2",
            "local/smollm2 is no capable player: it exercises every code path; its scores say nothing of ",
        ),
        ("scripted/first", "scripted/first says what was written down beforehand: it exercises every code path; "),
    ],
)
def test_what_is_no_player_is_said_to_be_none_before_all_else(name: str, said: str):
    found = replace(REPORT, models=(ModelUse(name, ("a acts",), (name,), None, True),))
    assert weaknesses(found)[0].startswith(said)
    assert list(doubts.of_toys(replace(REPORT, models=(ModelUse("openai/x", (), (), None, True),)))) == []


def test_a_model_that_reported_several_ids_is_named_with_them():
    (said,) = doubts.of_ids(
        replace(
            REPORT,
            models=(
                ModelUse("openai/x", (), ("x-1", "x-2"), None, True),
                ModelUse("openai/y", (), ("y",), None, True),
            ),
        )
    )
    assert said == (
        "openai/x reported 2 ids (x-1, x-2): it may have changed under the study, and a gain may be that change."
    )


def test_long_names_and_long_messages_are_bounded():
    said = weaknesses(REPORT)
    assert max(map(len, said)) < 700
    (empty,) = (text for text in said if "empty replies" in text)
    assert empty.startswith(
        "12 of 13,915 (under 1%) model calls of mirror came to nothing but empty replies. The first: “3"
    )
    assert empty.endswith("…”, exam/mirror.L1/0007/1.")


def test_answers_that_nobody_could_read_are_a_weakness_from_a_twentieth_on():
    said = [text for text in weaknesses(REPORT) if "could not be read" in text]
    (one,) = said
    assert one.startswith(
        "830 of 3,301 (25%) answers of cut while improving could not be read: a gain may be in the form of "
    )


def test_unknown_prices_and_the_days_of_known_ones_are_said():
    said = list(doubts.of_money(REPORT))
    assert any(text.startswith("No price is known of inspect/some-provider") and len(text) < 140 for text in said)
    assert said[-1].startswith("Dollars are counted by prices as of 2026-11-30; providers change prices")


def test_a_price_without_a_record_is_not_called_unknown():
    plain = ModelUse("openai/x", ("cut acts",), ("x",), None, False)
    said = list(doubts.of_money(replace(REPORT, models=(plain,))))
    assert not any("No price" in text for text in said)
    assert said[-1].startswith("Dollars are counted by prices as of a day that was not recorded")
    dated = replace(plain, price=Price(1.0, 2.0, None, "2026-01-02"), priced=True)
    assert "as of 2026-01-02" in list(doubts.of_money(replace(REPORT, models=(dated,))))[-1]


def test_limits_on_one_side_and_limited_refinements_are_said():
    said = weaknesses(REPORT)
    assert any(
        text.startswith("Limits were reached unequally on the two sides of G0, G1, G2, G3, G4 of cut") for text in said
    )
    assert "A budget ended 2 refinements of cut; its incumbent was kept there." in said
    assert any(text.startswith("The method of cut made nothing of 31 attempts") for text in said)


def test_a_quick_look_says_so_first():
    assert weaknesses(replace(REPORT, config={**REPORT.config, "quick": True}))[0].startswith("A quick look")


def test_a_fixed_secret_is_worse_with_models():
    said = " ".join(weaknesses(replace(REPORT, secret_fixed=True)))
    assert "so it is for phantoms and tests only, and says nothing that holds of inspect/some-provider" in said
