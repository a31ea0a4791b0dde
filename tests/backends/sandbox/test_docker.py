"""Docker, held to what it asks of an engine: here a script that writes it down. A real one is met in test_engine.py."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from backends.sandbox.confining import python, ran
from rung.backends.sandbox import staging
from rung.backends.sandbox.docker import Docker
from rung.core.confined import Bind, Bounds, Fork, Given, Isolation, Program, Scratch
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


def looked_at() -> Docker:
    """One that has taken its look at the machine, which runs a container."""
    return Docker("an-image", _found=Isolation("docker"))


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
    bounds = Bounds(memory_mb=100, processes=20, open_files=30, file_mb=1, cpu_seconds=9, address_mb=999)
    code = """
import os, resource, sys
print("A_KEY" in os.environ, os.environ["HOME"], sys.stdin.read(), sorted(os.environ))
print([resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1] for name in ("NOFILE", "FSIZE", "CPU", "CORE", "AS")])
sys.exit(3)
"""
    seen = ran(looked_at(), python(code, *mounts, bounds=bounds, stdin=b"given"))
    words = next(words for words in asked(engine) if "--name" in words)
    assert (seen.ended.reason, seen.ended.status) == ("exited", 3)
    said, limits = seen.out.splitlines()
    assert said == "False /home/agent given ['HOME', 'LANG', 'PATH', 'PWD']"
    assert limits == str([30, 1 << 20, 9, 0, 999 << 20])
    assert of_flag(words, "--network") == ["none"]
    assert of_flag(words, "--cap-drop") == ["ALL"]
    assert of_flag(words, "--security-opt")[0] == "no-new-privileges"
    assert of_flag(words, "--security-opt")[1].endswith("/profile.json")
    assert (of_flag(words, "--pids-limit"), of_flag(words, "--memory")) == (["20"], ["100m"])
    assert re.fullmatch(r"(60\d{3}):\1", of_flag(words, "--user")[0])
    assert "--read-only" in words
    assert "--privileged" not in words
    assert f"type=bind,source={tmp_path}/upper,target=/workspace" in words
    assert f"type=bind,source={tmp_path}/there,target=/there,readonly" in words
    assert (tmp_path / "upper" / "f").read_text() == "kept"
    assert seen.ended.enforced_by["memfd"] == "cgroup"


def test_a_container_is_removed_however_its_program_ends(engine: Path):
    if os.geteuid() != 0:
        return
    ended = ran(looked_at(), python("import time; time.sleep(3600)", bounds=Bounds(seconds=0.5))).ended
    name = of_flag(next(words for words in asked(engine) if "--name" in words), "--name")[0]
    assert ended.reason == "wall_clock"
    assert ["rm", "--force", "--volumes", name] in asked(engine)


def test_a_path_that_docker_would_read_as_an_option_is_refused(engine: Path, tmp_path: Path):
    if os.geteuid() != 0:
        return
    with pytest.raises(UsageError, match="path with a comma"):
        asyncio.run(looked_at().start(Program(("true",), {}, (Bind(tmp_path / "a,readonly", "/x"),))))


def test_a_folder_that_its_user_could_not_read_is_refused(engine: Path, tmp_path: Path):
    if os.geteuid() != 0:
        return
    (closed := tmp_path / "closed").mkdir(mode=0o700)
    with pytest.raises(UsageError, match="closed to others: chmod o\\+rX it, or use bubblewrap"):
        asyncio.run(looked_at().start(Program(("true",), {}, (Bind(closed, "/x"),))))


def test_folders_around_a_mount_are_made_and_no_link_is_followed(tmp_path: Path):
    for name in ("home", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "home" / "file").touch()
    for path in ("a/b/mount", "link/c/mount", "file/d/mount"):
        staging.point(str(tmp_path / "home"), path)
    assert (tmp_path / "home" / "a" / "b").is_dir()
    assert not (tmp_path / "home" / "a" / "b" / "mount").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_look_at_the_machine_runs_a_container(engine: Path):
    if os.geteuid() != 0:
        return
    found = Docker("an-image").probe()
    assert (found.version, found.missing, found.forks) == ("99.1", (), "copy")
    assert found.unconfined[1] == "the paths of its writable folders on the host can be read inside"
    assert {words[0] for words in asked(engine)} == {"version", "image", "create", "start", "inspect", "rm"}
