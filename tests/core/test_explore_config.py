"""`[explore]` says what is explored; tasks and arms follow from it."""

from typing import Any

import pytest

from rung.core.config import Config, parse
from rung.core.errors import UsageError

HOW = {"games": ["trust-v1", {"family": "farm-v1", "explore": "d2", "evaluate": "d4"}], "pathways": ["history"]}


def config(how: dict[str, Any] | None = None, **changes: Any) -> Config:
    agent = {"kind": "chat", "model": "scripted/echo"}
    document = {"name": "e", "protocol": "explore", "agent": agent, "explore": {**HOW, **(how or {})}, **changes}
    return parse({key: value for key, value in document.items() if value is not None})


def refusal(how: dict[str, Any] | None = None, **changes: Any) -> str:
    with pytest.raises(UsageError) as refused:
        config(how, **changes)
    return str(refused.value)


def test_the_paper_is_the_default():
    how = config().explore
    assert how is not None
    assert (how.episodes, how.checkpoint_every, how.checkpoint_episodes, how.baseline_episodes) == (30, 3, 3, 30)
    assert (how.steps, how.output_tokens, how.input_tokens) == (64, 14_000, 100_000)


def test_each_game_is_worked_and_sealed_on_its_two_settings():
    tasks = config().tasks
    assert [(block.label, block.count) for block in tasks.schedule] == [("trust-v1 explore", 30), ("farm-v1 d2", 30)]
    assert [(block.label, block.count) for block in tasks.holdout] == [("trust-v1 evaluate", 30), ("farm-v1 d4", 30)]
    assert tasks.self_score


def test_checkpoints_that_take_more_than_the_baseline_have_as_many_tasks():
    assert config({"checkpoint_episodes": 5}).tasks.holdout[0].count == 50


def test_a_task_that_is_played_twice_is_drawn_once():
    assert config({"plays": 2}).tasks.schedule[0].count == 15


def test_pathways_are_short_for_arms():
    whole = config({"pathways": ["history", "summary"]})
    assert [(arm.name, arm.method.name) for arm in whole.every_arm() if arm.method] == [
        ("history", "history"),
        ("summary", "summary"),
    ]
    assert whole == config(
        {"pathways": None}, arms=[{"name": n, "method": {"name": n}} for n in ("history", "summary")]
    )


def test_each_judge_adds_an_arm_beside_each():
    how = {"judges": ["verdict", "model"], "judge": "scripted/first"}
    assert [arm.name for arm in config(how).every_arm()] == ["history", "history-verdict", "history-model"]
    assert config(how).models_used() == ("scripted/echo", "scripted/first")


def test_what_was_resolved_reads_back_as_the_same():
    whole = config({"judges": ["noise"]}, controls=["discard"])
    assert parse(whole.model_dump(mode="json")) == whole


def test_other_studies_have_no_word_of_it_in_their_identity():
    tasks = {"schedule": [{"family": "farm-v1", "difficulty": 1, "count": 1}]}
    tasks["holdout"] = tasks["schedule"]
    ladder = parse({"name": "l", "protocol": "ladder", "agent": {"kind": "phantom:static"},
                    "method": {"name": "phantom"}, "tasks": tasks})  # fmt: skip
    assert "explore" not in ladder.identity()
    assert "explore" in config().identity()


@pytest.mark.parametrize(
    ("how", "changes", "said"),
    [
        ({"games": []}, {}, "explore.games"),
        ({"games": ["trust-v1", "trust-v1"]}, {}, "explore: games names 'trust-v1' twice; name each game once"),
        ({"episodes": 31}, {}, "episodes = 31 is no multiple of checkpoint_every = 3"),
        ({"plays": 7}, {}, "episodes = 30 is no multiple of plays = 7"),
        ({"judges": ["model"]}, {}, "judge = None: judge = \"provider/name\" is the model asked"),
        ({"judge": "scripted/first"}, {}, "judges has \"model\"; give both or neither"),
        ({"judges": ["noise", "noise"]}, {}, "judges = ['noise', 'noise'] names one twice"),
        ({"judges": ["nobody"]}, {}, "explore.judges[0]"),
        ({"epsodes": 30}, {}, "unknown key 'epsodes' (seen: 30); did you mean 'episodes'?"),
        ({"steps": 0}, {}, "explore.steps"),
        ({"pathways": "history"}, {}, "explore.pathways is a list of methods by name, seen 'history'"),
        ({}, {"arms": [{"name": "a"}]}, "explore.pathways is short for [[arms]], and both are given; keep one"),
        ({"pathways": None}, {"arms": [{"name": "a", "method": {"name": "static"}}]}, "which explores nothing"),
        ({}, {"agent": {"kind": "command", "command": ["x"]}}, "asks an agent step by step"),
        ({}, {"explore": None}, 'says what is explored in [explore]; give it games = ["trust-v1", ...]'),
        ({}, {"tasks": {"schedule": [{"family": "farm-v1", "difficulty": 1, "count": 9}]}}, "follows from [explore]"),
        ({}, {"tasks": {"random": True}}, "plays each task once, in order; remove replay, repeat and random"),
        ({}, {"tasks": {"holdout_tasks_per_difficulty": 90}}, "the sealed tasks follow from [explore]; remove it"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_key_and_mend(how: dict[str, Any], changes: dict[str, Any], said: str):
    assert said in refusal(how, **changes)


def test_another_protocol_has_no_explore():
    blocks = [{"family": "farm-v1", "difficulty": 1, "count": 1}]
    document = {"name": "l", "protocol": "ladder", "agent": {"kind": "phantom:static"}, "method": {"name": "phantom"},
                "tasks": {"schedule": blocks, "holdout": blocks}, "explore": {"games": ["farm-v1"]}}  # fmt: skip
    with pytest.raises(UsageError, match='goes with protocol = "explore" alone; remove it'):
        parse(document)


def test_two_arms_of_one_name_are_refused_before_anything_runs():
    arms = [{"name": "a", "method": {"name": "history"}}, {"name": "a-noise", "method": {"name": "history"}}]
    assert "explore.judges adds an arm 'a-noise', which is taken" in refusal(
        {"pathways": None, "judges": ["noise"]}, arms=arms
    )
