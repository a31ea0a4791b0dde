"""Each program, as it comes from its registry: in a sandbox, over a scripted model and the tools of a stream."""

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from protocols import stage as toys
from rung.agents.command import PROGRAMS, make
from rung.agents.command.facts import Facts
from rung.backends import programs
from rung.core.proxied import Answer, Cut, Heard, Refused
from rung.core.proxied import Said as Answered
from rung.testing.toys._riddle import RiddleKey

from .nobody import NOBODY, as_nobody
from .stage import BOX, EXAM, STAND, Home, Sat, Sitting, Worker, calls, new_home, run, sit


@pytest.fixture(params=PROGRAMS)
def facts(request: pytest.FixtureRequest) -> Facts:
    """A program that is installed."""
    return installed(request.param)


def installed(name: str) -> Facts:
    found = PROGRAMS[name]
    assert found.package is not None
    if programs.version(name, found.package.name) is None or programs.node() is None:
        pytest.skip(f"{name} is not installed; `rung doctor --install-agent {name}` installs it")
    return found


# --------------------------------------------------------------------------------------------- work, and a fork

NOTES = {"claude-code": ".claude/CLAUDE.md", "codex": ".codex/AGENTS.md", "pi": ".pi/agent/AGENTS.md"}
"""What an agent may write for itself to read at the start of every session."""


def test_a_program_works_its_tasks_and_a_fork_of_it_goes_on(facts: Facts, tmp_path: Path):
    worker = Worker()
    sat = run(facts, new_home(tmp_path, {NOTES[facts.name]: "Boxes like sevens.\n"}), worker)
    is_whole(sat, facts, [1.0, 1.0])
    is_told(worker.heard[0], STAND, "Boxes like sevens.")
    offered = {tool.full for tool in worker.heard[0].tools}
    assert offered >= {"mcp__tasks__get_task", "mcp__tasks__answer", "mcp__tasks__queue_info"}
    kept = sat.left
    assert kept.home.complete
    assert facts.rules.unknown(kept.files()) == ()
    assert {facts.rules.of(path) for path in kept.files()} >= {"conversation", "files"}

    again = Worker()
    milder = make(facts.name, {"effort": "low"}).facts
    forked = run(milder, kept, again, Sitting(tasks=1, after=sat.began.session, session=1, system=EXAM))
    assert '"low"' in json.dumps(dict(forked.exchanges[0].request.head))
    is_whole(forked, facts, [1.0])
    is_told(again.heard[0], EXAM)
    assert turns(again.heard[0])[: len(turns(worker.heard[-1]))] == turns(worker.heard[-1])
    assert forked.began.session not in (None, sat.began.session)
    assert kept.untouched
    assert set(forked.left.files()) > set(kept.files())


def is_whole(sat: Sat, facts: Facts, scores: list[float]) -> None:
    """A session that ended well, of a program that tried to reach nobody it is not known for."""
    assert facts.package is not None
    assert (sat.ended.reason, sat.ended.status) == ("exited", 0), sat.errors
    assert (sat.said.over, sat.said.clean, sat.said.status, sat.said.text) == (True, True, None, "Done.")
    assert sat.scores == scores
    assert sat.began.tools in (True, None)
    assert sat.began.version in (facts.package.version, None)
    assert {exchange.came for exchange in sat.exchanges} == {"answered"}
    assert sat.network is not None
    assert sat.network.complete
    assert (sat.network.named, sat.network.bare) == ((), ())
    assert set(sat.network.asked) <= set(facts.calls)  # and of these nobody was there


def is_told(heard: Heard, *words: str) -> None:
    """Whatever its place, the model reads this."""
    whole = heard.system + "".join(turn.text for turn in heard.turns)
    assert [word for word in words if word not in whole] == []


def turns(heard: Heard) -> list[tuple[str, list[tuple[str, Mapping[str, object]]], list[str]]]:
    """What was called and what it brought; what a program adds of its own is left out."""
    said = [
        (
            turn.author,
            [(call.full, call.arguments) for call in turn.calls],
            [result.text.partition("Output:\n")[2] or result.text for result in turn.results],
        )
        for turn in heard.turns
    ]
    return [turn for turn in said if turn[1] or turn[2]]


def test_the_version_of_a_program_is_the_one_that_was_measured(facts: Facts):
    assert facts.package is not None
    assert programs.version(facts.name, facts.package.name) == facts.package.version


# --------------------------------------------------------------------------------------------- how sessions end

FAILURES: Mapping[str, Answer] = {
    "401": Refused(401, "bad key"),
    "429": Refused(429, "slow down"),
    "529": Refused(529, "overloaded"),
    "400": Refused(400, "Your credit balance is too low"),
    "refusal": Answered(("I will not.",), "refusal"),
    "cut": Cut(Answered(("This is half of",)), 4),
}
SAID: Mapping[str, Mapping[str, tuple[int, bool, int | None]]] = {
    "claude-code": {
        "401": (1, False, 401),
        "429": (1, False, 429),
        "529": (1, False, 529),
        "400": (1, False, 400),
        "refusal": (1, False, None),
        "cut": (1, False, None),
    },
    "codex": {
        "401": (1, False, 401),
        "429": (1, False, 429),
        "529": (1, False, 529),
        "400": (1, False, None),  # it prints the body of the answer and not its status
        "refusal": (0, True, None),
        "cut": (1, False, None),
    },
    "pi": {
        "401": (0, False, 401),
        "429": (0, False, 429),
        "529": (0, False, 529),
        "400": (0, False, 400),
        "refusal": (0, True, None),
        "cut": (0, False, None),
    },
}
"""The exit status, whether the transcript calls its end clean, and the status that it names."""


def test_a_transcript_says_what_it_says_and_the_gateway_what_was(facts: Facts, tmp_path: Path):
    async def ends(name: str, answer: Answer) -> Sat:
        return await sit(facts, patient(tmp_path / name), lambda heard: answer, Sitting(recorded=False))

    async def all_of_them() -> list[Sat]:
        return await asyncio.gather(*(ends(name, answer) for name, answer in FAILURES.items()))

    with toys.installed(BOX, RiddleKey(BOX)):
        found = dict(zip(FAILURES, asyncio.run(all_of_them()), strict=True))
    assert {name: (sat.ended.status, sat.said.clean, sat.said.status) for name, sat in found.items()} == SAID[
        facts.name
    ]
    assert all(sat.said.over for sat in found.values())
    assert all(sat.began.session for sat in found.values())
    came = {name: {(each.came, each.status) for each in sat.exchanges} for name, sat in found.items()}
    assert came == {
        "401": {("refused", 401)},
        "429": {("refused", 429)},
        "529": {("refused", 529)},
        "400": {("refused", 400)},
        "refusal": {("answered", 200)},
        "cut": {("cut", 200)},
    }


def patient(folder: Path) -> Home:
    """A home in which pi waits no seconds before it tries again; there is no flag for it."""
    return new_home(folder, {".pi/agent/settings.json": '{"retry": {"baseDelayMs": 1}}'})


def test_a_session_that_was_interrupted_goes_on_where_it_was(facts: Facts, tmp_path: Path):
    def interrupted(heard: Heard) -> Answer:
        return Refused(529, "overloaded") if len(worker.heard) == 2 else worker(heard)

    worker = Worker()
    first = run(facts, patient(tmp_path), interrupted, Sitting(tasks=1, recorded=False))
    assert (first.said.clean, first.said.status, first.scores) == (False, 529, [])

    again = Worker()
    sitting = Sitting(tasks=1, after=first.began.session, fork=False, session=1, recorded=False)
    second = run(facts, first.left, again, sitting)
    assert second.began.session == first.began.session
    assert turns(again.heard[0])[:2] == turns(worker.heard[1])
    assert (second.said.clean, second.scores) == (True, [1.0])


def test_claude_code_lives_on_after_its_result_while_something_runs_and_is_stopped(tmp_path: Path):
    def leaves_something_running(heard: Heard) -> Answer:
        if heard.results:
            return Answered(("Done.",))
        return calls(heard, "Bash", command="sleep 600", run_in_background=True, description="wait")

    sat = run(installed("claude-code"), new_home(tmp_path), leaves_something_running, Sitting(linger=1.0))
    assert (sat.ended.reason, sat.ended.why) == ("stopped", "it lived on after its result")
    assert (sat.said.over, sat.said.clean, sat.said.text) == (True, True, "Done.")


# --------------------------------------------------------------------------------------------- others


def test_programs_work_and_fork_for_a_user_without_rights():
    for name in PROGRAMS:
        installed(name)
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o777)
        found = json.loads(as_nobody("agents.command.stage", f"{open_to_all}/homes"))
    assert {each.pop("user") for each in found.values()} == {os.geteuid() or NOBODY}
    assert found == {
        name: {"scores": [[1.0, 1.0], [1.0]], "clean": [True, True], "untouched": True} for name in PROGRAMS
    }


OWN = """
import re, sys
from rung_tasks import call, get_task

print(open(sys.argv[1]).read())
while not (task := get_task()).get("done"):
    said = task
    while shown := re.search(r"shows ([0-9]+)", said.text):
        said = call("answer", task["task"], value=1 + int(shown[1]) % 999)
print("Done.")
"""


def test_a_program_of_ones_own_works_its_tasks_without_mcp_and_without_a_model(tmp_path: Path):
    def nobody(heard: Heard) -> Answer:
        raise AssertionError("it asked a model")

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.py").write_text(OWN)
    own = make("", {"command": ["python3", "/opt/rung/program/agent.py", "{instruction_file}"]})
    sat = run(own.facts, new_home(tmp_path), nobody, Sitting(folder=tmp_path / "mine"))
    assert (sat.ended.reason, sat.ended.status, sat.errors) == ("exited", 0, "")
    assert sat.lines[:4] == [STAND, "", "Begin.", ""]
    assert sat.said.text == "Done."
    assert sat.scores == [1.0, 1.0]
