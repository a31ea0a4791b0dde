"""The policy in numpy: it learns what can be learned, exactly, and says when it cannot."""

import asyncio
import io
import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from rung.backends.training.choosing import choices, shares, sight
from rung.backends.training.policy import MODEL, Policy, _features, _places, dumped, loaded, newborn
from rung.core.canonical import sha256
from rung.core.errors import ModelFault, ModelUnusable
from rung.core.training import Diverged, TrainSpec
from rung.core.values import Call

from .lessons import COLOURS, ask, asked, colour, lessons, right

THRICE = TrainSpec(epochs=3)


def trained(examples, spec=THRICE, weights=None, first=1) -> bytes:
    policy = Policy()

    async def epochs():
        held = weights
        for number in range(first, spec.epochs + 1):
            held = (await policy.epoch(held, examples, spec, number)).weights
        return held

    return asyncio.run(epochs())


def acting(weights: bytes) -> tuple[Policy, str]:
    policy, name = Policy(), sha256(weights)
    policy.borrow({name: weights}.__getitem__)
    return policy, name


def test_it_learns_what_it_was_shown_and_answers_unseen_requests_by_it():
    policy, name = acting(trained(lessons(300)))
    unseen = lessons(200, start=1000)
    assert right(policy, unseen) < 0.6
    assert right(policy, unseen, weights=name) > 0.95


def test_untrained_it_plays_nearly_at_random_and_thinks_of_no_two_calls_alike():
    drawn = ask(Policy(), *(asked("It is red.", temperature=1.0, seed=n) for n in range(600)))
    assert all(120 < sum(colour(each) == name for each in drawn) < 280 for name in COLOURS)
    table = newborn()
    assert len(set(table.tolist())) > 0.99 * len(table)
    assert abs(float(table.mean())) < 1e-3


def test_equal_examples_give_equal_bytes_and_another_seed_gives_others():
    first, again = trained(lessons(40)), trained(lessons(40))
    assert first == again
    assert first != trained(lessons(40), TrainSpec(epochs=3, seed=1))
    assert first != trained(lessons(41))


PRINT = """
import asyncio
from rung.backends.training.policy import Policy
from rung.core.canonical import sha256
from rung.core.training import Example, TrainSpec
from rung.core.values import Call, Message, ModelRequest, Tool
tool = Tool("go", "", {"properties": {"to": {"enum": ["a", "b"]}}})
examples = [
    Example(ModelRequest((Message("user", f"go {n % 2}, {n}"),), "agent", (tool,)), Call("go", {"to": "ab"[n % 2]}))
    for n in range(40)
]
print(sha256(asyncio.run(Policy().epoch(None, examples, TrainSpec(), 1)).weights))
"""


def test_another_process_under_another_hash_seed_comes_to_the_same_bytes():
    digests = [
        subprocess.run(
            [sys.executable, "-c", PRINT],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(digests[0].strip()) == 64
    assert digests[0] == digests[1]


def test_epochs_in_two_goes_come_to_what_they_come_to_in_one():
    spec = TrainSpec(epochs=3)
    half = trained(lessons(40), TrainSpec(epochs=1))
    assert trained(lessons(40), spec, half, first=2) == trained(lessons(40), spec)


def test_weights_are_read_back_bit_for_bit():
    weights = trained(lessons(40))
    table = loaded(weights)
    assert dumped(table) == weights
    assert weights[:6] == b"\x93NUMPY"
    policy, name = acting(weights)
    other, same = acting(dumped(table))
    requests = [replace(each.request, temperature=1.0) for each in lessons(20, start=50)]
    assert ask(policy, *(replace(each, weights=name) for each in requests)) == ask(
        other, *(replace(each, weights=same) for each in requests)
    )


def test_one_step_goes_down_the_gradient_of_the_loss_by_finite_differences():
    """Of one example every feature is in half of one more than there are, so each moves by half the rate."""
    example = lessons(1)
    before = loaded(None).astype(np.float64)
    after = loaded(trained(example, TrainSpec(rate=0.01))).astype(np.float64)
    touched = np.flatnonzero(before != after)
    assert len(touched) > 3 * len(COLOURS)
    for place in touched[:: len(touched) // 12]:
        up, down = before.copy(), before.copy()
        up[place] += 1e-4
        down[place] -= 1e-4
        slope = (_loss(example[0], up) - _loss(example[0], down)) / 2e-4
        assert after[place] - before[place] == pytest.approx(-0.01 / 2 * slope, rel=1e-3, abs=1e-8)


def _loss(example, table) -> float:
    """Minus the logarithm of the chance that a table gives the right call."""
    calls = choices("m", example.request.tools)
    scores = table[_places(_features(sight(example.request)), calls)].sum(axis=1)
    return -math.log(shares(scores.tolist())[COLOURS.index(example.answer.arguments["colour"])])


def test_the_loss_is_the_mean_of_minus_the_logarithm_of_the_right_chance():
    example = lessons(1)
    epoch = asyncio.run(Policy().epoch(None, example, TrainSpec(), 1))
    assert epoch.loss == pytest.approx(_loss(example[0], loaded(None).astype(np.float64)), rel=1e-9)


def test_a_rate_that_is_too_high_is_said_and_the_rate_named():
    with pytest.raises(Diverged, match=r"no numbers any more in epoch 1 .*lower the rate \(now 1e\+308\)"):
        trained(lessons(40), TrainSpec(rate=1e308))


def test_an_example_that_answers_no_legal_call_is_a_fault():
    wrong = replace(lessons(1)[0], answer=Call("paint", {"colour": "pink"}))
    with pytest.raises(ModelFault, match="legal calls alone"):
        trained([wrong])


@pytest.mark.parametrize(
    "weights",
    [b"", b"\x80\x04\x95 a pickle", dumped(np.zeros(3, np.float32)), dumped(np.full(1 << 15, np.nan, np.float32))],
)
def test_bytes_that_are_no_weights_of_it_stop_the_run(weights: bytes):
    policy, name = acting(weights)
    with pytest.raises(ModelUnusable, match="local/policy"):
        ask(policy, asked("x", weights=name))


def test_a_pickle_in_an_npy_file_is_never_loaded():
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([1, None], dtype=object), allow_pickle=True)
    policy, name = acting(file.getvalue())
    with pytest.raises(ModelUnusable, match="no weights of it"):
        ask(policy, asked("x", weights=name))


def test_weights_without_a_place_to_read_them_from_stop_the_run():
    with pytest.raises(ModelUnusable, match="not told where weights are kept"):
        ask(Policy(), asked("x", weights="0" * 64))


def test_it_reports_one_id_whatever_it_was_trained_to():
    policy, name = acting(trained(lessons(5)))
    assert {reply.model for reply in ask(policy, asked("x"), asked("x", weights=name))} == {MODEL}
