"""Docker, held to what it asks of an engine. None answers here but a script that writes down what it is asked."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from backends.sandbox.confining import python, ran
from rung.backends.sandbox.docker import Docker
from rung.core.confined import Bind, Bounds, Fork, Given, Program, Scratch
from rung.core.errors import InstrumentFault, UsageError

ROOT_ALONE = "listeners inside a container are opened by root on Linux alone"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("fake_docker.py"), folder / "docker")
    (folder / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def asked(engine: Path) -> list[list[str]]:
    return [json.loads(line) for line in (engine / "asked.jsonl").read_text().splitlines()]


def of_flag(words: list[str], flag: str) -> list[str]:
    return [value for name, value in pairwise(words) if name == flag]


def no_command(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


def no_engine(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (engine / "no-engine").touch()


def no_root(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rung.backends.sandbox.docker.os.geteuid", lambda: 1000)


@pytest.mark.parametrize(
    ("lack", "said"),
    [
        (no_command, "docker is not on the PATH: install Docker Engine"),
        (no_engine, "no engine answers the docker command: start one, or use bubblewrap (seen: Cannot connect"),
        (no_root, ROOT_ALONE),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_started(
    lack: Callable[[Path, pytest.MonkeyPatch], None], said: str, engine: Path, monkeypatch: pytest.MonkeyPatch
):
    lack(engine, monkeypatch)
    docker = Docker("an-image")
    assert docker.probe().missing[0].startswith(said)
    with pytest.raises(InstrumentFault, match="nothing runs unconfined here"):
        asyncio.run(docker.start(Program(("true",))))


def test_an_image_that_is_not_there_is_not_fetched_behind_your_back(engine: Path):
    if os.geteuid() != 0:
        return
    assert Docker("another").probe().missing == ("the image another is not on this machine: docker pull another",)
    assert not [words for words in asked(engine) if words[0] == "pull"]


def test_a_container_is_asked_for_with_nothing_that_it_could_use_against_us(engine: Path, tmp_path: Path, monkeypatch):
    if os.geteuid() != 0:
        return
    monkeypatch.setenv("A_KEY", "secret")
    for name in ("lower", "upper", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "lower" / "f").write_text("kept")
    mounts = (
        Fork(tmp_path / "lower", tmp_path / "upper", "/workspace"),
        Bind(tmp_path / "there", "/there"),
        Given(b"seven", "/given"),
        Scratch("/scratch", 3),
    )
    bounds = Bounds(memory_mb=100, processes=20, open_files=30, file_mb=1, cpu_seconds=9)
    code = "import os, sys; print('A_KEY' in os.environ, os.environ['HOME'], sys.stdin.read()); sys.exit(3)"
    seen = ran(Docker("an-image"), python(code, *mounts, bounds=bounds, stdin=b"given"))
    words = next(words for words in asked(engine) if "--name" in words)
    assert (seen.ended.reason, seen.ended.status) == ("exited", 3)
    assert seen.out == "False /home/agent given\n"
    assert of_flag(words, "--network") == ["none"]
    assert of_flag(words, "--cap-drop") == ["ALL"]
    assert of_flag(words, "--security-opt") == ["no-new-privileges"]
    assert (of_flag(words, "--pids-limit"), of_flag(words, "--memory")) == (["20"], ["100m"])
    assert of_flag(words, "--ulimit") == ["nofile=30", "fsize=1048576", "core=0", "cpu=9"]
    assert of_flag(words, "--user")[0].startswith("60")
    assert "--read-only" in words
    assert "--privileged" not in words
    assert f"type=bind,source={tmp_path}/upper,target=/workspace" in words
    assert f"type=bind,source={tmp_path}/there,target=/there,readonly" in words
    assert (tmp_path / "upper" / "f").read_text() == "kept"
    assert seen.ended.enforced_by["memfd"] == "cgroup"


def test_a_container_is_removed_however_its_program_ends(engine: Path):
    if os.geteuid() != 0:
        return
    ended = ran(Docker("an-image"), python("import time; time.sleep(3600)", bounds=Bounds(seconds=0.5))).ended
    name = of_flag(next(words for words in asked(engine) if "--name" in words), "--name")[0]
    assert ended.reason == "wall_clock"
    assert ["rm", "--force", name] in asked(engine)


def test_a_path_that_docker_would_read_as_an_option_is_refused(engine: Path, tmp_path: Path):
    if os.geteuid() != 0:
        return
    with pytest.raises(UsageError, match="path with a comma"):
        asyncio.run(Docker("an-image").start(Program(("true",), {}, (Bind(tmp_path / "a,readonly", "/x"),))))
