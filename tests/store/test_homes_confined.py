"""Homes in the sandbox that they are for: what a program sees of a fork, leaves in it, and finds again."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import foreign
import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.core.confined import Bounds, Ended, Program
from rung.store.blobs import BlobFiles
from rung.store.homes import Forked, Homes
from rung.store.manifests import difference
from rung.store.walker import Finding, remove

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap needs Linux")

HOME = {"notes.md": "plant early", "lib/a/b.py": "x = 1", "lib/c.py": "y = 2"}


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    remove(folder)


@pytest.fixture
def homes(place: Path) -> Homes:
    return Homes(place / "homes", BlobFiles(place / "blobs"))


def planted(folder: Path) -> Path:
    for path, text in HOME.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def session(script: str, *forks: Forked) -> tuple[Ended, str]:
    """How a shell script ended in a sandbox with these forks, and what it printed."""
    printed = bytearray()

    async def run() -> Ended:
        program = Program(
            ("sh", "-euc", script),
            {"PATH": "/usr/bin:/bin"},
            tuple(fork.mount for fork in forks),
            cwd=forks[0].mount.inside,
            bounds=Bounds(seconds=60),
        )
        async with await Bubblewrap().start(program, hear=lambda _, data: printed.extend(data)) as held:
            await held.release()
            return await held.wait()

    return asyncio.run(run()), printed.decode()


@pytest.mark.parametrize("how", ["overlay", "copy"])
def test_a_program_finds_what_the_last_one_left_and_leaves_its_own(homes: Homes, place: Path, how: str):
    kept = homes.keep(planted(place / "home"))
    laid = foreign.seen(homes.lay_out(kept.manifest, times=kept.times))
    for number in range(2):
        forked = homes.fork(kept.manifest, "/home/agent", name=f"s{number}", times=kept.times, how=how)
        ended, printed = session(f"cat notes.md; printf {number} >>notes.md; touch new{number}; rm -rf lib/a", forked)
        assert (ended.reason, ended.status) == ("exited", 0), printed
        assert printed == ["plant early", "plant early0"][number]
        after = homes.keep(forked)
        assert after.complete
        changes = difference(homes.manifest(kept.manifest), homes.manifest(after.manifest))
        assert (changes.written, changes.revised) == ((f"new{number}",), ("notes.md",))
        assert changes.deleted == (("lib/a/b.py",) if number == 0 else ())
        if number == 0:
            first, kept = kept, after
    assert foreign.seen(homes.lay_out(first.manifest, times=first.times)) == laid


@pytest.mark.parametrize("how", ["overlay", "copy"])
def test_a_session_that_was_cut_off_goes_on_in_its_own_fork(homes: Homes, place: Path, how: str):
    kept = homes.keep(planted(place / "home"))
    session("printf 1 >>notes.md", homes.fork(kept.manifest, "/home/agent", name="s", how=how))
    forked = Homes(place / "homes", BlobFiles(place / "blobs")).forked("s")
    assert forked is not None
    ended, printed = session("cat notes.md; printf 2 >>notes.md", forked)
    assert (ended.reason, printed) == ("exited", "plant early1")
    assert (homes.lay_out(homes.keep(forked).manifest) / "notes.md").read_text() == "plant early12"


def test_home_and_work_folder_are_forks_of_their_own(homes: Homes, place: Path):
    home = homes.fork(homes.keep(planted(place / "home")).manifest, "/home/agent", name="home")
    (place / "work").mkdir()
    work = homes.fork(homes.keep(place / "work").manifest, "/workspace", name="work")
    ended, printed = session("cp notes.md /workspace/", home, work)
    assert (ended.reason, ended.status) == ("exited", 0), printed
    assert homes.manifest(homes.keep(work).manifest).leaves == ["notes.md"]
    assert homes.manifest(homes.keep(home).manifest).leaves == sorted(HOME)


def test_what_a_program_leaves_to_trap_us_is_kept_as_it_is_or_named(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, "/home/agent", name="s")
    ended, printed = session(
        """
        ln -s /etc/shadow secret; ln -s /home/agent loop; mkfifo lib/pipe; mkdir shut; echo x >shut/file; chmod 0 shut
        i=0; while [ $i -lt 100 ]; do mkdir d; cd d; i=$((i + 1)); done; cd /home/agent
        printf x >"$(printf 'odd\\377\\n')"
        """,
        forked,
    )
    assert (ended.reason, ended.status) == ("exited", 0), printed
    after = homes.keep(forked)
    assert after.findings == (Finding("lib/pipe", "pipe"),)
    changes = difference(homes.manifest(kept.manifest), homes.manifest(after.manifest))
    assert changes.written == ("loop", r"odd\xff", "secret", "shut/file")
    homes.discard("s")
    assert list((place / "homes/forks").iterdir()) == []


def test_a_session_goes_on_after_a_sandbox_was_lost_with_its_supervisor(homes: Homes, place: Path):
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, "/home/agent", name="s")
    (forked.place / "upper.work/work").mkdir(parents=True)  # as the kernel leaves it
    (forked.place / "upper.work/work").chmod(0)
    again = homes.forked("s")
    assert again == forked
    ended, printed = session("cat notes.md", forked)
    assert (ended.reason, printed) == ("exited", "plant early")


def test_a_program_cannot_forge_the_marks_of_an_overlay(homes: Homes, place: Path):
    """With a mark that says `nothing below remains` it could make its home seem emptier than the next session's is."""
    kept = homes.keep(planted(place / "home"))
    forked = homes.fork(kept.manifest, "/home/agent", name="s")
    ended, printed = session(f"/usr/bin/python3 -I -c '{FORGE}'", forked)
    assert (ended.reason, ended.status) == ("exited", 0), printed
    assert printed == "tried\n"
    after = homes.keep(forked)
    assert homes.manifest(after.manifest).leaves == sorted(HOME)


FORGE = """
import os, stat
for mark, value in (("opaque", b"y"), ("redirect", b"/"), ("metacopy", b"")):
    for space in ("user", "trusted"):
        try:
            os.setxattr("lib", f"{space}.overlay.{mark}", value)
        except OSError:
            pass
try:
    os.mknod("notes", stat.S_IFCHR, 0)
    os.rename("notes", "notes.md")
except OSError:
    pass
print("tried")
"""
