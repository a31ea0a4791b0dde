import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rung.core.errors import InstrumentFault, UsageError
from rung.store.mounts import file_system, read_mounts, refuse_network
from rung.store.run_directory import RunDirectory, existing, prepare

HOLD = """
import sys, time
from pathlib import Path
from rung.store.run_directory import prepare
with prepare(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return prepare(tmp_path / "run")


# ---------------------------------------------------------------------------------------------- which folder


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path):
    run = prepare(tmp_path / "runs" / "täglich 1")
    assert run.path.is_dir()
    names = [each.name for each in (run.journal, run.git, run.blobs, run.config, run.manifest, run.secret, run.report)]
    assert names == [
        "journal.sqlite",
        "states.git",
        "blobs",
        "config.resolved.json",
        "task_manifest.json",
        "secret",
        "report.html",
    ]


def test_a_run_is_opened_again_and_found_by_those_who_only_read(run: RunDirectory):
    with run.lock():
        pass
    run.keep_secret("s")
    assert prepare(run.path) == existing(run.path) == run  # as a death before the journal leaves it
    run.journal.touch()
    run.write_text(run.config, "{}")
    assert prepare(run.path) == existing(run.path) == run


def test_a_folder_with_a_lock_and_somebody_s_files_is_no_run(tmp_path: Path):
    for name in ("run.lock", "secret", "report.html"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=r"is not a run directory: holds 'report.html'"):
        prepare(tmp_path)


@pytest.mark.parametrize("make", [prepare, existing])
def test_a_folder_of_something_else_is_refused_and_says_what_it_holds(tmp_path: Path, make):
    for name in ("thesis.tex", "a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError) as caught:
        make(tmp_path)
    assert f"{tmp_path} is not a run directory: holds 'a.txt', 'b.txt', 'c.txt' and 1 more" in str(caught.value)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt", "b.txt", "c.txt", "thesis.tex"]


def test_a_folder_in_which_a_file_browser_looked_is_still_empty(tmp_path: Path):
    (tmp_path / ".DS_Store").write_bytes(b"")
    assert prepare(tmp_path).path == tmp_path


def test_an_empty_folder_is_no_run_to_read(tmp_path: Path):
    with pytest.raises(UsageError, match="holds nothing"):
        existing(tmp_path)
    with pytest.raises(UsageError, match="give the folder of a run"):
        existing(tmp_path / "nowhere")


@pytest.mark.parametrize("make", [prepare, existing])
def test_a_file_is_no_folder(tmp_path: Path, make):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="cannot be"):
            make(path)


@pytest.mark.parametrize("make", [prepare, existing])
def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path, make):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o000)
    if os.geteuid() == 0:
        os.seteuid(65534)  # root reads everything
    try:
        with pytest.raises(UsageError, match="cannot be"):
            make(locked)
    finally:
        os.seteuid(os.getuid())
        locked.chmod(0o700)


# ---------------------------------------------------------------------------------------------- files


def test_text_is_put_in_place_whole(run: RunDirectory):
    run.write_text(run.config, "first")
    run.write_text(run.config, "täglich")
    assert run.config.read_text("utf-8") == "täglich"
    assert [each.name for each in run.path.iterdir()] == ["config.resolved.json"]


def test_a_text_that_cannot_be_written_leaves_the_old_one(run: RunDirectory):
    (run.path / "report.html").mkdir()
    with pytest.raises(InstrumentFault, match=r"report\.html") as caught:
        run.write_text(run.report, "text")
    assert caught.value.where == "disk"
    assert [each.name for each in run.path.iterdir()] == ["report.html"]


def test_a_secret_is_kept_for_its_owner_only(run: RunDirectory):
    assert run.read_secret() is None
    run.keep_secret("0123")
    assert run.read_secret() == "0123"
    assert stat.S_IMODE(run.secret.stat().st_mode) == 0o600


def test_a_run_has_one_secret_for_life(run: RunDirectory):
    run.keep_secret("0123")
    run.keep_secret("0123")
    with pytest.raises(UsageError, match="another secret") as caught:
        run.keep_secret("4567")
    assert "0123" not in str(caught.value)
    assert run.read_secret() == "0123"


def test_a_stop_is_asked_for_seen_and_forgotten(run: RunDirectory):
    assert not run.stop_requested()
    run.request_stop()
    run.request_stop()
    assert RunDirectory(run.path).stop_requested()
    run.clear_stop()
    run.clear_stop()
    assert not run.stop_requested()


# ---------------------------------------------------------------------------------------------- one writer


def test_a_second_process_is_told_who_works_here_and_what_to_do(run: RunDirectory):
    with subprocess.Popen([sys.executable, "-c", HOLD, str(run.path)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        try:
            with pytest.raises(UsageError) as caught, prepare(run.path).lock():
                pass
        finally:
            os.kill(other.pid, signal.SIGKILL)
    said = str(caught.value)
    assert all(word in said for word in (str(run.path), f"process {other.pid} on {socket.gethostname()}", "rung stop"))
    with run.lock():  # the lock went with the process
        assert json.loads((run.path / "run.lock").read_text())["pid"] == os.getpid()


def test_one_process_cannot_take_the_lock_twice(run: RunDirectory):
    with run.lock(), pytest.raises(UsageError, match=f"process {os.getpid()}"), run.lock():
        pass
    with run.lock():
        pass


@pytest.mark.parametrize("signed", ["", "{", "[]", '{"pid": 1}'])
def test_a_holder_who_has_not_signed_is_another_process(run: RunDirectory, signed: str):
    with run.lock():
        (run.path / "run.lock").write_text(signed)
        with pytest.raises(UsageError, match="another process"), run.lock():
            pass


def test_a_program_the_run_started_does_not_keep_the_lock(run: RunDirectory):
    with run.lock():
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    with run.lock():
        child.communicate(b"\n")


# ---------------------------------------------------------------------------------------------- mounts

LINUX = """\
/dev/sda1 / ext4 rw,relatime 0 0
box:/export /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/ada/fast xfs rw 0 0
//nas/share /mnt/my\\040share cifs rw 0 0
ada@host: /mnt/ssh fuse.sshfs rw 0 0
overlay /var/lib/box overlay rw 0 0
share /data/9 9p rw 0 0
/dev/sdc1 /twice ext4 rw 0 0
box:/twice /twice nfs rw 0 0
box:/lustre /scratch lustre rw 0 0
"""
MACOS = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//ada@nas._smb._tcp.local/my%20share on /Volumes/my share (smbfs, nodev, nosuid, mounted by ada)
/dev/disk4s2 on /Volumes/USB (odd) (exfat, local, nodev)
"""


@pytest.mark.parametrize(
    ("mounts", "path", "kind"),
    [
        (LINUX, "/tmp/run", "ext4"),
        (LINUX, "/home", "nfs4"),
        (LINUX, "/home/ada/run", "nfs4"),
        (LINUX, "/home/ada/fast/run", "xfs"),
        (LINUX, "/home/ada/faster", "nfs4"),
        (LINUX, "/homes/run", "ext4"),
        (LINUX, "/mnt/my share/run", "cifs"),
        (LINUX, "/mnt/ssh/run", "fuse.sshfs"),
        (LINUX, "/var/lib/box/run", "overlay"),
        (LINUX, "/data/9/run", "9p"),
        (LINUX, "/twice/run", "nfs"),
        (LINUX, "/scratch/run", "lustre"),
        (MACOS, "/Users/ada/run", "apfs"),
        (MACOS, "/Volumes/my share/run", "smbfs"),
        (MACOS, "/Volumes/USB (odd)/run", "exfat"),
        ("box:/x on /home type nfs4 (rw,vers=4.2)\n", "/home/run", "nfs4"),
        ("", "/tmp/run", ""),
        ("nonsense\n\n", "/tmp/run", ""),
    ],
)
def test_the_file_system_of_a_folder_is_the_longest_mount_above_it(mounts: str, path: str, kind: str):
    assert file_system(Path(path), mounts)[1] == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "fuse.sshfs", "afpfs", "ceph"])
def test_a_network_file_system_is_refused_before_anything_is_made(tmp_path: Path, kind: str):
    mounts = f"/dev/sda1 / ext4 rw 0 0\nbox:/x {tmp_path.resolve()} {kind} rw 0 0\n"
    with pytest.raises(UsageError) as caught:
        prepare(tmp_path / "run", mounts=mounts)
    assert kind in str(caught.value)
    assert "choose a folder on a local disk" in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["ext4", "9p", "overlay", "tmpfs", "virtiofs", "fuse.fuse-overlayfs", "apfs"])
def test_a_local_file_system_or_a_container_is_welcome(tmp_path: Path, kind: str):
    refuse_network(tmp_path, f"x {tmp_path.resolve()} {kind} rw 0 0\n")


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far")
    with pytest.raises(UsageError, match="network"):
        prepare(tmp_path / "link" / "run", mounts=f"box:/x {(tmp_path / 'far').resolve()} nfs rw 0 0\n")


def test_this_machine_says_what_is_mounted(tmp_path: Path):
    assert file_system(tmp_path.resolve(), read_mounts())[0] in ("/", *map(str, tmp_path.resolve().parents))


# ---------------------------------------------------------------------------------------------- whether it runs


def test_a_run_is_running_while_somebody_holds_its_lock(run: RunDirectory):
    assert not run.running()
    with run.lock():
        assert run.running()
    assert not run.running()


def test_asking_whether_it_runs_writes_nothing(run: RunDirectory):
    run.running()
    assert list(run.path.iterdir()) == []


def test_a_lock_that_cannot_be_read_is_its_owners(run: RunDirectory, monkeypatch: pytest.MonkeyPatch):
    def forbidden(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rung.store.run_directory.os.open", forbidden)
    with pytest.raises(UsageError, match=r"run\.lock cannot be read \(Permission denied\); ask its owner"):
        run.running()
