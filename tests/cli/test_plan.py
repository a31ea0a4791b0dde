import json
import re
from pathlib import Path

import pytest

from rung.protocols import registered

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "planning.md").read_text()
SCREEN = 80
NAME = registered.NAME


@pytest.fixture
def piloted(rung, study) -> str:
    """A quick look at the study, as a pilot."""
    assert rung("run", "study.toml", "--quick", "--out", "pilot").exit == 0
    return "pilot"


def test_a_plan_writes_nothing(rung, study, piloted, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    said = rung("plan", "study.toml", "--pilot", piloted)
    assert (said.exit, said.err) == (0, "")
    assert sorted(tmp_path.rglob("*")) == before


def test_it_says_use_power_the_next_step_and_what_it_rests_on_in_eighty_columns(rung, study, piloted):
    lines = rung("plan", "study.toml", "--pilot", piloted).out.splitlines()
    assert max(map(len, lines)) <= SCREEN
    assert lines[0] == "Small study: what it will use (90% ranges); nothing was started"
    assert lines[2].split() == ["low", "expected", "high"]
    assert [line.split()[0] for line in lines[3:6]] == ["attempts", "actions", "hours"]
    heads = [line for line in lines if line and not line.startswith((" ", "-"))]
    assert "Smallest gains found with 80% power, two-sided 5% (2 lineages)" in heads
    assert "Where the next 1,000 actions buy most: one more" in heads
    assert "What this rests on" in heads
    assert "- None: two lineages carry no verdict." in lines


def test_without_a_pilot_it_says_that_it_guesses(rung, study):
    said = rung("plan", "study.toml").out
    assert said.startswith("Small study: what it will use (a guess without a pilot); nothing was started")
    assert "- Unknown: hours: there is no pilot." in said
    assert "Use is a prior and no measurement" in said


def test_what_a_budget_covers_is_said(rung, study, piloted):
    chat = ("--set", "agent.kind=chat", "--set", "agent.model=scripted/first", "--set", "method.name=static")
    plain = re.sub(r"base = .*\nrate = .*\n", "", study.read_text())
    study.write_text(plain)
    assert rung("run", "study.toml", *chat, "--out", "talk").exit == 0
    for calls, said in ((5, "is less than expected"), (10**6, "covers it")):
        found = rung("plan", "study.toml", *chat, "--pilot", "talk", "--set", f"budget.calls={calls}").out
        assert f"[budget] calls = {calls:,g} {said}." in found


def test_json_has_every_number(rung, study, piloted):
    told = json.loads(rung("plan", "study.toml", "--pilot", piloted, "--power", "0.9", "--json").out)
    assert (told["power"], told["range"], told["lineages"], told["registered"]) == (0.9, 0.9, 2, None)
    attempts = told["use"]["attempts"]
    assert attempts["low"] == attempts["expected"] == attempts["high"] == 2 * 2 * 5 + (1 + 2) * 5
    assert {row["level"] for row in told["rows"]} == {"G0", "G1", "G4"}
    assert told["rows"][1]["detectable"][0]["why"] == "two lineages carry no verdict"
    assert {step["what"] for step in told["next"]} == {"task", "lineage", "repeat", "baseline repeat"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--power", "1"], "power is a share from 0.5 up and below 1, seen 1.0"),
        (["--margin", "G1=0.1"], "--margin is a promise: give --register as well"),
        (["--margin", "G7=0.1", "--register"], "--margin takes LEVEL=GAIN, such as G1=0.05, seen 'G7=0.1'"),
        (["--margin", "G1=much", "--register"], "seen 'G1=much'"),
        (["--margin", "G1=-1", "--register"], "seen 'G1=-1'"),
        (["--pilot", "nowhere"], "nowhere"),
        (["--set", "lineages=0"], "lineages"),
        (["--set", "protocol=cell", "--set", "agent.kind=command:claude-code"], "protocol"),
    ],
)
def test_what_cannot_be_is_refused(rung, study, arguments, said):
    found = rung("plan", "study.toml", *arguments)
    assert found.exit == 2
    assert said in found.err
    assert not Path(NAME).exists()


# --------------------------------------------------------------------------------------------- a promise


def test_a_registered_plan_is_written_taken_and_held_against_the_run(rung, study, piloted):
    told = json.loads(rung("plan", "study.toml", "--pilot", piloted, "--register", "--json").out)
    assert told["registered"] == {"file": NAME, "sha256": json.loads(Path(NAME).read_text())["sha256"]}
    done = rung("run", "study.toml", "--plan", NAME, "--out", "held")
    line = f"registered beforehand: yes ({told['registered']['sha256'][:16]}...), kept"
    assert done.exit == 0
    assert line in done.out
    assert line in rung("report", "held", "--markdown").out
    assert rung("run", "study.toml", "--out", "plain").exit == 0
    digests = [rung("digest", run).out for run in ("held", "plain")]
    assert digests[0] != digests[1]


def test_the_command_that_resumes_names_the_plan(rung, study):
    assert rung("plan", "study.toml", "--register").exit == 0
    done = rung("run", "study.toml", "--plan", NAME, "--set", "budget.seconds=0.000001")
    assert f"--plan {NAME}" in done.err


def test_the_same_plan_again_is_nothing_and_another_is_refused(rung, study):
    first = rung("plan", "study.toml", "--register")
    text = Path(NAME).read_text()
    assert rung("plan", "study.toml", "--register") == first
    found = rung("plan", "study.toml", "--register", "--power", "0.9")
    assert found.exit == 2
    assert f"{NAME} holds another registered plan and is left as it is; move it away to register anew" in found.err
    assert Path(NAME).read_text() == text


def test_an_edited_plan_and_one_for_another_config_are_refused_and_nothing_is_started(rung, study):
    assert rung("plan", "study.toml", "--register").exit == 0
    other = rung("run", "study.toml", "--plan", NAME, "--set", "lineages=3", "--out", "other")
    assert other.exit == 2
    assert "--plan is for another config" in other.err
    Path(NAME).write_text(Path(NAME).read_text().replace('"lineages":2', '"lineages":3'))
    edited = rung("run", "study.toml", "--plan", NAME, "--out", "other")
    assert edited.exit == 2
    assert "was edited after it was registered" in edited.err
    assert not Path("other").exists()


def test_a_run_that_has_begun_takes_no_plan(rung, study, finished):
    assert rung("plan", "study.toml", "--register").exit == 0
    again = rung("run", "study.toml", "--plan", NAME, "--out", finished)
    assert again.exit == 2
    assert "begun without a registered plan, so none can be made beforehand" in again.err


# --------------------------------------------------------------------------------------------- the guide


def guide() -> tuple[str, str]:
    """The study of the guide, and what is printed of it."""
    found = re.search(r"Of this study\n\n```toml\n(.*?)```\n.*?says\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1], found[2]


def test_the_plan_in_the_guide_is_the_one_that_is_printed(rung):
    study, shown = guide()
    Path("rung.toml").write_text(study)
    assert rung("run", "rung.toml", "--quick", "--out", "pilot").exit == 0
    said = rung("plan", "rung.toml", "--pilot", "pilot").out
    lines = [
        line.split() for line in said.splitlines() if not line.startswith("hours ")
    ]  # as wide as this machine is fast
    assert lines == [line.split() for line in shown.splitlines()]


def test_the_commands_in_the_guide_run(rung):
    Path("rung.toml").write_text(guide()[0].replace("count = 20", "count = 6"))
    commands = re.findall(r"^rung .*$", "\n".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)), re.MULTILINE)
    assert [rung(*command.split()[1:]).exit for command in commands] == [0] * len(commands)
