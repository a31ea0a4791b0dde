"""A crash cannot hurt what was kept: tried at every labelled place, and by SIGKILL in between."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import homes_writer
import pytest

from rung.core.canonical import sha256
from rung.core.crashpoints import HOME_LABELS
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes
from rung.store.walker import remove

WRITER = [sys.executable, "-B", str(Path(homes_writer.__file__))]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "run"
    remove(tmp_path / "run")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a process keeps that is never killed."""
    done = subprocess.run([*WRITER, tmp_path_factory.mktemp("u"), "copy", "", "0"], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split()


@pytest.mark.parametrize("how", ["overlay", "copy"])
@pytest.mark.parametrize("passes", [3])
@pytest.mark.parametrize("label", HOME_LABELS)
def test_death_at_a_labelled_place_loses_nothing(
    folder: Path, undisturbed: list[str], label: str, passes: int, how: str
):
    died = subprocess.run([*WRITER, folder, how, label, str(passes)], stdout=subprocess.PIPE, check=False)
    laid = how == "overlay" or not label.startswith("home.laid")
    assert died.returncode == (-signal.SIGKILL if laid else 0)
    check_what_is_left(folder, how, died.stdout, undisturbed)


@pytest.mark.parametrize(("heard", "how"), [(0, "copy"), (1, "overlay"), (2, "copy"), (3, "overlay"), (4, "copy")])
def test_death_at_any_other_time_loses_nothing(folder: Path, undisturbed: list[str], heard: int, how: str):
    with subprocess.Popen([*WRITER, str(folder), how, "", "0"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        acknowledged = b"".join(writer.stdout.readline() for _ in range(heard))
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged += writer.stdout.read()
    check_what_is_left(folder, how, acknowledged, undisturbed)


def check_what_is_left(folder: Path, how: str, acknowledged: bytes, undisturbed: list[str]) -> None:
    """All that was acknowledged, nothing half-made in place of something; and going on ends as it must."""
    for path in (folder / "blobs").glob("*/*"):
        if re.fullmatch(r"[0-9a-f]{62}", path.name):
            assert sha256(path.read_bytes()) == path.parent.name + path.name
    homes = Homes(folder / "homes", BlobFiles(folder / "blobs"))
    for manifest in acknowledged.decode().split():
        homes.lay_out(manifest)
    done = subprocess.run([*WRITER, folder, how, "", "0"], stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().split() == undisturbed
    assert [path for path in folder.rglob("*") if path.name.startswith((".new-", ".old-"))] == []
    assert list((folder / "homes/forks").iterdir()) == []
