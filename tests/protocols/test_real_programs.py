"""Whole cells of real agent programs on three real games: what they gain is what their scripted model gains, to the
last digit, whoever runs the instrument."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.command.nobody import as_nobody
from agents.command.test_programs import installed
from rung.core.errors import ModelUnusable
from rung.core.proxied import Answer, Heard, Refused

from . import real_study

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")


def is_whole(found: dict[str, Any], exams: int, tasks: int) -> None:
    """That a cell ended well, and measured what there is to measure."""
    assert found["before"] == found["poor"]
    assert found["after"] == found["good"]
    for game in {game["family"] for game in real_study.GAMES}:
        pairs = [late - early for early, late, name in _places(found) if name == game]
        assert found["gains"][game] == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
        assert len(pairs) == exams
    assert found["before"] != found["after"]  # on a single farm the plain good game may earn nothing either
    assert (found["endings"], found["worked"]) == (["queue_empty"], 3 * tasks)
    assert found["legs"] == 3 * exams * 2 + 2
    assert (found["unseen"], found["incomplete"], found["odd"]) == (0, [], [])
    assert found["versions"][0] == found["versions"][1]
    assert found["egress"].startswith(("nothing outside was reached", "3 tried outside, none let out"))
    assert found["calls"] > 3 * tasks
    assert found["tokens"] > found["calls"]


def _places(found: dict[str, Any]) -> list[tuple[float, float, str]]:
    return list(zip(found["before"], found["after"], found["families"], strict=True))


def test_a_cell_of_a_real_program_measures_what_its_model_gains(tmp_path: Path):
    installed("claude-code")
    is_whole(real_study.run(tmp_path, "claude-code", exams=1, tasks=1), exams=1, tasks=1)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["claude-code", "codex", "pi"])
def test_every_program_completes_a_cell_of_six_sealed_and_twelve_working_tasks(tmp_path: Path, program: str):
    installed(program)
    is_whole(real_study.run(tmp_path, program, exams=2, tasks=4), exams=2, tasks=4)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["claude-code", "codex", "pi"])
def test_a_user_without_any_rights_completes_it_as_well(program: str):
    installed(program)
    is_whole(json.loads(as_nobody("protocols.real_study", program, "2", "4", seconds=600)), exams=2, tasks=4)


@pytest.mark.slow
@pytest.mark.parametrize("lost", [False, True], ids=["there", "lost"])
def test_a_session_that_was_cut_off_goes_on_with_its_conversation_where_that_was_written(tmp_path: Path, lost: bool):
    """The key is not taken any more after a task; when it is again, the conversation may be gone with the machine."""
    installed("claude-code")

    def suspends(heard: Heard) -> Answer:
        return Refused(401, "bad key") if "score: " in str(heard.turns) else real_study.brain(heard)

    with pytest.raises(ModelUnusable):
        real_study.run(tmp_path, "claude-code", exams=1, tasks=1, model=suspends)
    written = list((tmp_path / "run" / "homes" / "forks").glob("*/upper/.claude/projects/*/*.jsonl"))
    assert len(written) == 1
    if lost:
        written[0].unlink()
    found = real_study.run(tmp_path, "claude-code", exams=1, tasks=1)
    assert (found["worked"], found["endings"], found["incomplete"]) == (3, ["queue_empty"], [])
    assert found["after"] == found["good"]
    assert found["went_on"] == [False, not lost]
