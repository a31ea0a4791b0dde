"""What every confiner promises of a program it holds; and of bubblewrap, that each bound is kept.

Every test runs as whoever runs the tests, and once more as nobody (see test_nobody.py).
"""

import asyncio
import os
import select
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from backends.sandbox.confining import CONFINERS, Seen, living, python, ran, run
from rung.backends.network.ring import Capture
from rung.backends.sandbox import procs
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.core.confined import Bind, Bounds, Confined, Confiner, Ended, Fork, Given, Network, Program, Scratch
from rung.core.errors import InstrumentFault

OUTSIDE = bytes([203, 0, 113, 9])
FOREVER = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
IGNORES = "import signal\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"


@pytest.fixture(params=["bubblewrap", "unsafe"])  # and docker, where there is an engine: see test_engine.py
def confiner(request: pytest.FixtureRequest) -> Confiner:
    return CONFINERS[request.param]()


@pytest.fixture(scope="module")
def bubblewrap() -> Bubblewrap:
    return Bubblewrap(grace=0.2)


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    for name in ("lower", "upper"):
        (tmp_path / name).mkdir()
    return Fork(tmp_path / "lower", tmp_path / "upper", "/workspace")


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A word in the command line of what a test starts; whatever is left of it fails the test."""
    word = f"mark-{os.getpid()}-{tmp_path.name}"
    yield word
    gone(word)


def gone(word: str) -> None:
    """Wait until every process with this word has ended."""
    for pid in living(word):
        with suppress(ProcessLookupError):
            end = os.pidfd_open(pid)
            assert select.select([end], [], [], 20)[0], f"process {pid} is left"
            os.close(end)


def held_until_up(confiner: Confiner, program: Program, during: Any) -> Seen:
    """Run a program, and do something once it has printed its first line."""

    async def whole() -> Seen:
        up, heard = asyncio.Event(), []

        def hear(stream: str, data: bytes) -> None:
            heard.append(data)
            up.set()

        async with await confiner.start(program, hear=hear) as held:
            await held.release()
            await asyncio.wait_for(up.wait(), 30)
            await during(held)
            return Seen(b"".join(heard).decode(), "", await held.wait())

    return asyncio.run(asyncio.wait_for(whole(), 60))


# --------------------------------------------------------------------------------------------- what all promise


def test_a_status_is_the_program_s_own_and_both_streams_are_heard(confiner: Confiner):
    seen = ran(confiner, python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert (seen.out, seen.err) == ("out\n", "err\n")
    assert (seen.ended.reason, seen.ended.status, seen.ended.signal) == ("exited", 3, None)


def test_all_that_it_printed_before_its_end_is_heard(confiner: Confiner):
    seen = ran(confiner, python("print('x' * 3_000_000)"))
    assert (len(seen.out), seen.ended.reason, seen.ended.status) == (3_000_001, "exited", 0)


@pytest.mark.parametrize("status", [1, 125, 127])
def test_every_status_may_be_a_program_s_own(confiner: Confiner, status: int):
    ended = ran(confiner, python(f"raise SystemExit({status})")).ended
    assert (ended.reason, ended.status) == ("exited", status)


def test_a_death_by_a_signal_is_not_a_timeout(confiner: Confiner):
    ended = ran(confiner, python("import os; os.kill(os.getpid(), 9)")).ended
    assert (ended.reason, ended.status, ended.signal) == ("signalled", None, 9)


def test_it_lies_still_until_it_is_released(confiner: Confiner, tmp_path: Path):
    async def before() -> int:
        program = python("open('/there/ran', 'w')", Bind(tmp_path, "/there", writable=True))
        async with await confiner.start(program) as held:
            return (await held.activity()).processes

    assert asyncio.run(before()) == 0
    assert list(tmp_path.iterdir()) == []


def test_it_reads_what_it_is_given_and_then_the_end(confiner: Confiner):
    given = b"a" * 300_000
    assert ran(confiner, python("print(len(__import__('sys').stdin.read()))", stdin=given)).out == "300000\n"
    assert ran(confiner, python("print(__import__('sys').stdin.read())")).out == "\n"


def test_its_environment_is_what_was_given_and_nothing_else(confiner: Confiner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY_OF_THE_CALLER", "secret")
    said = ran(confiner, python("import json, os; print(json.dumps(sorted(os.environ)))")).said
    assert set(said) - {"PWD", "LC_CTYPE"} == {"HOME", "LANG", "PATH"}


def test_a_given_file_is_there_and_cannot_be_written(confiner: Confiner, fork: Fork):
    code = "print(open('/workspace/a/b').read(), __import__('os').stat('/workspace/a/b').st_mode & 0o222)"
    assert ran(confiner, python(code, fork, Given(b"seven", "/workspace/a/b"))).out == "seven 0\n"


def test_beside_a_given_file_it_may_write(confiner: Confiner, fork: Fork):
    code = "open('/workspace/a/b/new', 'w'); open('/workspace/a/new', 'w'); print('written')"
    assert ran(confiner, python(code, fork, Given(b"seven", "/workspace/a/b/c"))).out == "written\n"


def test_a_fork_is_read_from_below_written_above_and_below_stays_as_it_was(confiner: Confiner, fork: Fork):
    (fork.lower / "kept").write_text("kept")
    (fork.lower / "gone").write_text("gone")
    code = "import os; print(sorted(os.listdir())); open('kept', 'a').write('!'); os.remove('gone'); open('new', 'w')"
    seen = ran(confiner, python(code, fork, cwd="/workspace"))
    assert seen.out == "['gone', 'kept']\n"
    assert {each.name: each.read_text() for each in fork.lower.iterdir()} == {"kept": "kept", "gone": "gone"}
    assert (fork.upper / "kept").read_text() == "kept!"
    assert (fork.upper / "new").exists()


def test_a_second_session_finds_what_the_first_one_left(confiner: Confiner, fork: Fork):
    ran(confiner, python("open('note', 'w').write('one')", fork, cwd="/workspace"))
    assert ran(confiner, python("print(open('note').read())", fork, cwd="/workspace")).out == "one\n"


def test_a_listener_is_reached_where_the_program_was_told(confiner: Confiner):
    code = (
        "import socket; s = socket.create_connection(('127.0.0.1', int('127.0.0.1:8710'.split(':')[1]))); s.send(b'hi')"
    )
    heard: list[bytes] = []

    async def answer(held: Confined) -> None:
        loop = asyncio.get_running_loop()
        guest, _ = await asyncio.wait_for(loop.sock_accept(held.sockets.listening[8710]), 20)
        guest.setblocking(False)
        heard.append(await asyncio.wait_for(loop.sock_recv(guest, 10), 20))
        guest.close()

    seen = asyncio.run(run(confiner, python(code, network=Network("gateway", ports=(8710,))), answer))
    assert (heard, seen.ended.status) == ([b"hi"], 0)


def test_one_that_is_asked_to_end_may_save_what_it_holds(confiner: Confiner, tmp_path: Path):
    code = f"""
import signal, sys
def save(*_):
    open("/there/saved", "w").write("saved")
    sys.exit(7)
signal.signal(signal.SIGTERM, save)
{FOREVER}"""

    async def stop(held: Confined) -> None:
        await held.stop("enough")

    seen = held_until_up(confiner, python(code, Bind(tmp_path, "/there", writable=True)), stop)
    assert (seen.ended.reason, seen.ended.why, seen.ended.status) == ("stopped", "enough", 7)
    assert (tmp_path / "saved").read_text() == "saved"


def test_whoever_leaves_ends_it(confiner: Confiner, mark: str):
    async def leave() -> None:
        up = asyncio.Event()
        async with await confiner.start(python(FOREVER + f"# {mark}"), hear=lambda *_: up.set()) as held:
            await held.release()
            await up.wait()
            assert living(mark)

    asyncio.run(asyncio.wait_for(leave(), 60))
    assert living(mark) == []


def test_what_left_its_parent_and_its_session_is_ended_with_it(confiner: Confiner, mark: str):
    code = f"""
import os
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {IGNORES.replace(chr(10), chr(10) + " " * 12)}
            open("/proc/self/comm", "w").write("x")
            {FOREVER.replace(chr(10), chr(10) + " " * 12)}
        os._exit(0)
for _ in range(3):
    os.wait()
# {mark}"""
    seen = ran(confiner, python(code))
    assert (seen.ended.reason, seen.ended.status) == ("exited", 0)
    assert seen.ended.forced == 3
    assert living(mark) == []


def test_children_that_ended_and_were_never_fetched_are_no_survivors(confiner: Confiner):
    code = """
import os
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
"""
    assert ran(confiner, python(code)).ended.forced == 0


def test_activity_tells_what_it_does(confiner: Confiner, fork: Fork):
    seen = []
    code = "open('f', 'wb').write(b'x' * 100_000)\nsum(range(10_000_000))\n" + FOREVER

    async def look(held: Confined) -> None:
        seen.append(await held.activity())
        while not seen[-1].written_files:
            seen.append(await held.activity())
            await asyncio.sleep(0)
        await held.stop("seen")

    held_until_up(confiner, python(code, fork, cwd="/workspace"), look)
    last = seen[-1]
    assert (last.printed, last.processes, last.written_files) == (3, 1, 1)
    assert last.written_bytes >= 100_000
    assert last.cpu_seconds > 0


def test_after_its_end_there_is_no_activity(confiner: Confiner):
    async def ask() -> None:
        async with await confiner.start(python("")) as held:
            await held.release()
            await held.wait()
            with pytest.raises(InstrumentFault, match="ask `wait` how"):
                await held.activity()

    asyncio.run(ask())


def test_one_that_cannot_start_leaves_nothing_behind(confiner: Confiner, fork: Fork):
    def begin() -> None:
        with pytest.raises(InstrumentFault, match="no program 'nope'"):
            asyncio.run(confiner.start(Program(("nope",), {"PATH": "/usr/bin:/bin"}, (fork,))))

    begin()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    begin()
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    assert [each.name for each in fork.upper.parent.iterdir() if each.name.startswith(".work")] == []


def test_whoever_cannot_keep_what_it_hears_is_told_and_the_program_is_ended(confiner: Confiner, mark: str):
    def full(stream: str, data: bytes) -> None:
        raise OSError("disk full")

    async def whole() -> None:
        async with await confiner.start(python(FOREVER + f"# {mark}"), hear=full) as held:
            await held.release()
            with pytest.raises(OSError, match="disk full"):
                await held.wait()

    asyncio.run(asyncio.wait_for(whole(), 60))
    assert living(mark) == []


def test_many_at_once_are_strangers(confiner: Confiner):
    async def all_of_them() -> list[Seen]:
        return await asyncio.gather(*(run(confiner, python(f"print({n})")) for n in range(8)))

    assert [seen.out for seen in asyncio.run(all_of_them())] == [f"{n}\n" for n in range(8)]


# --------------------------------------------------------------------------------------------- how bubblewrap ends it


def test_one_that_will_not_end_is_killed_after_a_while(bubblewrap: Bubblewrap, mark: str):
    async def stop(held: Confined) -> None:
        await held.stop("enough")

    seen = held_until_up(bubblewrap, python(IGNORES + FOREVER + f"# {mark}"), stop)
    assert (seen.ended.reason, seen.ended.status) == ("stopped", None)


@pytest.mark.parametrize("code", [FOREVER, IGNORES + FOREVER, "import os; os.kill(os.getpid(), 19)\n" + FOREVER])
def test_the_wall_clock_ends_whatever_it_is_doing(bubblewrap: Bubblewrap, code: str):
    ended = ran(bubblewrap, python(code, bounds=Bounds(seconds=0.3))).ended
    assert ended.reason == "wall_clock"
    assert 0.3 <= ended.seconds < 20


def test_a_recursive_fork_bomb_is_bounded_and_gone_with_the_wall_clock(bubblewrap: Bubblewrap, mark: str):
    code = f"""
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
# {mark}"""
    ended = ran(bubblewrap, python(code, bounds=Bounds(seconds=0.5, processes=30))).ended
    assert ended.reason == "wall_clock"
    assert living(mark) == []


def test_what_watches_a_program_was_killed_and_nothing_is_left(bubblewrap: Bubblewrap, mark: str):
    async def kill(held: Confined) -> None:
        program = max(living(mark))
        outer = min(living(mark))
        supervisor = int(procs._stat(outer)[1])
        assert program != outer
        os.kill(supervisor, signal.SIGKILL)

    seen = held_until_up(bubblewrap, python(FOREVER + f"# {mark}"), kill)
    assert seen.ended.reason == "instrument_lost"
    gone(mark)
    assert ran(bubblewrap, python("print(1)")).out == "1\n"


def test_where_its_watcher_came_from_was_killed_and_it_runs_all_the_same(mark: str):
    async def ended() -> Ended:
        async with await Bubblewrap().start(python(f"print(1) # {mark}")) as held:
            supervisor = int(procs._stat(min(living(mark)))[1])
            os.kill(int(procs._stat(supervisor)[1]), signal.SIGKILL)
            await held.release()
            return await held.wait()

    assert asyncio.run(ended()).reason == "exited"
    gone(mark)


def test_what_confines_it_was_killed_and_that_says_nothing_of_the_program(bubblewrap: Bubblewrap, mark: str):
    async def kill(held: Confined) -> None:
        os.kill(min(living(mark)), signal.SIGKILL)

    seen = held_until_up(bubblewrap, python(FOREVER + f"# {mark}"), kill)
    assert (seen.ended.reason, seen.ended.status) == ("sandbox_failed", None)


def test_one_started_in_a_thread_that_is_gone_lives_on(mark: str):
    confiner = Bubblewrap()
    thread = threading.Thread(target=lambda: ran(confiner, python("")))
    thread.start()
    thread.join()
    assert ran(confiner, python("print(1)")).out == "1\n"


# --------------------------------------------------------------------------------------------- what bubblewrap bounds


def test_processes_are_counted_for_each_sandbox_alone(bubblewrap: Bubblewrap):
    code = """
import os, signal
made = 0
try:
    while True:
        if os.fork() == 0:
            signal.pause()
        made += 1
except BlockingIOError:
    print(made)
"""

    async def two() -> list[Seen]:
        program = python(code, bounds=Bounds(processes=20))
        return await asyncio.gather(run(bubblewrap, program), run(bubblewrap, program))

    assert [int(seen.out) for seen in asyncio.run(two())] == [18, 18]  # bwrap's first process, the program, and these


def test_memory_is_counted_for_all_its_processes_together(bubblewrap: Bubblewrap):
    code = """
import os, signal
for _ in range(3):
    if os.fork() == 0:
        data = b"x" * (60 << 20)
        signal.pause()
signal.pause()
"""
    ended = ran(bubblewrap, python(code, bounds=Bounds(memory_mb=120))).ended
    assert ended.reason == "memory"
    assert "more than 120 MB" in ended.why


def test_memory_that_is_shared_counts_once(bubblewrap: Bubblewrap):
    code = """
import os, time
data = b"x" * (60 << 20)
pids = [os.fork() for _ in range(1)]
if pids[0] == 0:
    pids = [os.fork(), os.fork()]
until = time.monotonic() + 0.6
while time.monotonic() < until:
    time.sleep(0.05)
"""
    assert ran(bubblewrap, python(code, bounds=Bounds(memory_mb=120))).ended.reason == "exited"


def test_address_space_is_bounded_for_each_process(bubblewrap: Bubblewrap):
    seen = ran(bubblewrap, python("b'x' * (500 << 20)", bounds=Bounds(address_mb=300)))
    assert "MemoryError" in seen.err


@pytest.mark.parametrize(("place", "megabytes"), [("/scratch", 1), ("/dev/shm", 64), ("/home/agent", 64)])
def test_a_folder_in_memory_has_a_size(bubblewrap: Bubblewrap, place: str, megabytes: int):
    code = f"""
import errno
made = 0
try:
    with open("{place}/f", "wb", buffering=0) as f:
        while True:
            made += f.write(b"x" * (1 << 16))
except OSError as error:
    print(made >> 16, errno.errorcode[error.errno])
"""
    assert ran(bubblewrap, python(code, Scratch("/scratch", 1))).out == f"{megabytes * 16} ENOSPC\n"


@pytest.mark.parametrize("place", ["/dev", "/", "/usr", "/etc", "/proc"])
def test_what_is_not_a_folder_for_writing_takes_nothing(bubblewrap: Bubblewrap, place: str):
    code = f"""
import os
try:
    os.mkdir(os.path.join("{place}", "new"))
except OSError as error:
    print("refused")
"""
    assert ran(bubblewrap, python(code)).out == "refused\n"


def test_a_file_has_a_size_even_with_holes_in_it(bubblewrap: Bubblewrap, fork: Fork):
    code = """
import errno
for grow in (lambda f: f.write(b"x" * (3 << 20)), lambda f: f.truncate(1 << 40)):
    try:
        with open("/workspace/f", "wb", buffering=0) as f:
            for _ in range(3):
                grow(f)
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    assert ran(bubblewrap, python(code, fork, bounds=Bounds(file_mb=2))).out == "EFBIG\nEFBIG\n"


def test_what_it_writes_is_bounded_in_bytes(bubblewrap: Bubblewrap, fork: Fork):
    code = "import signal\nfor n in range(8): open(f'/workspace/{n}', 'wb').write(b'x' * (1 << 20))\nsignal.pause()"
    ended = ran(bubblewrap, python(code, fork, bounds=Bounds(written_mb=5))).ended
    assert ended.reason == "written"
    assert "MB lie in its writable folders, more than 5 MB" in ended.why


def test_what_it_writes_is_bounded_in_files(bubblewrap: Bubblewrap, fork: Fork):
    code = "import os, signal\nfor n in range(300): os.mkdir(f'/workspace/{n}')\nsignal.pause()"
    ended = ran(bubblewrap, python(code, fork, bounds=Bounds(written_files=200))).ended
    assert (ended.reason, ended.why) == ("written", "more than 200 files lie in its writable folders")


def test_folders_cannot_hide_in_folders(bubblewrap: Bubblewrap, fork: Fork):
    code = """
import os, signal
os.chdir("/workspace")
for n in range(600):
    os.mkdir("d")
    os.chdir("d")
signal.pause()
"""
    ended = ran(bubblewrap, python(code, fork)).ended
    subprocess.run(["rm", "-rf", str(fork.upper)], check=True)  # what pytest tidies up with goes too deep to return
    assert (ended.reason, "deep in each other" in ended.why) == ("written", True)


def test_a_flood_of_output_is_read_and_dropped(bubblewrap: Bubblewrap):
    flood = Program(("/usr/bin/yes",), {"PATH": "/usr/bin"}, bounds=Bounds(seconds=0.5, output_mb=1))
    seen = ran(bubblewrap, flood)
    assert len(seen.out) == 1 << 20
    assert seen.ended.dropped > 1 << 20
    assert seen.ended.reason == "wall_clock"


def test_processor_time_is_bounded(bubblewrap: Bubblewrap):
    ended = ran(bubblewrap, python("while True: pass", bounds=Bounds(cpu_seconds=1))).ended
    assert (ended.reason, ended.signal) == ("signalled", signal.SIGKILL)


def test_open_files_are_bounded(bubblewrap: Bubblewrap):
    code = "import os\ntry:\n while True: n = os.dup(0)\nexcept OSError: print(n)"
    assert ran(bubblewrap, python(code, bounds=Bounds(open_files=50))).out == "49\n"


# --------------------------------------------------------------------------------------------- what bubblewrap shows


def test_what_is_deleted_shows_in_the_difference(bubblewrap: Bubblewrap, fork: Fork):
    (fork.lower / "gone").write_text("gone")
    ran(bubblewrap, python("import os; os.remove('/workspace/gone')", fork))
    left = (fork.upper / "gone").lstat()
    assert stat.S_ISCHR(left.st_mode)
    assert left.st_rdev == 0


def test_a_folder_of_the_host_can_be_read_and_not_be_written(bubblewrap: Bubblewrap, tmp_path: Path):
    (tmp_path / "f").write_text("seven")
    tmp_path.chmod(0o700)
    code = "import os; print(open('/there/f').read(), os.access('/there', os.W_OK), os.path.exists('/there/new'))"
    assert ran(bubblewrap, python(code, Bind(tmp_path, "/there"))).out == "seven False False\n"


def test_on_the_host_it_is_never_root(bubblewrap: Bubblewrap, mark: str):
    seen: list[int] = []

    async def look(held: Confined) -> None:
        seen.extend(os.stat(f"/proc/{pid}").st_uid for pid in living(mark))  # noqa: PTH116
        await held.stop("seen")

    said = held_until_up(bubblewrap, python(f"import os; print(os.getuid())\n{FOREVER}# {mark}"), look)
    assert said.out.startswith("1000\n")
    assert 0 not in seen
    assert len(seen) >= 3


def test_two_at_once_are_two_users_of_the_host_when_root_runs_them(bubblewrap: Bubblewrap, mark: str):
    async def owners() -> list[int]:
        program = python(f"# {mark}")
        async with await bubblewrap.start(program), await bubblewrap.start(program):
            return [os.stat(f"/proc/{pid}").st_uid for pid in living(mark)]  # noqa: PTH116

    assert len(set(asyncio.run(owners()))) == (2 if os.geteuid() == 0 else 1)


def test_there_is_a_capture_from_before_it_ran(bubblewrap: Bubblewrap):
    code = """
import socket
try:
    socket.create_connection(("203.0.113.9", 9), 5)
except OSError as error:
    print(type(error).__name__)
"""
    caught: list[bytes] = []

    async def whole() -> Seen:
        heard: list[bytes] = []
        async with await bubblewrap.start(python(code), hear=lambda _, data: heard.append(data)) as held:
            await held.release()
            ended = await held.wait()
            assert held.sockets.capture is not None
            capture = Capture(held.sockets.capture)
            caught.extend(capture.early())
            while not any(OUTSIDE in each for each in caught):
                assert select.select([capture], [], [], 20)[0], caught
                for burst in capture.bursts():
                    caught.extend(burst)
            return Seen(b"".join(heard).decode(), "", ended)

    assert asyncio.run(whole()).out == "ConnectionRefusedError\n"
    assert caught[0][30:34] == OUTSIDE, "the first packet of all is the one that was sent"
