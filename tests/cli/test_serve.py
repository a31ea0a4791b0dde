"""`rung serve`, as an owner of an agent meets it: a process that prints addresses, is killed, and goes on."""

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters

from rung.backends.servers.client import VARIABLE, rung_tasks
from rung.store.journal import SqliteJournal

from .conftest import command

SERVED = """
name = "Served"
protocol = "ladder"
lineages = 1

[agent]
kind = "served"

[method]
name = "static"

[exam]
baseline_repeats = 1

[tasks]
schedule = [{ family = "toy-road-v1", difficulty = 1, count = 2 }]
holdout = [{ family = "toy-lamp-v1", difficulty = 1, count = 1 }]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "served.toml"
    file.write_text(SERVED)
    return file


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


@contextmanager
def serve(config: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    words = [command(), "serve", config.name, "--out", "run", *options]
    with subprocess.Popen(
        words, cwd=config.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def told(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """The next line that a serving process prints for machines."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read() if process.stderr is not None else ""
    found: dict[str, Any] = json.loads(line)
    return found


def facts(config: Path, kind: str) -> dict[str, Any]:
    journal = SqliteJournal(config.parent / "run" / "journal.sqlite", read_only=True)
    try:
        return {fact.path: fact.value for fact in journal.facts(kind=kind)}
    finally:
        journal.close()


Call = Callable[..., dict[str, Any]]


@contextmanager
def with_the_client_file(url: str) -> Iterator[Call]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = url
    try:
        yield lambda tool, **arguments: rung_tasks.call(tool, **arguments)
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def work_off(url: str) -> None:
    """Answer nought to everything until there are no more tasks."""
    with with_the_client_file(url) as call:
        while not (got := call("get_task")).get("done"):
            while call("answer", task=got["task"], value=0).get("ended") is False:
                pass


async def over_mcp(url: str) -> list[str]:
    """Sit an exam attempt over MCP; what its calls were answered."""
    said = []
    async with mcp.Client(url) as client:
        got = await client.call_tool("get_task", {})
        assert got.meta is not None
        while not said or said[-1] != "recorded":
            answer = await client.call_tool("answer", {"task": got.meta["data"]["task"], "value": 0})
            said.append(answer.content[0].text)  # type: ignore[union-attr]
    return said


def finish(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Sit what is served until all is done; the last line."""
    while (line := told(process))["phase"] != "done":
        asyncio.run(over_mcp(line["url"])) if line["phase"] == "exam" else work_off(line["url"])
    assert process.wait() == 0
    return line


def test_a_whole_study_is_served_and_recorded(config: Path):
    with serve(config, "--port", "0", "--json") as process:
        done = finish(process)
        err = process.stderr.read() if process.stderr is not None else ""
    assert done["run"] == "run"
    assert len(done["digest"]) == 64
    assert sorted(facts(config, "sealed")) == sorted(facts(config, "served"))
    assert Counter(path.split("/")[0] for path in facts(config, "sealed")) == {"exam": 2, "main": 2}
    assert facts(config, "attested") == {"served": {"forks": "forks attested by the user"}}
    assert err.index("Keep a copy of the agent") < err.index("Each exam address is for one fork")


def test_killed_in_the_middle_of_a_task_it_goes_on_where_it_was_and_serves_nothing_twice(config: Path):
    port = str(free_port())
    with serve(config, "--port", port, "--json") as process:
        address = told(process)["url"]
        with with_the_client_file(address) as call:
            task = call("get_task")["task"]
            assert call("answer", task=task, value=0)["ended"] is False
            process.send_signal(signal.SIGKILL)
            process.wait()
    before = facts(config, "step")
    with serve(config, "--port", port, "--json") as process:
        assert told(process)["url"] == address
        with with_the_client_file(address) as call:
            while call("answer", task=task, value=0).get("ended") is False:
                pass
        work_off(address)
        finish(process)
    assert len(before) == 1
    assert facts(config, "step").items() >= before.items()
    assert len({served["handle"] for served in facts(config, "served").values()}) == 4
    assert {sealed["score"] for sealed in facts(config, "sealed").values()} == {0.0}
    assert facts(config, "stray") == {}


def test_interrupted_it_says_how_to_go_on(config: Path):
    port = str(free_port())
    with serve(config, "--port", port) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"work  main/L1  http://127.0.0.1:{port}/s/")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err.splitlines()[-1] == f"rung serve served.toml --out run --port {port}"


def test_phases_can_be_ended_as_they_stand(config: Path):
    with serve(config, "--port", "0", "--finish", "work", "--finish", "exam") as process:
        out, _ = process.communicate()
    assert (process.returncode, out) == (0, "done; for the report: rung report run\n")
    assert {each["fault"]["detail"] for each in facts(config, "sealed").values()} == {"the task was never served"}


def test_an_address_is_handed_on_over_stdio(config: Path):
    async def through(url: str) -> Any:
        program = StdioServerParameters(command=command(), args=["serve", "--stdio", url], env=dict(os.environ))
        async with mcp.Client(program) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, await client.call_tool("get_task", {}), await client.call_tool("answer", {"task": "t"})

    with serve(config, "--port", "0", "--json") as process:
        names, got, bad = asyncio.run(through(told(process)["url"]))
    assert names == ["get_task", "answer", "queue_info"]
    assert got.meta["data"]["task"] in got.content[0].text
    assert (bad.is_error, bad.content[0].text) == (True, "no task in flight with handle 't'; get a task first")


# ---------------------------------------------------------------------------------------------- what cannot be


def test_a_port_that_is_taken_is_said(rung: Any, config: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = rung("serve", "served.toml", "--port", str(taken.getsockname()[1]))
    assert said.exit == 2
    assert "cannot be had (Address already in use); give another --port" in said.err


def test_a_fixed_secret_is_refused(rung: Any, config: Path):
    said = rung("serve", "served.toml", "--port", "0", "--set", "exam.secret=x")
    assert said.exit == 2
    assert "exam.secret is fixed to 'x'" in said.err
    assert not (config.parent / "runs").exists()


def test_without_a_config_the_two_ways_are_said(rung: Any):
    said = rung("serve")
    assert (said.exit, said.err) == (2, "error: give a CONFIG to serve, or --stdio URL to hand an address on\n")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/s/x/mcp", "nowhere", ""])
def test_an_address_where_nothing_is_served_is_said(rung: Any, url: str):
    said = rung("serve", "--stdio", url)
    assert said.exit == 2
    assert f"nothing is served at {url!r}" in said.err


CELL = """
name = "Served cell"
protocol = "cell"
lineages = 1

[agent]
kind = "served"

[tasks]
schedule = [{ family = "toy-road-v1", difficulty = 1, count = 2 }]
holdout = [{ family = "toy-lamp-v1", difficulty = 1, count = 1 }]
"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    file = tmp_path / "cell.toml"
    file.write_text(CELL)
    return file


def test_a_cell_is_served_too_and_its_report_says_whose_word_it_is(cell: Path, rung):
    with serve(cell, "--port", "0", "--json") as process:
        finish(process)
    assert Counter(path.split("/")[0] for path in facts(cell, "sealed")) == {"exam": 2, "served": 2}
    report = json.loads(rung("report", "run", "--json").out)
    assert report["incomplete"] == []
    assert report["attempts"] == {"planned": 4, "done": 4, "trials": 0, "reruns": 0}
    (session,) = report["programs"]["sessions"]
    assert (session["program"], session["ending"], session["worked"]) == ("served", "queue_empty", 2)
    assert report["programs"]["attested"] == "forks attested by the user"
    assert any(
        "The agent was served and not run here (forks attested by the user)" in said for said in report["weaknesses"]
    )
    assert not any("sentinel" in said for said in report["weaknesses"])
    rung("report", "run")
    page = (cell.parent / "run" / "report.html").read_text()
    assert "It was served and not run here: " in page


def test_what_a_served_agent_is_told_is_printed_and_nothing_served(cell: Path, rung):
    said = rung("serve", "cell.toml", "--instructions", "--json", "--set", "cell.first='Go.'")
    told = json.loads(said.out)
    assert told["work"].startswith("Get better.")
    assert told["exam"].startswith("There is one task for you")
    assert told["first"] == "Go."
    assert not (cell.parent / "runs").exists()


def test_a_served_agent_is_not_run(cell: Path, rung):
    assert 'kind = "served" is an agent that comes to an address: run rung serve' in rung("run", "cell.toml").err
