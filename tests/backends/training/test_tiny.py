"""The tiny causal model: it learns, is bound to the weights it is asked with, and forgets none of them on the way."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from rung.backends.training import causal
from rung.backends.training.tiny import LIBRARIES, Tiny, made, weights_of
from rung.core.canonical import sha256
from rung.core.errors import ModelUnusable, UsageError
from rung.core.training import Diverged, TrainSpec

from .lessons import ask, asked, lessons, right

torch = pytest.importorskip("torch", reason="needs pip install 'rung[train]'")
pytest.importorskip("transformers", reason="needs pip install 'rung[train]'")

SPEC = TrainSpec(epochs=6, rate=3e-3)


def epochs(model: Tiny, examples, spec=SPEC, weights=None, first=1) -> bytes:
    async def one_after_the_other():
        held = weights
        for number in range(first, spec.epochs + 1):
            held = (await model.epoch(held, examples, spec, number)).weights
        return held

    return asyncio.run(one_after_the_other())


@pytest.fixture(scope="module")
def trained() -> bytes:
    return epochs(Tiny(), lessons(240))


def acting(weights: bytes) -> tuple[Tiny, str]:
    model, name = Tiny(), sha256(weights)
    model.borrow({name: weights}.__getitem__)
    return model, name


def test_it_learns_what_it_was_shown_and_answers_unseen_requests_by_it(trained: bytes):
    model, name = acting(trained)
    unseen = lessons(60, start=1000)
    before = right(model, unseen)
    assert right(model, unseen, weights=name) > max(0.8, before + 0.3)
    assert right(model, unseen) == before


def test_weights_are_read_back_bit_for_bit(trained: bytes):
    again = made(trained)
    assert weights_of(again) == trained
    model, name = acting(trained)
    other, same = acting(weights_of(again))
    requests = [replace(each.request, temperature=1.0) for each in lessons(20, start=50)]
    assert ask(model, *(replace(each, weights=name) for each in requests)) == ask(
        other, *(replace(each, weights=same) for each in requests)
    )


def test_epochs_in_two_goes_come_to_what_they_come_to_in_one():
    examples, spec = lessons(16), TrainSpec(epochs=2)
    half = epochs(Tiny(), examples, TrainSpec(epochs=1))
    assert epochs(Tiny(), examples, spec, half, first=2) == epochs(Tiny(), examples, spec)


def test_the_same_torch_is_not_disturbed_by_making_the_model():
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    made(None)
    assert torch.equal(torch.rand(3), wanted)


def test_a_loss_that_is_no_number_is_said_with_the_place_and_the_rate():
    with pytest.raises(Diverged, match=r"the loss became nan in epoch 1, after 8 of 16 examples; .*now 1e\+30\)"):
        epochs(Tiny(), lessons(16), TrainSpec(rate=1e30))


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes")]
)
def test_memory_that_does_not_suffice_stops_the_run_so_that_it_can_be_gone_on_with(
    error: Exception, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(causal, "_loss", full)
    with pytest.raises(ModelUnusable, match=r"out of memory in local/tiny, epoch 1 of 6, batches of 8; .*run again"):
        epochs(Tiny(), lessons(16))


def test_another_error_of_torch_is_no_lack_of_memory(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(causal, "_loss", broken)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        epochs(Tiny(), lessons(16))


def _header(weights: bytes) -> bytes:
    return weights.replace(b"tiny-v1", b"huge-v1")


@pytest.mark.parametrize("spoil", [lambda w: b"", lambda w: w[:100], lambda w: b"\x80\x04\x95" + w, _header])
def test_bytes_that_are_no_weights_of_it_stop_the_run(trained: bytes, spoil: Callable[[bytes], bytes]):
    model, name = acting(spoil(trained))
    with pytest.raises(ModelUnusable, match="local/tiny"):
        ask(model, asked("x", weights=name))


def test_libraries_that_are_missing_are_named_with_the_command_that_brings_them():
    with pytest.raises(
        UsageError, match=r"local/tiny needs packages .*\(no_such_library\): pip install 'rung\[train\]'"
    ):
        causal.require("local/tiny", ["json", "no_such_library"])
    causal.require("local/tiny", LIBRARIES)
