"""A model that reads text alone is given no task that shows pictures."""

from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.core.ports import Pictured
from rung.core.registry import family
from rung.protocols import forecast, launch
from rung.store import calls
from rung.store.memory import MemoryJournal


def study(family: str, *, method: str = "static", **described: Any) -> Config:
    cell = [{"family": family, "setting": "published", "count": 1}]
    document: dict[str, Any] = {
        "name": "pictures",
        "protocol": "ladder",
        "lineages": 1,
        "agent": {"kind": "chat", "model": "compatible/tiny"},
        "method": {"name": method},
        "tasks": {"schedule": cell, "holdout": cell},
        "models": {"compatible/tiny": {"base_url": "http://127.0.0.1:1/v1", "patience_seconds": 0.0, **described}},
        "budget": {"tokens": 1},
    }
    return parse(document)


def test_a_model_that_reads_text_alone_is_refused_pictures_and_told_the_text_track(tmp_path: Path):
    with pytest.raises(UsageError, match="mc-v1 shows pictures and compatible/tiny reads text alone") as refused:
        launch.run(study("mc-v1", images=False), tmp_path / "run")
    assert "use the text track mc-text-v1" in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_a_dry_run_refuses_it_too():
    with pytest.raises(UsageError, match="text track mc-text-v1"):
        forecast.make(study("mc-v1", images=False))


@pytest.mark.parametrize(
    ("game", "described"), [("mc-text-v1", {"images": False}), ("mc-v1", {}), ("mc-v1", {"images": True})]
)
def test_words_are_for_every_model_and_pictures_for_those_that_read_them(game, described):
    assert not any("pictures" in line for line in forecast.make(study(game, **described)).refused)


def test_the_text_track_of_a_pictured_family_is_a_family_without_pictures():
    pictured = family("mc-v1")
    assert isinstance(pictured, Pictured)
    assert pictured.text_track is not None
    assert not isinstance(family(pictured.text_track), Pictured)


@pytest.fixture(scope="module")
def waited() -> MemoryJournal:
    """A chat agent that only waits, three steps a task: each task looks the same from start to end."""
    document: dict[str, Any] = {
        "name": "pictures",
        "protocol": "ladder",
        "lineages": 1,
        "agent": {"kind": "chat", "model": "scripted/first", "answers": "tools", "history": 1, "max_tokens": 20},
        "method": {"name": "static"},
        "exam": {"secret": "a fixed secret for tests"},
        "tasks": {
            "schedule": [{"family": "mc-v1", "difficulty": 1, "count": 1}],
            "holdout": [{"family": "mc-v1", "difficulty": 2, "count": 1}],
        },
        "budget": {"task": {"steps": 3}},
    }
    journal = launch.simulate(parse(document), secret="a fixed secret for tests")
    assert isinstance(journal, MemoryJournal)
    return journal


def test_a_frame_is_a_fact_by_its_hash_and_is_kept_once(waited: MemoryJournal):
    steps = [fact.value for fact in waited.facts() if "images" in fact.value]
    shown = [image for step in steps for image in step["images"]]
    frames = {name: waited.read_blob(name) for name in shown}
    assert len(shown) == len(steps) >= 9  # three steps each, worked once, examined before and after
    assert len(frames) == 2  # one task is worked and one examined, and nothing moves in them
    assert all(data.startswith(b"\x89PNG") and sha256(data) == name for name, data in frames.items())


def test_a_model_is_sent_the_frame_of_the_step_and_of_the_step_before_that_it_is_shown_again(waited: MemoryJournal):
    asked = [calls.read_call(waited, fact.path, 2) for fact in waited.facts(kind=calls.kind_of_call(2))]
    assert asked
    for call in asked:
        assert call is not None
        pictures = [len(message.images) for message in call.request.messages]
        assert pictures == [0, 1, 0, 1]  # what it is told first, a step ago, what was said to it, and now
        assert call.request.messages[1].images == call.request.messages[3].images
