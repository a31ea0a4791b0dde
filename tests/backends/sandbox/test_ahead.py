"""What is there of a sandbox before its order is whole, or whoever has an order is told what is not."""

import os
from collections.abc import Callable, Iterator

import pytest

from rung.backends.sandbox import ahead, inside, staging
from rung.backends.sandbox.ahead import Ahead
from rung.backends.sandbox.launch import Bubblewrapped
from rung.backends.sandbox.order import Order

ORDER = Order("bubblewrap", ("true",), "true", wanted=inside.Wanted(ring=True))


@pytest.fixture
def make() -> Iterator[Callable[[], Ahead]]:
    made: list[Ahead] = []

    def one() -> Ahead:
        made.append(Ahead())
        return made[-1]

    yield one
    helpers = [helper for each in made for helper in (each._outer, each._hand)]
    for helper in helpers:
        helper.link.close()  # so there is no order after all
    for helper in helpers:
        os.waitpid(helper.pid, 0)


def test_what_went_wrong_before_the_order_is_said_with_it(make: Callable[[], Ahead], monkeypatch: pytest.MonkeyPatch):
    def leave(*, as_root: bool) -> None:
        raise OSError("no network today")

    monkeypatch.setattr(staging, "leave", leave)
    with pytest.raises(OSError, match="no network today"):
        make().start(ORDER, (), None)


def test_a_network_that_was_not_left_for_is_none(make: Callable[[], Ahead], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(staging, "leave", lambda *, as_root: None)
    monkeypatch.setattr(inside, "raise_loopback", lambda: None)
    with pytest.raises(OSError, match="no network of its own"):
        make().start(ORDER, (), None)


def test_a_program_in_another_network_than_its_own_never_runs(make: Callable[[], Ahead]):
    made = make()
    assert made.network != ahead.network_of(os.getpid())
    with pytest.raises(OSError, match="another network"):
        Bubblewrapped(ORDER, made, inner=os.getpid()).check()
