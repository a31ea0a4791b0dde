"""Homes kept, laid out and forked; overlays are real ones, made by the kernel in a namespace of the test's own."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import foreign
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rung.agents.command import claude_code
from rung.core import crashpoints
from rung.core.canonical import sha256
from rung.core.confined import Bind, Fork
from rung.core.errors import StoreFault
from rung.store.blobs import BlobFiles
from rung.store.homes import Forked, Homes, can_overlay
from rung.store.manifests import File, Folder, Manifest, difference, named_once, without
from rung.store.trees import NO_TIME, build, gather, hashed
from rung.store.walker import Finding, remove

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="overlays, and the find that homes are held against, are Linux's"
)

INSIDE = "/home/agent"
HOME = {"notes.md": "plant early", ".claude/projects/one.jsonl": "{}\n", "lib/a/b.py": "x = 1", "lib/c.py": "y = 2"}


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    remove(folder)


@pytest.fixture
def homes(place: Path) -> Homes:
    return homes_at(place)


def homes_at(place: Path) -> Homes:
    return Homes(place / "homes", BlobFiles(place / "blobs"))


def planted(folder: Path, files: Mapping[str, str] = HOME) -> Path:
    folder.mkdir(mode=0o755)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def in_overlay(forked: Forked, script: str) -> str:
    """Run a shell script in a fork, as a sandbox would: the same user, in namespaces of its own. What it printed."""
    mount = forked.mount
    assert isinstance(mount, Fork)
    options = f"lowerdir={mount.lower},upperdir={mount.upper},workdir={mount.upper}.work,userxattr"
    within = f"mkdir -p {mount.upper}.work && mount -t overlay overlay -o {options} /mnt && cd /mnt\n{script}"
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", within], capture_output=True, text=True, check=False)
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no overlay of one's own on this machine: {done.stderr}")
    return done.stdout


def manifest_of(folder: Path) -> Manifest:
    return Manifest(named_once(gather(folder, hashed).entries))


# ---------------------------------------------------------------------------------------------- keeping


def test_what_is_kept_is_counted_and_comes_back(homes: Homes, place: Path):
    home = planted(place / "home")
    (home / "lib/a/b.py").chmod(0o700)
    (home / "empty").mkdir(mode=0o750)
    (home / "link").symlink_to("/nowhere")
    os.link(home / "notes.md", home / "twin.md")
    kept = homes.keep(home)
    assert (kept.files, kept.folders, kept.links, kept.bytes) == (5, 5, 1, 11 + 3 + 5 + 5)
    assert kept.complete
    assert kept.read_bytes == kept.bytes
    laid = homes.lay_out(kept.manifest)
    assert foreign.seen(laid) == foreign.seen(home)
    assert (laid / "twin.md").samefile(laid / "notes.md")
    assert homes.keep(laid).manifest == kept.manifest


def test_times_and_owners_are_no_part_of_a_home(homes: Homes, place: Path):
    first, second = planted(place / "first"), planted(place / "second")
    os.utime(second / "notes.md", ns=(1, 5))
    if os.geteuid() == 0:
        os.chown(second / "notes.md", 1234, 1234)
    one, two = homes.keep(first), homes.keep(second)
    assert one.manifest == two.manifest
    assert one.times != two.times
    assert homes.times(two.times)["notes.md"] == 5


@pytest.mark.parametrize("change", ["content", "mode", "name", "link", "folder mode"])
def test_all_else_is(homes: Homes, place: Path, change: str):
    home = planted(place / "home")
    (home / "link").symlink_to("a")
    before = homes.keep(home).manifest
    match change:
        case "content":
            (home / "notes.md").write_text("plant latee")
        case "mode":
            (home / "notes.md").chmod(0o755)
        case "name":
            (home / "notes.md").rename(home / "notes")
        case "link":
            (home / "link").unlink()
            (home / "link").symlink_to("b")
        case "folder mode":
            (home / "lib").chmod(0o700)
    assert homes.keep(home).manifest != before


def test_a_database_is_kept_with_its_log_and_never_opened(homes: Homes, place: Path):
    home = planted(place / "home", {})
    parts = {
        "state.sqlite": b"SQLite format 3\0rubbish",
        "state.sqlite-wal": b"\x37\x7f\6\x82",
        "state.sqlite-shm": b"\0",
    }
    for name, data in parts.items():
        (home / name).write_bytes(data)
    laid = homes.lay_out(homes.keep(home).manifest)
    assert {path.name: path.read_bytes() for path in laid.iterdir()} == parts


def test_a_large_file_is_kept_with_its_holes(homes: Homes, place: Path):
    home = planted(place / "home", {})
    with (home / "big").open("wb") as stream:
        stream.seek(40 << 20)
        stream.write(b"end")
    kept = homes.keep(home)
    laid = homes.lay_out(kept.manifest)
    assert (laid / "big").read_bytes() == bytes(40 << 20) + b"end"
    assert (laid / "big").stat().st_blocks * 512 < 2 << 20
    blobs = sum(path.stat().st_blocks * 512 for path in (place / "blobs").rglob("*") if path.is_file())
    assert blobs < 2 << 20
    assert homes.keep(home) == kept


def test_what_cannot_be_kept_is_named_and_the_rest_is_kept(homes: Homes, place: Path):
    home = planted(place / "home")
    foreign.pipe(home / "pipe")
    kept = homes.keep(home)
    assert kept.findings == (Finding("pipe", "pipe"),)
    assert not kept.complete
    assert homes.manifest(kept.manifest).leaves == sorted(HOME)


def test_a_full_disk_is_a_fault_of_the_instrument(homes: Homes, place: Path, monkeypatch: pytest.MonkeyPatch):
    def full(label: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(crashpoints, "hook", full)
    with pytest.raises(
        StoreFault, match=r"cannot be kept \(\[Errno 28\] No space left on device\); it still lies there"
    ):
        homes.keep(planted(place / "home"))


def test_a_disk_that_fills_up_costs_nothing_that_was_kept(homes: Homes, place: Path):
    home = planted(place / "home", {f"{number}": str(number) * 100_000 for number in range(10, 20)})
    (place / "disk").mkdir()
    script = f'mount -t tmpfs -o size=8m none {place}/disk && exec "$0" -B -c "$1" {place}'
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script, sys.executable, FULL], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == [homes.keep(home).manifest], done.stderr
    assert "No space left on device" in done.stderr


FULL = """
import sys
from pathlib import Path
from rung.core.errors import StoreFault
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes
place = Path(sys.argv[1])
disk = place / "disk"
homes = Homes(disk / "homes", BlobFiles(disk / "blobs"))
(disk / "ballast").write_bytes(bytes(7 << 20))
try:
    homes.keep(place / "home")
except StoreFault as fault:
    print(fault, file=sys.stderr)
    (disk / "ballast").unlink()
    kept = homes.keep(place / "home")
    homes.lay_out(kept.manifest)
    print(kept.manifest)
"""


def test_pieces_can_be_taken_out_of_a_kept_home(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    less = homes.put(without(homes.manifest(kept.manifest), lambda path: path.startswith(".claude/")))
    expected = planted(place / "less", {path: text for path, text in HOME.items() if not path.startswith(".claude")})
    assert foreign.seen(homes.lay_out(less)) == foreign.seen(expected)


# ---------------------------------------------------------------------------------------------- laying out


def test_a_home_is_laid_out_once_with_the_times_of_its_files(homes: Homes, place: Path):
    home = planted(place / "home")
    os.utime(home / "notes.md", ns=(1, 10**18 + 1))
    kept = homes.keep(home)
    laid = homes.lay_out(kept.manifest, times=kept.times)
    assert (laid / "notes.md").stat().st_mtime_ns == 10**18 + 1
    assert homes.lay_out(kept.manifest, times=kept.times) == laid
    assert homes_at(place).lay_out(kept.manifest, times=kept.times) == laid
    assert (homes.lay_out(kept.manifest) / "notes.md").stat().st_mtime_ns == NO_TIME


def test_a_laid_out_home_that_was_meddled_with_is_made_anew(homes: Homes, place: Path):
    home = planted(place / "home")
    kept = homes.keep(home)
    laid = homes.lay_out(kept.manifest)
    (laid / "notes.md").write_text("plant never")
    again = homes_at(place).lay_out(kept.manifest)
    assert again == laid
    assert foreign.seen(laid) == foreign.seen(home)


def test_a_laid_out_home_that_is_forgotten_can_be_laid_out_again(homes: Homes, place: Path):
    home = planted(place / "home")
    kept = homes.keep(home)
    laid = homes.lay_out(kept.manifest)
    homes.forget(kept.manifest)
    assert not laid.exists()
    assert foreign.seen(homes.lay_out(kept.manifest)) == foreign.seen(home)


def test_damage_to_what_was_kept_is_found(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    blob = BlobFiles(place / "blobs").path(sha256("plant early"))
    blob.write_bytes(b"plant never")
    with pytest.raises(StoreFault, match="is not as it was kept once it is laid out"):
        homes.lay_out(kept.manifest)
    blob.unlink()
    with pytest.raises(StoreFault, match="cannot be laid out"):
        homes.lay_out(kept.manifest)
    BlobFiles(place / "blobs").path(kept.manifest).write_bytes(b"{}")
    with pytest.raises(StoreFault, match="is damaged; restore blobs/"):
        homes_at(place).manifest(kept.manifest)
    with pytest.raises(StoreFault, match=r"'\.\./secret' is not kept here"):
        homes.manifest("../secret")


# ---------------------------------------------------------------------------------------------- forking


def test_a_fork_is_an_overlay_with_an_upper_folder_of_its_own(homes: Homes, place: Path):
    home = planted(place / "home")
    home.chmod(0o750)
    kept = homes.keep(home)
    forked = homes.fork(kept.manifest, INSIDE, name="L0/work")
    assert isinstance(forked.mount, Fork)
    assert forked.mount.inside == INSIDE
    assert forked.mount.lower == homes.lay_out(kept.manifest)
    assert stat.S_IMODE(forked.mount.upper.stat().st_mode) == 0o750
    assert list(forked.mount.upper.iterdir()) == []
    assert homes.keep(forked).manifest == kept.manifest


def test_no_outside_path_tells_which_session_a_fork_is_for(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    for how in ("overlay", "copy"):
        forked = homes.fork(kept.manifest, INSIDE, name="L0/exam/after/17", how=how)
        assert "exam" not in str(forked.mount)


@pytest.mark.parametrize("how", ["overlay", "copy"])
def test_a_home_stays_as_it_is_under_any_number_of_forks_38(homes: Homes, place: Path, how: str):
    kept = homes.keep(planted(place / "home"))
    laid = homes.lay_out(kept.manifest)
    before = foreign.seen(laid)
    for number in range(3):
        forked = homes.fork(kept.manifest, INSIDE, name=f"s{number}", how=how)
        change(forked, f"echo {number} >>notes.md; rm -r lib; ln -s / lib; chmod 0 .claude")
        assert homes.keep(forked).manifest != kept.manifest
    assert foreign.seen(laid) == before
    assert homes_at(place).keep(laid).manifest == kept.manifest


def change(forked: Forked, script: str) -> None:
    """Run a script in a fork of either kind."""
    if isinstance(forked.mount, Bind):
        subprocess.run(["sh", "-c", script], cwd=forked.mount.outside, check=True)
    else:
        in_overlay(forked, script)


def test_programs_that_keep_absolute_paths_stay_in_their_fork_39(homes: Homes, place: Path):
    """As Codex does: it appends to the file whose absolute path is in its database, wherever that leads."""
    home = planted(place / "home", {"sessions/one.jsonl": "{}\n", "where": "/mnt/sessions/one.jsonl"})
    kept = homes.keep(home)
    forked = homes.fork(kept.manifest, "/mnt", name="s")
    in_overlay(forked, 'echo "{}" >>"$(cat where)"')
    after = homes.keep(forked)
    assert difference(homes.manifest(kept.manifest), homes.manifest(after.manifest)).revised == ("sessions/one.jsonl",)
    assert (home / "sessions/one.jsonl").read_text() == "{}\n"
    assert homes.keep(homes.lay_out(kept.manifest)).manifest == kept.manifest


def test_keeping_a_fork_reads_only_what_it_wrote_and_shows_what_it_deleted_40(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s", times=kept.times)
    in_overlay(
        forked,
        """
        printf now >notes.md
        printf new >new.md
        rm -r .claude && mkdir .claude && printf 2 >.claude/two
        rm lib/c.py && mkfifo lib/c.py
        rm -r lib/a
        """,
    )
    after = homes.keep(forked)
    assert after.read_bytes == len("now" + "new" + "2")
    assert after.findings == (Finding("lib/c.py", "pipe"),)
    changes = difference(homes.manifest(kept.manifest), homes.manifest(after.manifest))
    assert changes.written == (".claude/two", "new.md")
    assert changes.revised == ("notes.md",)
    assert changes.deleted == (".claude/projects/one.jsonl", "lib/a/b.py", "lib/c.py")
    assert homes.times(after.times).keys() == {".claude/two", "new.md", "notes.md"}
    laid = homes.lay_out(after.manifest)
    assert {path: entry[0] for path, entry in foreign.seen(laid).items()} == {
        "": "d",
        ".claude": "d",
        ".claude/two": "f",
        "lib": "d",
        "new.md": "f",
        "notes.md": "f",
    }


def test_only_files_have_times(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s", times=kept.times)
    in_overlay(forked, "rm notes.md; ln -s lib notes.md; rm lib/c.py; mkdir lib/c.py")
    assert homes.times(homes.keep(forked).times).keys() == {".claude/projects/one.jsonl", "lib/a/b.py"}


def test_a_fork_of_a_fork_goes_on_where_the_first_ended(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    for number in range(3):
        forked = homes.fork(kept.manifest, INSIDE, name=f"s{number}", times=kept.times)
        in_overlay(forked, "printf x >>notes.md")
        kept = homes.keep(forked)
    assert (homes.lay_out(kept.manifest) / "notes.md").read_text() == "plant earlyxxx"


def test_a_fork_is_found_again_with_what_was_written_to_it(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    for how in ("overlay", "copy"):
        forked = homes.fork(kept.manifest, INSIDE, name="s", how=how, times=kept.times)
        change(forked, "printf 1 >new")
        after = homes.keep(forked)
        again = homes_at(place)
        assert again.forked("s") == forked
        assert again.keep(forked).manifest == after.manifest
    assert homes.forked("other") is None


def test_a_fork_of_the_same_name_begins_anew_and_a_discarded_one_is_gone(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    change(homes.fork(kept.manifest, INSIDE, name="s"), "printf 1 >new; mkdir -p a; chmod 0 a")
    forked = homes.fork(kept.manifest, INSIDE, name="s")
    assert homes.keep(forked).manifest == kept.manifest
    homes.discard("s")
    homes.discard("s")
    assert homes.forked("s") is None
    assert list((place / "homes/forks").iterdir()) == []


@pytest.mark.parametrize("how", ["overlay", "copy"])
def test_a_home_that_its_agent_shut_is_kept_forked_and_discarded(homes: Homes, place: Path, how: str):
    home = planted(place / "home")
    home.chmod(0)
    kept = homes.keep(home)
    assert homes.manifest(kept.manifest).entries["."] == Folder(0)
    forked = homes.fork(kept.manifest, INSIDE, name="s", how=how)
    assert homes.keep(forked).manifest == kept.manifest
    homes.discard("s")
    assert homes.forked("s") is None


def test_a_fork_that_a_power_loss_tore_begins_anew(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s")
    (forked.place / "about.json").write_bytes(b"")
    assert homes.forked("s") is None
    assert homes.fork(kept.manifest, INSIDE, name="s") == forked


def test_many_threads_keep_and_fork_at_once(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))

    def session(number: int) -> tuple[str, str]:
        forked = homes.fork(kept.manifest, INSIDE, name=f"s{number}", times=kept.times)
        assert isinstance(forked.mount, Fork)
        (forked.mount.upper / "new").write_text(str(number % 3))
        after = homes.keep(forked)
        homes.discard(f"s{number}")
        return after.manifest, str(number % 3)

    with ThreadPoolExecutor(8) as pool:
        after = set(pool.map(session, range(24)))
    assert len(after) == 3
    assert {(homes.lay_out(manifest) / "new").read_text() for manifest, _ in after} == {"0", "1", "2"}


def test_where_no_overlay_can_lie_a_fork_is_a_copy(homes: Homes, place: Path, monkeypatch: pytest.MonkeyPatch):
    home = planted(place / "home")
    kept = homes.keep(home)

    def refuse(*arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    forked = homes.fork(kept.manifest, INSIDE, name="s")
    assert forked.mount == Bind(forked.place / "tree", INSIDE, writable=True)
    assert foreign.seen(forked.place / "tree") == foreign.seen(home)


@pytest.mark.parametrize(
    ("kind", "can"),
    [("ext4", True), ("tmpfs", True), ("overlay", False), ("nfs4", False), ("9p", False), ("vfat", False)],
)
def test_the_kind_of_disk_tells_whether_an_overlay_can_lie_there(place: Path, kind: str, can: bool):
    assert can_overlay(place, f"x / {kind} rw 0 0\n") is can


def test_marks_of_an_overlay_in_a_fork_that_is_none_mean_nothing(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s", how="copy")
    assert isinstance(forked.mount, Bind)
    os.setxattr(forked.mount.outside / "lib", "user.overlay.opaque", b"y")
    assert homes.keep(forked).manifest == kept.manifest


def test_marks_of_an_overlay_that_we_do_not_read_are_a_finding(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s")
    assert isinstance(forked.mount, Fork)
    (forked.mount.upper / "lib").mkdir(mode=0o755)
    os.setxattr(forked.mount.upper / "lib", "user.overlay.redirect", b"/.claude")
    assert homes.keep(forked).findings == (Finding("lib", "overlay", "marks that we do not read: ['redirect']"),)


def test_the_python_in_the_guide_runs_as_it_stands(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(place)
    (place / "some").mkdir()
    planted(place / "some/home")
    guide = (Path(__file__).parents[2] / "docs/guide/homes.md").read_text()
    scope: dict[str, Any] = {"rules": claude_code.RULES}
    exec(re.findall(r"```python\n(.*?)```", guide, re.DOTALL)[0], scope)
    assert scope["after"].manifest == scope["kept"].manifest
    assert scope["homes"].manifest(scope["ablated"]).leaves == sorted(path for path in HOME if "projects" not in path)


# ---------------------------------------------------------------------------------------------- any tree at all

NAMES = (
    st.binary(min_size=1, max_size=12)
    .map(lambda name: name.translate(None, b"/\0"))
    .filter(lambda name: name not in (b"", b".", b".."))
)
FILES = st.tuples(st.just("file"), st.sampled_from([0o644, 0o755, 0o600, 0, 0o444]), st.binary(max_size=20))
LINKS = st.tuples(st.just("link"), st.binary(min_size=1, max_size=20).map(lambda text: text.replace(b"\0", b"/")))
TREES = st.recursive(
    FILES | LINKS,
    lambda inner: st.tuples(
        st.just("folder"), st.sampled_from([0o755, 0o700, 0, 0o111]), st.dictionaries(NAMES, inner, max_size=4)
    ),
    max_leaves=20,
)


def plant(folder: Path, name: bytes, what: tuple) -> None:
    path = folder / os.fsdecode(name)
    match what:
        case "file", mode, data:
            path.write_bytes(data)
            path.chmod(mode)
        case "link", text:
            path.symlink_to(os.fsdecode(text))
        case "folder", mode, inner:
            path.mkdir()
            for inner_name, inner_what in inner.items():
                plant(path, inner_name, inner_what)
            path.chmod(mode)


@settings(max_examples=50)
@given(st.dictionaries(NAMES, TREES, max_size=5))
def test_any_tree_that_is_laid_out_is_the_same_again(tree: dict):
    place = Path(tempfile.mkdtemp())
    try:
        blobs = BlobFiles(place / "blobs")
        plant(place, b"one", ("folder", 0o755, tree))
        manifest = Manifest(named_once(gather(place / "one", keeping(blobs)).entries))
        build(manifest, place / "two", blobs.path)
        assert manifest_of(place / "two") == manifest_of(place / "one") == manifest
        if os.geteuid() == 0:  # nobody else can look into all of it with another walker
            assert foreign.seen(place / "two") == foreign.seen(place / "one")
    finally:
        remove(place)


def keeping(blobs: BlobFiles) -> Callable[[int, int], tuple[str, int]]:
    def take(handle: int, size: int) -> tuple[str, int]:
        data = os.read(handle, size)
        blobs.write(sha256(data), data)
        return sha256(data), size

    return take


PLACES = st.sampled_from(["a", "b", "a/c", "a/d", "b/c", "a/c/e", "lib", "lib/a", "lib/c.py", "lib/a/b.py", "notes.md"])
STEPS = st.one_of(
    st.builds("printf {1} >{0}".format, PLACES, st.integers(0, 9)),
    st.builds("printf {1} >>{0}".format, PLACES, st.integers(0, 9)),
    st.builds("rm -rf {}".format, PLACES),
    st.builds("mkdir -p {}".format, PLACES),
    st.builds("mkdir {0} && chmod {1} {0}".format, PLACES, st.sampled_from(["700", "755"])),
    st.builds("mv -T {} {}".format, PLACES, PLACES),
    st.builds("cp -T {} {}".format, PLACES, PLACES),
    st.builds("ln -s {1} {0}".format, PLACES, PLACES),
    st.builds("chmod {1} {0}".format, PLACES, st.sampled_from(["600", "755"])),
)


@settings(max_examples=25)
@given(st.lists(STEPS, min_size=1, max_size=12))
def test_a_fork_is_kept_as_a_copy_would_be_that_went_through_the_same(steps: list[str]):
    place = Path(tempfile.mkdtemp())
    try:
        script = "umask 022\n" + "\n".join(f"{{ {step}; }} 2>/dev/null" for step in steps) + "\nexit 0"
        homes = homes_at(place)
        base = manifest_of(planted(place / "home"))
        kept = homes.keep(place / "home")
        overlay = homes.fork(kept.manifest, INSIDE, name="overlay")
        change(overlay, script)
        shutil.copytree(place / "home", place / "copy", symlinks=True)
        subprocess.run(["unshare", "-Ur", "sh", "-c", script], cwd=place / "copy", check=True)  # with the same rights
        after = homes.keep(overlay)
        assert homes.manifest(after.manifest) == manifest_of(place / "copy")
        assert base.id == kept.manifest
        assert after.complete
    finally:
        remove(place)


def test_two_names_of_a_file_made_in_a_fork_are_one_file(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, INSIDE, name="s")
    in_overlay(forked, "ln notes.md again.md; printf 1 >>again.md")
    manifest = homes.manifest(homes.keep(forked).manifest)
    notes = manifest.entries["notes.md"]
    assert isinstance(notes, File)
    assert notes.same == "again.md"
    assert notes.digest == sha256("plant early1")
