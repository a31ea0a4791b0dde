"""A crash cannot hurt: tried at every labelled place, and by SIGKILL in between."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import crash_writer
import pytest

from rung.store.journal import MemoryJournal, SqliteJournal
from rung.store.snapshots import JournalSnapshots

WRITER = [sys.executable, str(Path(crash_writer.__file__))]
LABELS = [
    "journal.commit.before",
    "journal.commit.after",
    "snapshot.before",
    "snapshot.after",
    "ref.update.before",
    "ref.update.after",
]


@pytest.mark.parametrize("how", ["inline", "group"])
@pytest.mark.parametrize("passes", [1, 5])
@pytest.mark.parametrize("label", LABELS)
def test_death_at_a_labelled_place_loses_nothing_that_was_acknowledged(
    tmp_path: Path, label: str, passes: int, how: str
):
    died = subprocess.run([*WRITER, str(tmp_path), how, label, str(passes)], stdout=subprocess.PIPE, check=False)
    assert died.returncode == -signal.SIGKILL
    check_what_is_left(tmp_path, died.stdout)


@pytest.mark.parametrize("how", ["inline", "group"])
@pytest.mark.parametrize("heard", [0, 1, 7, 19, 30])
def test_death_at_any_other_time_loses_nothing_that_was_acknowledged(tmp_path: Path, heard: int, how: str):
    with subprocess.Popen([*WRITER, str(tmp_path), how, "", "0"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        acknowledged = b"".join(writer.stdout.readline() for _ in range(heard))
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged += writer.stdout.read()
    check_what_is_left(tmp_path, acknowledged)


def check_what_is_left(folder: Path, acknowledged: bytes) -> None:
    """Sound; all that was acknowledged; of each lineage a beginning of whole steps; and going on ends as it must."""
    if (folder / "journal.sqlite").exists():
        check_soundness(folder)
        check_content(folder, acknowledged)
    subprocess.run([*WRITER, str(folder), "group", "", "0"], stdout=subprocess.DEVNULL, check=True)
    check_the_end(folder)


def check_soundness(folder: Path) -> None:
    database = sqlite3.connect(folder / "journal.sqlite")
    assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    database.close()


def check_content(folder: Path, acknowledged: bytes) -> None:
    journal = SqliteJournal(folder / "journal.sqlite")
    for line in acknowledged.decode().splitlines():
        lineage, step, snapshot = line.split()
        path = crash_writer.path_of(int(lineage), int(step))
        assert journal.get(path, "sealed") is not None, path
        assert journal.get(f"snapshot/{snapshot}", "snapshot") is not None
    for lineage in range(crash_writer.LINEAGES):
        facts = list(journal.facts(under=f"L{lineage}"))
        steps = len(facts) // 2
        whole = [(crash_writer.path_of(lineage, step), kind) for step in range(steps) for kind in ("sealed", "served")]
        assert [(fact.path, fact.kind) for fact in facts] == whole
        for fact in facts:
            if fact.kind == "sealed":
                journal.read_blob(fact.value["blob"])
    journal.close()


def check_the_end(folder: Path) -> None:
    memory = MemoryJournal()
    for lineage in range(crash_writer.LINEAGES):
        snapshot = None
        for step in range(crash_writer.STEPS):
            crash_writer.put_step(memory, lineage, step)
            snapshot = crash_writer.put_snapshot(JournalSnapshots(memory), lineage, step, snapshot)
    journal = SqliteJournal(folder / "journal.sqlite")
    assert journal.digest() == memory.digest()
    git = folder / "states.git"
    JournalSnapshots(journal, git).project()
    journal.close()
    subprocess.run(["git", "fsck", "--strict", "--full"], cwd=git, check=True, capture_output=True)
    heads = subprocess.run(["git", "for-each-ref"], cwd=git, check=True, capture_output=True, text=True).stdout
    assert len(heads.splitlines()) == crash_writer.LINEAGES


def test_the_crash_tests_would_notice_a_journal_that_loses_what_it_acknowledged(tmp_path: Path):
    subprocess.run([*WRITER, str(tmp_path), "inline", "journal.commit.after", "6"], check=False, capture_output=True)
    with pytest.raises(AssertionError):
        check_content(tmp_path, b"3 11 0000\n")


def test_a_process_that_is_never_killed_ends_the_same(tmp_path: Path):
    subprocess.run([*WRITER, str(tmp_path), "inline", "", "0"], check=True, capture_output=True)
    check_the_end(tmp_path)
