"""Judging against the gain that follows: found where it is, refused where steps are noise."""

import numpy as np
import pytest

from rung.core.values import Scale
from rung.findings.transitions import Course, Episode, Transition
from rung.reports.explore.couplings import ALL, coupled
from rung.reports.explore.scores import Checkpoint, Scores

EVERY = 2


def transition(said: float, earned: float) -> Transition:
    return Transition("v", "go", said, said, earned, False, "")


def course(game: str, lineage: int, agreements: list[float]) -> Course:
    """Blocks of two episodes of ten steps each, of which this share agrees."""
    episodes = []
    for block, share in enumerate(agreements):
        right = round(20 * share)
        steps = [transition(1.0, 1.0)] * right + [transition(1.0, 0.0)] * (20 - right)
        for part in (0, 1):
            number = EVERY * block + part + 1
            episodes.append(Episode(f"arm.{game}/L{lineage}/work/{number:04d}", number, tuple(steps[part::2])))
    return Course("arm", game, lineage, tuple(episodes))


def table(gains: list[list[float]], *, noise: float, rng: np.random.Generator) -> Scores:
    """Curves whose steps are these, each checkpoint measured by four episodes."""
    levels = np.cumsum(np.array(gains), axis=1)
    k, n = levels.shape
    checkpoints = [
        Checkpoint(
            EVERY * (c + 1), tuple(range(4 * c, 4 * c + 4)), levels[:, c : c + 1] + noise * rng.normal(size=(k, 4))
        )
        for c in range(n)
    ]
    return Scores(noise * rng.normal(size=(4 * n, 1)), tuple(checkpoints))


def found(
    *,
    noise: float,
    coupling: float,
    games: tuple[str, ...] = ("game-v1",),
    lineages: int = 4,
    high: float = 10.0,
    seed=7,
):
    rng = np.random.default_rng(seed)
    courses, scores = {}, {}
    for game in games:
        shares = [[round(rng.uniform(0.1, 0.9), 2) for _ in range(10)] for _ in range(lineages)]
        gains = [[coupling * (share - 0.5) + 0.2 * rng.normal() for share in row] for row in shares]
        scores["arm", game] = table(gains, noise=noise, rng=rng)
        courses |= {("arm", game, k + 1): course(game, k + 1, row) for k, row in enumerate(shares)}
    scale = Scale("u", 0.0, high)
    return coupled(courses, scores, every=EVERY, scales=dict.fromkeys(games, scale), spans=dict.fromkeys(games, 1.0))


def test_a_coupling_that_is_there_is_found_and_its_gap_has_its_sign():
    (row,) = found(noise=0.05, coupling=5.0)
    assert row.reliability > 0.9
    assert row.by_agreement.value > 0.8
    assert row.by_error.value > 0.8
    assert row.gap_agreement.value > 0
    assert (row.runs, row.blocks) == (4, 40)


def test_where_nothing_is_coupled_little_is_found_and_it_has_no_interval_with_few_lineages():
    (row,) = found(noise=0.05, coupling=0.0)
    assert abs(row.by_agreement.value) < 0.4
    assert row.by_agreement.lo is None
    assert row.by_agreement.flags == ("no interval: fewer than 20 runs",)


def test_steps_that_are_noise_make_it_not_estimable_and_never_no_coupling():
    (row,) = found(noise=5.0, coupling=0.2)
    assert row.reliability < 0.6  # as large by noise alone in more than one of twenty games of ten steps
    for each in (row.by_agreement, row.by_error, row.gap_agreement, row.gap_error):
        assert each.value is None
        assert each.flags == ("not estimable (noise in g)",)


def test_steps_of_noise_alone_are_hardly_ever_taken_for_more_though_lineages_share_it():
    taken = [found(noise=5.0, coupling=0.0, seed=seed)[0].by_agreement.value is not None for seed in range(40)]
    assert sum(taken) <= 5


def test_gains_are_over_the_width_of_the_scale():
    (wide,), (narrow,) = found(noise=0.05, coupling=5.0, high=10.0), found(noise=0.05, coupling=5.0, high=1.0)
    assert narrow.gap_agreement.value == pytest.approx(10 * wide.gap_agreement.value)
    assert narrow.by_agreement.value == pytest.approx(wide.by_agreement.value)


def test_several_games_have_a_row_each_and_one_together():
    rows = found(noise=0.05, coupling=5.0, games=("a-v1", "b-v1"))
    assert [row.game for row in rows] == ["a-v1", "b-v1", ALL]
    assert rows[2].blocks == rows[0].blocks + rows[1].blocks


def test_a_block_without_a_checkpoint_behind_it_is_left_out():
    rng = np.random.default_rng(1)
    scores = table([[1.0, 1.0, 1.0, 1.0]], noise=0.05, rng=rng)
    hole = np.full((1, 4), np.nan)
    holed = Scores(
        scores.baseline, tuple(Checkpoint(c.x, c.places, hole if c.x == 4 else c.after) for c in scores.checkpoints)
    )
    rows = {}
    for name, each in (("whole", scores), ("holed", holed)):
        (rows[name],) = coupled(
            {("arm", "game-v1", 1): course("game-v1", 1, [0.2, 0.4, 0.6, 0.8])},
            {("arm", "game-v1"): each},
            every=EVERY,
            scales={"game-v1": Scale("u", 0.0, None)},
            spans={"game-v1": None},
        )
    assert (rows["whole"].blocks, rows["holed"].blocks) == (4, 2)
    assert rows["whole"].by_error.flags == ("not estimable (no lineage has two blocks with judgements and a step)",)
