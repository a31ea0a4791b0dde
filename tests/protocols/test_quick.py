"""A quick look at a study is a valid, small study of the same questions, and says what it changed."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.core.values import Setting, Task
from rung.protocols.quick import replays, shrink
from rung.protocols.rungs import comparisons
from rung.protocols.shortfalls import gathered, shortfalls
from rung.tasks.sequence import insert_replays

FAMILIES = ("toy-lock-v1", "toy-lamp-v1", "toy-road-v1")
LARGE = {
    "name": "Large study",
    "protocol": "ladder",
    "seed": 5,
    "lineages": 10,
    "agent": {"kind": "phantom:general"},
    "method": {"name": "phantom"},
    "exam": {"repeats": 4, "baseline_repeats": 10, "secret": "for tests"},
    "tasks": {
        "replay": {"interval": 1, "lag": 12},
        "holdout_tasks_per_difficulty": 50,
        "schedule": [
            {"family": "toy-lock-v1", "difficulty": 1, "count": 24, "replay": True},
            {"family": "toy-lock-v1", "difficulty": 2, "count": 3},
        ],
        "holdout": [{"family": "toy-lock-v1", "difficulty": 2, "count": 24}],
    },
}


def test_a_quick_look_is_small_and_says_exactly_what_it_shrank():
    small, said = shrink(parse(LARGE))
    assert said == (
        "name: 'Large study' -> 'Large study quick'",
        "lineages: 10 -> 2",
        "exam.repeats: 4 -> 1",
        "exam.baseline_repeats: 10 -> 1",
        "tasks.schedule[0] toy-lock-v1 d1 count: 24 -> 6",
        "tasks.holdout[0] toy-lock-v1 d2 count: 24 -> 4",
        "tasks.holdout_tasks_per_difficulty: 50 -> 4",
        "tasks.replay: interval 1, lag 12 -> interval 1, lag 4",
    )
    assert small.quick
    assert (small.seed, small.exam.secret, small.agent, small.method) == (
        5,
        "for tests",
        parse(LARGE).agent,
        parse(LARGE).method,
    )


def test_it_is_another_study_and_stamped_so():
    study = parse(LARGE)
    small, _ = shrink(study)
    assert small.identity()["quick"] is True
    assert "quick" not in study.identity()  # so that a study keeps the identity it had before there were quick looks


def test_a_small_study_changes_its_name_alone():
    tiny = {
        **LARGE,
        "lineages": 1,
        "exam": {},
        "tasks": {
            "schedule": [{"family": "toy-lock-v1", "difficulty": 1, "count": 2}],
            "holdout": [{"family": "toy-lock-v1", "difficulty": 1, "count": 4}],
        },
    }
    assert shrink(parse(tiny))[1] == ("name: 'Large study' -> 'Large study quick'",)


def test_a_name_of_full_length_is_cut_to_make_room():
    small, _ = shrink(parse({**LARGE, "name": "n" * 80}))
    assert small.name == "n" * 74 + " quick"


@pytest.mark.parametrize(
    ("interval", "lag", "blocks", "expected"),
    [
        (1, 3, [(20, True)], (1, 3)),  # as it is: three replays fit
        (1, 12, [(24, True)], (1, 3)),
        (5, 5, [(20, True)], (5, 3)),
        (12, 12, [(24, True)], (1, 3)),
        (2, 6, [(6, False), (20, True)], (2, 6)),
        (4, 10, [(20, True), (2, False)], (1, 4)),  # interval 4 would replay after 8 alone, where none is allowed
        (6, 1, [(6, True), (20, False)], (6, 1)),
        (7, 6, [(20, True), (20, False)], (1, 1)),  # a replay after task 7 of the full study, none after 6 of 12
    ],
)
def test_the_lag_is_adapted_so_that_something_is_still_replayed(
    interval: int, lag: int, blocks: list[tuple[int, bool]], expected: tuple[int, int]
):
    schedule = [{"family": FAMILIES[0], "difficulty": 1, "count": count, "replay": on} for count, on in blocks]
    tasks = {**LARGE["tasks"], "schedule": schedule, "replay": {"interval": interval, "lag": lag}}
    small, _ = shrink(parse({**LARGE, "tasks": tasks}))
    assert (small.tasks.replay.interval, small.tasks.replay.lag) == expected


EXPLORED = {
    "name": "Training",
    "protocol": "explore",
    "agent": {"kind": "chat", "model": "local/policy", "answers": "tools"},
    "explore": {"games": ["trust-v1"], "episodes": 48, "plays": 8, "checkpoint_every": 24, "judges": ["verdict"]},
}


@pytest.mark.parametrize(
    ("options", "section", "every"),
    [
        ({"every": 24}, {}, 2),
        ({}, {}, 2),  # three unless given
        ({"every": 1}, {}, 1),
        ({"every": 24}, {"checkpoint_every": 1}, 2),  # of two plays of a task one can be the better
        ({"every": 24}, {"episodes": 1, "plays": 1, "checkpoint_every": 1}, 1),
    ],
)
def test_what_trains_trains_before_the_first_checkpoint_of_a_quick_look(options, section, every):
    arm = {"name": "train", "method": {"name": "training", **options}}
    document = {**EXPLORED, "arms": [arm], "explore": {**EXPLORED["explore"], **section}}
    small, said = shrink(parse(document))
    assert gathered(small.arms[0].method) == every
    assert [line for line in said if "every" in line and "checkpoint" not in line] == (
        [f"arms[0].method.every: {options.get('every', 3)} -> {every}"] if options.get("every") != every else []
    )
    assert shortfalls(small) == ()
    assert shrink(small) == (small, ())


def test_a_method_of_a_ladder_gathers_no_more_than_a_quick_look_works():
    small, said = shrink(parse({**LARGE, "agent": {"kind": "chat"}, "method": {"name": "ahe", "every": 20}}))
    assert small.method.options["every"] == 9  # six of the first block and three of the second
    assert "method.every: 20 -> 9" in said


def test_tasks_that_are_played_several_times_are_so_in_a_quick_look():
    three = {**EXPLORED["explore"], "plays": 3}
    assert shrink(parse({**EXPLORED, "method": {"name": "training"}, "explore": three}))[0].explore.plays == 2


# ---------------------------------------------------------------------------------------------- any study


def cells(most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    cell = st.fixed_dictionaries({"family": st.sampled_from(FAMILIES), "difficulty": st.integers(1, 4)})
    return st.lists(cell, min_size=1, max_size=most)


@st.composite
def studies(draw: st.DrawFn) -> Config:
    """Any valid study of the toys that asks at least one question."""
    counts = st.integers(1, 40)
    schedule = [{**cell, "count": draw(counts), "replay": draw(st.booleans())} for cell in draw(cells(4))]
    unique = {(cell["family"], cell["difficulty"]): cell for cell in draw(cells(4))}
    holdout = [{**cell, "count": draw(counts)} for cell in unique.values()]
    wanted = any(block["replay"] for block in schedule)
    replay = {"interval": draw(st.integers(1, 30)), "lag": draw(st.integers(1, 60))} if wanted else {}
    pool = draw(st.none() | st.integers(max(block["count"] for block in holdout), 60))
    order = {"random": draw(st.booleans()), "repeat": draw(st.booleans())}
    tasks = {"schedule": schedule, "holdout": holdout, "replay": replay, **order}
    document = {
        **LARGE,
        "name": draw(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}", fullmatch=True)),
        "lineages": draw(st.integers(1, 20)),
        "exam": {"repeats": draw(st.integers(1, 5)), "baseline_repeats": draw(st.none() | st.integers(1, 5))},
        "tasks": {**tasks, "holdout_tasks_per_difficulty": pool},
    }
    try:
        study = parse(document)
        comparisons(study)
    except UsageError:  # a lag beyond the schedule, or an exam that asks nothing
        assume(condition=False)
    return study


@given(studies())
def test_any_study_has_a_quick_look_that_asks_the_same_and_is_no_larger(study: Config):
    small, _ = shrink(study)
    assert parse(small.model_dump(mode="json")) == small
    assert comparisons(small) == comparisons(study)
    assert small.lineages <= min(2, study.lineages)
    for before, after in ((study.tasks.schedule, small.tasks.schedule), (study.tasks.holdout, small.tasks.holdout)):
        assert [block.label for block in after] == [block.label for block in before]
        assert all(new.count <= min(old.count, 6) for old, new in zip(before, after, strict=True))
    assert (small.tasks.random, small.tasks.repeat) == (study.tasks.random, study.tasks.repeat)


@given(studies())
def test_what_replays_in_full_replays_in_a_quick_look(study: Config):
    if _inserted(study):
        assert _inserted(shrink(study)[0])


@given(studies())
def test_a_quick_look_at_a_quick_look_is_itself(study: Config):
    small, _ = shrink(study)
    assert shrink(small) == (small, ())


@given(studies())
def test_every_changed_key_is_named_and_no_other(study: Config):
    small, said = shrink(study)
    before, after = _leaves("", study.model_dump()), _leaves("", small.model_dump())
    before["exam.baseline_repeats"] = study.baseline_repeats  # what it is without being given
    changed = {key for key in before if before[key] != after[key]} - {"quick"}
    named = {line.split(": ")[0] for line in said}
    assert {key.replace(".interval", "").replace(".lag", "") for key in changed} == {
        f"{key.split(' ')[0]}.count" if key.endswith(" count") else key for key in named
    }


@given(studies())
def test_replays_are_counted_as_the_sequence_inserts_them(study: Config):
    replay = study.tasks.replay
    assert replays(study.tasks.schedule, interval=replay.interval, lag=replay.lag) == _inserted(study)


def _inserted(study: Config) -> int:
    """Replays in a sequence, as the sequence itself puts them in."""
    task = Task("toy-lock-v1", Setting("d1"), seed="s", payload={}, constants="", calls=1)
    blocks = [(block, [task] * block.count) for block in study.tasks.schedule]
    order = insert_replays(blocks, interval=study.tasks.replay.interval, lag=study.tasks.replay.lag)
    return sum(purpose == "replay" for _, purpose in order)


def _leaves(where: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {
            key: leaf for name in value for key, leaf in _leaves(f"{where}.{name}".lstrip("."), value[name]).items()
        }
    if isinstance(value, tuple) and value:
        return {
            key: leaf for place, item in enumerate(value) for key, leaf in _leaves(f"{where}[{place}]", item).items()
        }
    return {where: value}
