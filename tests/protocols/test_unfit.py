"""What cannot go together is refused before anything is written, by a run and by its forecast alike."""

from pathlib import Path

import pytest

from rung.backends.models import providers as models
from rung.backends.models.local import adapter
from rung.core.config import parse
from rung.core.errors import UsageError
from rung.protocols import cell_forecast, forecast, launch

CHOOSING = {"kind": "chat", "model": "local/policy", "answers": "tools"}
LADDER = {
    "name": "s",
    "protocol": "ladder",
    "lineages": 1,
    "agent": CHOOSING,
    "method": {"name": "static"},
    "tasks": {
        "schedule": [{"family": "trust-v1", "difficulty": 1, "count": 1}],
        "holdout": [{"family": "trust-v1", "difficulty": 1, "count": 1}],
    },
}
EXPLORE = {
    "name": "s",
    "protocol": "explore",
    "lineages": 1,
    "agent": CHOOSING,
    "method": {"name": "training"},
    "explore": {"games": ["trust-v1"], "judges": ["verdict"]},
}


def at(family):
    block = {"family": family, "difficulty": 1, "count": 1}
    return {**LADDER, "tasks": {"schedule": [block], "holdout": [block]}}


def judged(judge):
    return {**EXPLORE, "explore": {"games": ["trust-v1"], "judges": ["model"], "judge": judge}}


IMPOSSIBLE = {
    "an agent in words": (
        {**EXPLORE, "agent": {**CHOOSING, "answers": "text"}},
        (
            "arm 'training': local/policy chooses among legal calls and writes no text, and agent.answers = 'text'; "
            'give [agent] answers = "tools"'
        ),
    ),
    "a method that writes": (
        {**LADDER, "method": {"name": "reflexion"}},
        (
            "arm 'reflexion': method 'reflexion bucket' has its model write, and local/policy chooses among legal "
            'calls and writes no text; give [method] model = "local/smollm2", or another that writes'
        ),
    ),
    "a judge without words": (
        judged("local/policy"),
        (
            "explore.judge = 'local/policy' chooses among legal calls and writes no judgement; give explore.judge = "
            '"local/smollm2", or another that writes'
        ),
    ),
    "calls that cannot be counted": (
        at("hero-v1"),
        "tasks: hero-v1 d1: local/policy cannot count what 'actions' of submit_actions may be",
    ),
    "pictures for who reads text": (
        {**at("mc-v1"), "agent": {**CHOOSING, "model": "local/smollm2"}},
        "tasks: mc-v1 shows pictures and local/smollm2 reads text alone; use the text track mc-text-v1",
    ),
    "a seed for who draws by none": (
        {**LADDER, "agent": {"kind": "chat", "model": "scripted/echo", "seeded": True}},
        (
            "arm 'main': agent.seeded = true, and scripted/echo draws by no seed; leave seeded out of [agent], or use "
            "a model of local/"
        ),
    ),
    "a local model that is none": (
        {**LADDER, "agent": {**CHOOSING, "model": "local/polcy"}},
        "no local model named 'polcy'; there are: local/policy, local/tiny, local/smollm2",
    ),
    "a scripted model that is none": (
        {**LADDER, "agent": {"kind": "chat", "model": "scripted/ehco"}},
        "no scripted model named 'ehco'; there are: echo, first, silent, and PATH.jsonl",
    ),
    "trials where the verdict is withheld": (
        {**EXPLORE, "agent": {"kind": "chat", "model": "scripted/echo"}, "method": {"name": "reflexion", "trials": 1}},
        "arm 'reflexion': method 'reflexion bucket' tries candidates and keeps the one that scored best",
    ),
}


CELL = {
    "name": "s",
    "protocol": "cell",
    "lineages": 1,
    "agent": {"kind": "command:codex", "model": "local/smollm2"},
    "tasks": {
        "schedule": [{"family": "toy-lock-v1", "difficulty": 1, "count": 1}],
        "holdout": [{"family": "toy-lock-v1", "difficulty": 1, "count": 1}],
    },
}


@pytest.fixture(autouse=True)
def _as_if_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rung.backends.models.local.weights.require", lambda: None)


@pytest.mark.parametrize("which", IMPOSSIBLE)
def test_what_cannot_go_together_is_refused_before_anything_is_written(which: str, tmp_path: Path):
    document, said = IMPOSSIBLE[which]
    with pytest.raises(UsageError) as refused:
        launch.run(parse(document), tmp_path / "run")
    assert str(refused.value).startswith(said)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("which", IMPOSSIBLE)
def test_a_forecast_refuses_it_in_the_same_words(which: str):
    document, said = IMPOSSIBLE[which]
    with pytest.raises(UsageError) as refused:
        forecast.make(parse(document))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("document", [LADDER, at("snake-v1"), EXPLORE, judged("scripted/echo")])
def test_what_can_go_together_is_not(document):
    forecast.make(parse(document))


def test_training_that_lacks_libraries_is_refused_before_an_episode_is_played(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adapter, "LIBRARIES", ("torch_that_is_not_there",))
    document = {**EXPLORE, "agent": {**CHOOSING, "model": "local/smollm2"}}
    with pytest.raises(UsageError, match="training local/smollm2 needs packages that are not installed"):
        forecast.make(parse(document))


def test_a_stand_in_says_of_itself_what_the_model_would():
    policy, openai = models.unreached("local/policy"), models.unreached("openai/gpt-5-mini")
    assert (policy.seeded, openai.seeded) == (True, False)
    assert getattr(policy.trainable, "writes", True) is False
    assert openai.trainable is None


def test_a_known_program_over_a_model_that_cannot_choose_is_refused_before_a_session():
    with pytest.raises(UsageError, match="leaves it to its model whether to call a tool, and local/smollm2 cannot"):
        cell_forecast.make(parse(CELL))


def test_a_program_of_one_s_own_may_ask_what_it_likes_of_any_model():
    own = {"kind": "command", "command": ["python3", "-c", "pass"], "model": "local/smollm2"}
    cell_forecast.make(parse({**CELL, "agent": own}))
