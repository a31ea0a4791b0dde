"""The walker among what a hostile program could leave: numbers are those of the attack list."""

import hashlib
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import foreign
import pytest

from rung.core import crashpoints
from rung.core.errors import InstrumentFault, UsageError
from rung.store.manifests import Entry, File, Folder, Link
from rung.store.trees import Gathered, gather, hashed
from rung.store.walker import CAPS, Caps, Descent, Finding, read_file, remove


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "tree"
    folder.mkdir(mode=0o755)
    yield folder
    remove(folder)  # pytest's own way of deleting cannot take away all that is made here


def look(folder: Path, caps: Caps = CAPS) -> Gathered:
    return gather(folder, hashed, caps)


def leaves(gathered: Gathered) -> dict[str, Entry]:
    return {path: entry for path, entry in gathered.entries.items() if not isinstance(entry, Folder)}


# ---------------------------------------------------------------------------------------------- names and links


def test_names_of_any_bytes_are_kept_30(tree: Path):
    names = {b"\xff\xfe": r"\xff\xfe", b"new\nline": r"new\x0aline", b"\x1b[31mred": r"\x1b[31mred", b"-rf": "-rf"}
    for name in names:
        (tree / os.fsdecode(name)).write_bytes(b"x")
    assert set(leaves(look(tree))) == set(names.values())
    assert look(tree).findings.named == []


def test_a_link_is_its_text_and_leads_nowhere_31(tree: Path, tmp_path: Path):
    secret = tmp_path / "answers"
    secret.mkdir()
    (secret / "key").write_text("42")
    for name, target in {
        "file": secret / "key",
        "folder": secret,
        "root": "/",
        "loop": "loop",
        "up": "..",
        "no": "x",
    }.items():
        (tree / name).symlink_to(target)
    assert (tree / "file").read_text() == "42"  # what a naive reader would have in its record
    assert leaves(look(tree)) == {
        "file": Link(str(secret / "key")),
        "folder": Link(str(secret)),
        "root": Link("/"),
        "loop": Link("loop"),
        "up": Link(".."),
        "no": Link("x"),
    }
    remove(tree)
    assert (secret / "key").read_text() == "42"


def test_the_tree_itself_may_not_be_a_link(tree: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(tree)
    with pytest.raises(InstrumentFault, match="cannot be opened as a folder"):
        look(tmp_path / "link")
    remove(tmp_path / "link")
    assert tree.exists()


def test_pipes_sockets_and_devices_are_refused_by_name_32(tree: Path):
    foreign.pipe(tree / "pipe")
    foreign.listening(tree / "socket")
    foreign.device(tree / "device")
    (tree / "file").write_bytes(b"x")
    gathered = look(tree)
    assert set(leaves(gathered)) == {"file"}
    detail = "1/3" if os.geteuid() == 0 else "0/0"
    assert gathered.findings.named == [
        Finding("device", "device", detail),
        Finding("pipe", "pipe"),
        Finding("socket", "socket"),
    ]


def test_three_thousand_folders_in_each_other_are_walked_and_deleted_33(tree: Path):
    foreign.nested(tree, 3000)
    with pytest.raises(OSError, match="File name too long"):
        (tree / "/".join(["d"] * 3000)).stat()  # no path leads there
    gathered = look(tree)
    assert len(gathered.changes) == 3002
    assert gathered.changes[-1].path == "d/" * 3000 + "last"
    assert gathered.findings.named == []
    remove(tree)
    assert not tree.exists()


def test_what_forbids_everything_is_read_by_its_owner_and_left_so_34(tree: Path):
    (tree / "shut/inner").mkdir(parents=True)
    (tree / "shut/inner/file").write_bytes(b"x")
    for path, mode in (("shut/inner/file", 0), ("shut/inner", 0o100), ("shut", 0)):
        (tree / path).chmod(mode)
    tree.chmod(0)
    gathered = look(tree)
    assert gathered.findings.named == []
    modes = {path: entry.mode for path, entry in gathered.entries.items() if not isinstance(entry, Link)}
    assert modes == {".": 0, "shut": 0, "shut/inner": 0o100, "shut/inner/file": 0}
    assert stat.S_IMODE(tree.stat().st_mode) == 0
    remove(tree)
    assert not tree.exists()


def test_nothing_that_was_left_is_ever_run_35(tree: Path, tmp_path: Path):
    mark = tmp_path / "ran"
    foreign.traps(tree, mark)
    plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run(["git", "status"], cwd=tree, env=plain, check=False, capture_output=True)
    assert mark.exists()  # so the trap is live
    mark.unlink()
    subprocess.run([sys.executable, "-c", ""], env={**plain, "PYTHONPATH": str(tree)}, check=False, capture_output=True)
    assert mark.exists()
    mark.unlink()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, tree, tmp_path], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")
    assert not mark.exists()


WATCHED = """
import sys
from pathlib import Path
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes
def watch(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.forkpty"):
        raise SystemExit(f"a process was started: {event} {arguments}")
    if event == "import" and str(arguments[1]).startswith(sys.argv[1]):
        raise SystemExit(f"it was imported: {arguments}")
sys.addaudithook(watch)
homes = Homes(Path(sys.argv[2], "homes"), BlobFiles(Path(sys.argv[2], "blobs")))
kept = homes.keep(Path(sys.argv[1]))
for how in ("overlay", "copy"):
    forked = homes.fork(kept.manifest, "/home/agent", name="s", how=how)
    assert homes.keep(forked).manifest == kept.manifest
homes.discard("s")
print("whole" if kept.complete else kept.findings)
"""

# ---------------------------------------------------------------------------------------------- one file


def test_a_result_is_read_where_it_lies_and_nowhere_else_36(tree: Path, tmp_path: Path):
    (tmp_path / "answers").write_bytes(b"42")
    (tree / "in").mkdir()
    (tree / "in/result").write_bytes(b"7")
    (tree / "link").symlink_to(tmp_path / "answers")
    (tree / "out").symlink_to(tmp_path)
    foreign.pipe(tree / "pipe")
    assert read_file(tree, "in/result", most=1) == b"7"
    assert read_file(tree, "in/result", most=0) is None
    for path in ("link", "out/answers", "pipe", "in", "none", "none/x", "in/result/x"):
        assert read_file(tree, path, most=100) is None, path
    for path in ("../answers", "in/../../answers", "/etc/passwd", ""):
        with pytest.raises(UsageError, match="no path of a file in a folder"):
            read_file(tree, path, most=100)


# ---------------------------------------------------------------------------------------------- files


def test_holes_and_second_names_cost_what_they_hold(tree: Path):
    with (tree / "hole").open("wb") as stream:
        stream.truncate(3 << 20)
    os.link(tree / "hole", tree / "again")
    gathered = look(tree)
    first = File(0o644, 3 << 20, hashlib.sha256(bytes(3 << 20)).hexdigest())
    assert gathered.entries["again"] == first
    assert gathered.entries["hole"] == replace(first, same="again")
    assert gathered.bytes == 3 << 20


def test_a_file_that_a_user_of_higher_rank_would_run_is_kept_without_that(tree: Path):
    (tree / "su").write_bytes(b"x")
    (tree / "su").chmod(0o4755)
    gathered = look(tree)
    assert gathered.findings.named == [Finding("su", "privileged", "mode 4755; kept without")]
    entry = gathered.entries["su"]
    assert isinstance(entry, File)
    assert entry.mode == 0o755


def test_a_file_that_is_written_while_it_is_read_is_read_again(tree: Path, monkeypatch: pytest.MonkeyPatch):
    path = tree / "log"
    path.write_bytes(b"a")
    growing = iter([b"b"])

    def grow(label: str) -> None:
        with path.open("ab") as stream:
            stream.write(next(growing, b""))

    monkeypatch.setattr(crashpoints, "hook", grow)
    gathered = look(tree)
    assert gathered.findings.named == []
    assert gathered.entries["log"] == File(0o644, 2, hashlib.sha256(b"ab").hexdigest())


def test_a_file_that_never_holds_still_is_a_finding(tree: Path, monkeypatch: pytest.MonkeyPatch):
    path = tree / "log"
    path.write_bytes(b"a")

    def grow(label: str) -> None:
        with path.open("ab") as stream:
            stream.write(b"b")

    monkeypatch.setattr(crashpoints, "hook", grow)
    gathered = look(tree)
    assert leaves(gathered) == {}
    assert gathered.findings.named == [Finding("log", "changed", "it was written while it was read")]


@pytest.mark.parametrize("next_one", ["file", "folder"])
def test_that_we_have_no_file_left_to_open_is_no_finding_about_the_agent(tree: Path, next_one: str):
    (tree / "a").write_bytes(b"")
    if next_one == "file":
        (tree / "b").write_bytes(b"")
    else:
        (tree / "b").mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def take(handle: int, size: int) -> tuple[str, int]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        return "", 0

    try:
        with pytest.raises(OSError, match="Too many open files"):
            gather(tree, take)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_folder_that_is_moved_while_it_is_walked_leads_nowhere(tree: Path, tmp_path: Path):
    (tree / "a/b").mkdir(parents=True)
    place = Descent(tree)
    place.down(b"a")
    place.down(b"b")
    (tree / "a/b").rename(tmp_path / "b")
    with pytest.raises(InstrumentFault, match="was moved while it was walked"):
        place.up()
    os.close(place.handle)


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"/"])
def test_only_a_single_name_leads_down(tree: Path, name: bytes):
    with Descent(tree) as place, pytest.raises(InstrumentFault, match="is not the name of a folder"):
        place.down(name)


# ---------------------------------------------------------------------------------------------- bounds


def test_what_goes_beyond_a_bound_is_left_out_by_name(tree: Path):
    for name in ("a", "b", "c"):
        (tree / name).write_bytes(b"xxxx")
    (tree / "d/d/d").mkdir(parents=True)
    (tree / "d/d/d/f").write_bytes(b"")

    def named(caps: Caps) -> tuple[list[str], list[tuple[str, str]]]:
        gathered = look(tree, caps)
        return sorted(leaves(gathered)), [(found.path, found.trouble) for found in gathered.findings.named]

    assert named(Caps(file_bytes=3)) == (["d/d/d/f"], [(name, "too large") for name in "abc"])
    assert named(Caps(bytes=9)) == (["a", "b", "d/d/d/f"], [("c", "too large")])
    assert named(Caps(depth=2)) == (["a", "b", "c"], [("d/d/d", "too deep")])
    assert named(Caps(path_bytes=5)) == (["a", "b", "c"], [("d/d/d/f", "too deep")])
    assert named(Caps(paths_bytes=2)) == (["a", "b"], [("c", "too deep"), ("d", "too deep")])
    assert named(Caps(entries=4)) == (["a", "b", "c"], [("d", "too many")])


def test_findings_beyond_a_thousand_are_counted(tree: Path):
    for number in range(1003):
        foreign.pipe(tree / f"p{number:04d}")
    findings = look(tree).findings
    assert (len(findings.named), findings.more) == (1000, 3)


def test_what_is_gone_is_deleted_already(tree: Path):
    remove(tree / "none")
    (tree / "file").write_bytes(b"")
    remove(tree / "file")
    assert list(tree.iterdir()) == []
