"""SelfImprove-Bench, Appendix A.1 and A.2, rule by rule; every expected order is worked out by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.config import Block, TasksConfig
from rung.core.errors import InstrumentFault
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.tasks import keys, sequence
from rung.tasks.sequence import Entry, Held, insert_replays

LOCK = {"family": "toy-lock-v1", "difficulty": 1}
LAMP = {"family": "toy-lamp-v1", "difficulty": 2}
TINY = {"family": "toy-lock-v1", "setting": "tiny"}  # holds 8 distinct instances


def order(*blocks: tuple[int, bool], interval: int, lag: int) -> str:
    """The assembled sequence of blocks (count, replay): non-replay tasks by number, replays as r and number."""
    names = iter(range(1, 1000))
    pools = [(Block(**LOCK, count=count, replay=on), [next(names) for _ in range(count)]) for count, on in blocks]
    placed = insert_replays(pools, interval=interval, lag=lag)
    return " ".join(f"r{task}" if purpose == "replay" else f"{task}" for task, purpose in placed)


def plan(*, seed: str = "7", exam: str = "1", lineages: int = 1, **tasks: Any) -> Held:
    settings = TasksConfig.model_validate(
        {"schedule": [{**LOCK, "count": 4}], "holdout": [{**LOCK, "count": 3}], **tasks}
    )
    return sequence.plan(settings, root=Seed(seed), holdout_root=Seed(f"exam {exam}"), lineages=lineages)


REPLAYED = {"schedule": [{**LOCK, "count": 6, "replay": True}], "replay": {"interval": 2, "lag": 2}}


def ids(entries: Any) -> list[str]:
    return [(entry.task if isinstance(entry, Entry) else entry).id for entry in entries]


def contents(tasks: Any) -> list[str]:
    key = keys.key("toy-lock-v1")
    return [key.fingerprint(entry.task if isinstance(entry, Entry) else entry) for entry in tasks]


def instances(held: Held) -> set[str]:
    return {content for entries in held.lineages for content in contents(entries)}


def stale(held: Held) -> dict[str, int]:
    return {pool.pool: pool.stale for pool in held.freshness}


# ---------------------------------------------------------------------------------------------- A.2: insertion


@pytest.mark.parametrize(
    ("count", "interval", "lag", "expected"),
    [
        (3, 1, 1, "1 2 r1 3 r2"),
        (5, 2, 1, "1 2 r1 3 4 r3 5"),
        (6, 2, 2, "1 2 3 4 r2 5 6 r4"),
        (7, 3, 1, "1 2 3 r2 4 5 6 r5 7"),
        (6, 2, 3, "1 2 3 4 r1 5 6 r3"),
        (10, 5, 5, "1 2 3 4 5 6 7 8 9 10 r5"),
        (9, 5, 5, "1 2 3 4 5 6 7 8 9"),
        (4, 9, 1, "1 2 3 4"),
        (4, 1, 3, "1 2 3 4 r1"),
    ],
)
def test_replays_in_one_block(count: int, interval: int, lag: int, expected: str):
    assert order((count, True), interval=interval, lag=lag) == expected


def test_interval_and_lag_count_over_all_blocks():
    assert order((3, True), (3, True), interval=2, lag=3) == "1 2 3 4 r1 5 6 r3"


def test_only_the_current_block_s_flag_counts_and_the_replayed_task_may_come_from_any():
    assert order((3, True), (2, False), (3, True), interval=2, lag=2) == "1 2 3 4 5 6 r4 7 8 r6"


def test_a_block_without_the_flag_gets_no_replay_of_earlier_tasks_either():
    assert order((4, True), (4, False), interval=2, lag=1) == "1 2 r1 3 4 r3 5 6 7 8"


def test_no_replay_while_history_is_insufficient():
    assert order((4, True), interval=2, lag=4) == "1 2 3 4"
    assert order((4, True), interval=4, lag=4) == "1 2 3 4"


def test_the_rule_applies_after_the_final_task_too():
    assert order((4, True), interval=4, lag=1) == "1 2 3 4 r3"


def test_no_replay_completes_a_partial_interval():
    assert order((5, True), interval=4, lag=1) == "1 2 3 4 r3 5"


@pytest.mark.parametrize(("interval", "lag"), [(0, 0), (2, 0), (0, 2)])
def test_replay_is_off_unless_interval_and_lag_are_positive(interval: int, lag: int):
    assert order((4, True), interval=interval, lag=lag) == "1 2 3 4"


def test_replays_count_neither_for_interval_nor_for_lag():
    assert order((6, True), interval=1, lag=2) == "1 2 3 r1 4 r2 5 r3 6 r4"


@given(
    st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=5), st.integers(0, 5), st.integers(0, 5)
)
def test_the_rule_of_the_paper_holds_for_any_blocks(blocks: list[tuple[int, bool]], interval: int, lag: int):
    flags = [on for count, on in blocks for _ in range(count)]
    expected = []
    for n, on in enumerate(flags, 1):
        expected.append(f"{n}")
        if on and interval > 0 and lag > 0 and n % interval == 0 and n > lag:
            expected.append(f"r{n - lag}")
    assert order(*blocks, interval=interval, lag=lag) == " ".join(expected)


# ---------------------------------------------------------------------------------------------- A.2: in a sequence


def test_a_replay_is_the_original_instance_and_names_its_first_play():
    (entries,) = plan(**REPLAYED).lineages
    assert [(entry.position, entry.purpose, entry.first) for entry in entries if entry.purpose == "replay"] == [
        (5, "replay", 2),
        (8, "replay", 4),
    ]
    assert [entries[4].task, entries[7].task] == [entries[1].task, entries[3].task]


def test_a_count_leaves_replays_out():
    (entries,) = plan(**REPLAYED).lineages
    assert sum(entry.purpose == "work" for entry in entries) == 6


def test_random_shuffles_the_assembled_sequence_with_its_replays():
    (fixed,) = plan(**REPLAYED).lineages
    (shuffled,) = plan(**REPLAYED, random=True).lineages
    assert sorted((entry.task.id, entry.purpose) for entry in shuffled) == sorted(
        (entry.task.id, entry.purpose) for entry in fixed
    )
    assert ids(shuffled) != ids(fixed)
    assert [entry.position for entry in shuffled] == list(range(1, 9))


def test_a_replay_that_comes_before_its_first_play_has_no_pair():
    runs = plan(**REPLAYED, random=True, lineages=20).lineages
    replays = [(entries, entry) for entries in runs for entry in entries if entry.purpose == "replay"]
    for entries, entry in replays:
        earlier = [other.position for other in entries[: entry.position] if other.task == entry.task]
        assert entry.first == (earlier[0] if earlier[0] < entry.position else None)
    assert {entry.first is None for _, entry in replays} == {True, False}


def test_repeat_draws_one_instance_a_block_and_works_it_count_times():
    (entries,) = plan(schedule=[{**LOCK, "count": 3}, {**LAMP, "count": 2}], repeat=True).lineages
    assert [entry.task.cell for entry in entries] == ["toy-lock-v1 d1"] * 3 + ["toy-lamp-v1 d2"] * 2
    assert len(set(ids(entries))) == 2
    assert {entry.purpose for entry in entries} == {"work"}


def test_a_replay_of_a_repeated_instance_pairs_with_its_very_first_play():
    (entries,) = plan(**REPLAYED, repeat=True).lineages
    assert [entry.first for entry in entries if entry.purpose == "replay"] == [1, 1]


# ---------------------------------------------------------------------------------------------- A.1: pools


def test_blocks_are_worked_in_list_order():
    (entries,) = plan(schedule=[{**LAMP, "count": 2}, {**LOCK, "count": 1}, {**LAMP, "count": 1}]).lineages
    assert [entry.task.family[4:8] for entry in entries] == ["lamp", "lamp", "lock", "lamp"]


def test_two_blocks_of_one_cell_share_no_instance():
    (entries,) = plan(schedule=[{**LOCK, "count": 2}, {**LOCK, "count": 2}]).lineages
    assert len(set(contents(entries))) == 4


def test_splitting_a_block_changes_no_instance():
    whole, split = plan(), plan(schedule=[{**LOCK, "count": 1}, {**LOCK, "count": 3}])
    assert ids(whole.lineages[0]) == ids(split.lineages[0])


def test_the_exam_takes_the_beginning_of_its_pool():
    pool = plan(holdout=[{**LOCK, "count": 6}], holdout_tasks_per_difficulty=6)
    some = plan(holdout=[{**LOCK, "count": 2}], holdout_tasks_per_difficulty=6)
    assert ids(some.out) == ids(pool.out)[:2]


def test_the_exam_s_blocks_stand_in_list_order():
    held = plan(holdout=[{**LAMP, "count": 1}, {**LOCK, "count": 2}], holdout_tasks_per_difficulty=4)
    assert [task.cell for task in held.out] == ["toy-lamp-v1 d2", "toy-lock-v1 d1", "toy-lock-v1 d1"]


def test_the_exam_is_drawn_first_so_that_training_cannot_change_it():
    small = plan(holdout=[{**TINY, "count": 4}], schedule=[{**TINY, "count": 1}])
    large = plan(holdout=[{**TINY, "count": 4}], schedule=[{**TINY, "count": 8}], lineages=3)
    assert ids(small.out) == ids(large.out)


# ---------------------------------------------------------------------------------------------- A.1: freshness


def test_training_meets_no_content_of_the_exam_s_pool_while_there_is_other():
    held = plan(holdout=[{**TINY, "count": 4}], schedule=[{**TINY, "count": 4}], lineages=5)
    for entries in held.lineages:
        assert len({*contents(held.out), *contents(entries)}) == 8
    assert set(stale(held).values()) == {0}


def test_the_part_of_the_pool_that_is_not_examined_is_kept_out_of_training_too():
    held = plan(
        holdout=[{**TINY, "count": 1}], holdout_tasks_per_difficulty=4, schedule=[{**TINY, "count": 4}], lineages=5
    )
    full = plan(holdout=[{**TINY, "count": 4}], schedule=[{**TINY, "count": 4}])
    assert not set(contents(full.out)) & instances(held)


def test_a_family_too_small_for_its_pools_fills_them_and_is_certified_not_fresh():
    held = plan(holdout=[{**TINY, "count": 6}], schedule=[{**TINY, "count": 5}], lineages=2)
    assert stale(held) == {"holdout": 0, "L1": 3, "L2": 3}
    assert [len(entries) for entries in held.lineages] == [5, 5]
    assert len(set(ids(held.lineages[0]))) == 5  # also stale instances are drawn from seeds of their own


def test_what_one_lineage_met_is_fresh_for_another():
    held = plan(holdout=[{**TINY, "count": 1}], schedule=[{**TINY, "count": 7}], lineages=2)
    assert stale(held) == {"holdout": 0, "L1": 0, "L2": 0}


def picky(monkeypatch: pytest.MonkeyPatch, admit: Any) -> None:
    real = keys.key("toy-lock-v1")

    class Picky:
        fingerprint = staticmethod(real.fingerprint)

    Picky.admit = staticmethod(admit)
    monkeypatch.setattr(sequence.keys, "key", lambda name: Picky())


def test_only_what_the_key_admits_is_taken(monkeypatch: pytest.MonkeyPatch):
    def even(task: Task) -> bool:
        return int(task.payload["numbers"][0]) % 2 == 0

    picky(monkeypatch, even)
    held = plan(lineages=2)
    assert all(even(task) for task in (*held.out, *(entry.task for entries in held.lineages for entry in entries)))


def test_a_family_whose_key_admits_nothing_is_broken_and_says_so(monkeypatch: pytest.MonkeyPatch):
    picky(monkeypatch, lambda task: False)
    with pytest.raises(InstrumentFault, match="no instance of toy-lock-v1 d1 was admitted"):
        plan()


# ---------------------------------------------------------------------------------------------- A.1: seeds


def test_the_same_seeds_give_the_same_plan():
    assert plan(**REPLAYED, lineages=2) == plan(**REPLAYED, lineages=2)


def test_the_seed_changes_training_and_not_the_exam():
    one, two = plan(seed="7"), plan(seed="8")
    assert ids(one.out) == ids(two.out)
    assert not instances(one) & instances(two)


def test_the_holdout_seed_changes_the_exam_and_not_training():
    one, two = plan(exam="1"), plan(exam="2")
    assert one.lineages == two.lineages
    assert not set(contents(one.out)) & set(contents(two.out))


def test_neighbouring_seeds_share_no_instance():
    many = {"schedule": [{**LOCK, "count": 20}]}
    met = [instances(plan(seed=str(seed), **many)) for seed in range(10)]
    assert len(set.union(*met)) == sum(map(len, met)) == 200


def test_lineages_differ_in_every_instance():
    met = [set(contents(entries)) for entries in plan(lineages=10).lineages]
    assert len(set.union(*met)) == 40


def test_lineages_agree_in_their_order_unless_it_is_random():
    def orders(**tasks: Any) -> set[tuple[tuple[str, str], ...]]:
        runs = plan(**REPLAYED, **tasks, lineages=6).lineages
        return {tuple((entry.task.cell, entry.purpose) for entry in entries) for entries in runs}

    assert len(orders()) == 1
    assert len(orders(random=True)) > 1


def test_more_lineages_leave_the_first_ones_as_they_are():
    assert plan(lineages=5).lineages[:2] == plan(lineages=2).lineages


def test_a_longer_schedule_leaves_its_beginning_as_it_is():
    longer = plan(schedule=[{**LOCK, "count": 9}]).lineages[0]
    assert ids(longer)[:4] == ids(plan().lineages[0])
