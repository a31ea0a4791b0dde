"""Six of the fifty trials of tests/slow/test_plans.py: each is planned from a pilot of another seed, and then run."""

import pytest

from .trials import MAIN, Trial, held

QUICK = (1, 3, 4, 6, 8, 9)
"""Those whose references and episodes take a second or less."""


@pytest.fixture(scope="module")
def found() -> dict[int, dict[str, tuple[float, float, float, float, bool]]]:
    return {number: {name: tuple(rest) for name, *rest in held(Trial(number))} for number in QUICK}


def test_what_was_used_is_inside_the_range(found):
    inside = [all(of[name][-1] for name in MAIN if name in of) for of in found.values()]
    assert sum(inside) >= 5


def test_no_range_is_so_wide_that_it_says_nothing(found):
    widths = [high / low for of in found.values() for low, _, high, _, _ in of.values()]
    assert max(widths) < 3
    assert sorted(widths)[len(widths) // 2] < 1.4


def test_lengths_and_replies_truly_vary(found):
    rough = [name for of in found.values() for name, (low, _, high, _, _) in of.items() if high / low > 1.15]
    assert rough.count("actions") >= 3
    assert rough.count("tokens") >= 3
