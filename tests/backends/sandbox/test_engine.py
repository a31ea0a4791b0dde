"""Docker with a real engine: it keeps the promises of every confiner, and holds the bounds that bubblewrap holds.

Where no engine answers root, all of it is skipped. The image is made of this machine's own Python.
"""

import asyncio
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from backends.network import test_sandboxed
from backends.sandbox import attacks, confining, engine, test_attacks, test_commands, test_confined, test_killed
from backends.sandbox.confining import CONFINERS, living, python
from backends.sandbox.test_commands import ran  # noqa: F401 (a fixture)
from backends.sandbox.test_confined import FOREVER, fork, held_until_up, mark  # noqa: F401 (fixtures)
from rung.backends.sandbox import procs, staging
from rung.backends.sandbox.commands import BOUNDS, Commands
from rung.backends.sandbox.docker import Docker
from rung.core.confined import Bounds, Confined, Fork, Given, Program
from rung.core.errors import InstrumentFault

if os.geteuid() != 0 or not engine.answers():
    pytest.skip("a docker engine that answers root", allow_module_level=True)

pytestmark = pytest.mark.slow  # a container takes half a second

OTHERWISE = {
    "test_what_watches_a_program_was_killed_and_nothing_is_left",  # both are found otherwise, see below
    "test_what_confines_it_was_killed_and_that_says_nothing_of_the_program",
    "test_one_started_in_a_thread_that_is_gone_lives_on",  # these are of bubblewrap by name
    "test_it_is_stamped_with_what_confines_it",
    "test_a_sandbox_that_cannot_be_made_is_a_fault",
    "test_an_unprivileged_instrument_keeps_the_same_record",
    "test_what_is_deleted_shows_in_the_difference",  # a fork is a copy
    "test_a_folder_of_the_host_can_be_read_and_not_be_written",  # one that is closed to others is refused
    "test_on_the_host_it_is_never_root",  # its number is the host's, see below
}
"""What is said of bubblewrap and is not so here."""

NAMES_OF_THE_HOST = "it learns from its mounts and its folder which exam it sits"
"""The one attack that succeeds: /proc/self/mountinfo names the folders of the host."""

for module in (test_confined, test_commands, test_sandboxed):
    tests = {name: each for name, each in vars(module).items() if name.startswith("test_") and name not in OTHERWISE}
    globals().update(tests)


@pytest.fixture(scope="module", autouse=True)
def _image() -> None:
    engine.import_image()


@pytest.fixture
def confiner() -> Docker:
    docker = CONFINERS["docker"]()
    assert isinstance(docker, Docker)
    return docker


@pytest.fixture(scope="module")
def bubblewrap() -> Docker:
    """What stands in for bubblewrap in the tests of its bounds."""
    found = Docker(engine.IMAGE, grace=0.2)
    assert found.probe().missing == ()
    return found


@pytest.fixture(scope="module")
def box(bubblewrap: Docker) -> Commands:
    return Commands(bubblewrap, replace(BOUNDS, written_mb=8))


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_every_attack_but_one_is_kept_out(name: str):
    said = test_attacks.carried_out("docker", "whoever runs the tests")[name]
    assert attacks.ATTACKS[name].kept_out(said) == (name != NAMES_OF_THE_HOST), said


# --------------------------------------------------------------------------------------------- what a program meets


def test_it_is_agent_under_a_number_of_its_own(confiner: Docker):
    code = (
        "import json, os, pwd; u = os.getuid(); print(json.dumps([u, os.getgid(), os.getgroups(), pwd.getpwuid(u)[0]]))"
    )
    user, group, groups, name = confining.ran(confiner, python(code)).said
    assert staging.FIRST_USER <= user <= staging.LAST_USER
    assert (group, groups, name) == (user, [user], "agent")


def test_it_reads_nothing_of_the_host_s_names(confiner: Docker):
    code = "import json; print(json.dumps([open(f'/etc/{n}').read() for n in ('hosts', 'resolv.conf', 'hostname')]))"
    hosts, resolver, name = confining.ran(confiner, python(code)).said
    assert hosts == "127.0.0.1 localhost sandbox\n::1 localhost\n"
    assert resolver == "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n"
    assert name == "sandbox\n"


def test_it_may_run_what_it_writes_to_tmp(confiner: Docker):
    code = """
import os, subprocess
open("/tmp/tool", "w").write("#!/bin/sh\\necho ran\\n")
os.chmod("/tmp/tool", 0o755)
print(subprocess.run(["/tmp/tool"], stdout=subprocess.PIPE).stdout.decode().strip())
"""
    assert confining.ran(confiner, python(code)).out == "ran\n"


def test_a_link_in_its_home_leads_no_mount_out_of_it(confiner: Docker, fork: Fork, tmp_path: Path):  # noqa: F811
    (outside := tmp_path / "outside").mkdir()
    (fork.upper / "link").symlink_to(outside)
    seen = confining.ran(
        confiner, python("print(open('/workspace/link/f').read())", fork, Given(b"seven", "/workspace/link/f"))
    )
    assert (seen.out, list(outside.iterdir())) == ("seven\n", [])


# --------------------------------------------------------------------------------------------- how it ends


def test_a_program_that_the_kernel_killed_for_memory_is_no_death_of_its_own(confiner: Docker):
    ended = confining.ran(confiner, python("b'x' * (200 << 20)", bounds=Bounds(memory_mb=60))).ended
    assert (ended.reason, ended.enforced_by["memory_mb"]) == ("memory", "cgroup")
    assert ended.why == "the kernel killed one of its processes, for together they held more than 60 MB"


def test_memory_in_a_memfd_is_bounded(confiner: Docker):
    code = "import os; f = os.memfd_create('x'); n = [os.write(f, b'x' * (1 << 20)) for _ in range(200)]; print(len(n))"
    assert confining.ran(confiner, python(code, bounds=Bounds(memory_mb=60))).ended.reason == "memory"


def command_of(container: str) -> int:
    """The process of the engine's command."""
    ending = f"\0{container}\0".encode()
    return next(pid for pid in procs.below(os.getpid()) if Path(f"/proc/{pid}/cmdline").read_bytes().endswith(ending))


def containers(word: str) -> list[str]:
    """Containers whose command holds a word, running or not."""
    asked = ["docker", "ps", "--all", "--no-trunc", "--format", "{{.Names}} {{.Command}}"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in lines if word in line]


def test_the_engine_s_command_was_killed_and_that_says_nothing_of_the_program(confiner: Docker, mark: str):  # noqa: F811
    async def kill(held: Confined) -> None:
        os.kill(command_of(containers(mark)[0]), signal.SIGKILL)

    seen = held_until_up(confiner, python(FOREVER + f"# {mark}"), kill)
    assert (seen.ended.reason, seen.ended.status) == ("sandbox_failed", None)
    assert (containers(mark), living(mark)) == ([], [])


def test_a_container_was_ended_from_outside_and_that_says_nothing_of_the_program(confiner: Docker, mark: str):  # noqa: F811
    async def kill(held: Confined) -> None:
        asked = ["docker", "kill", containers(mark)[0]]
        await asyncio.to_thread(subprocess.run, asked, capture_output=True, check=True)

    seen = held_until_up(confiner, python(FOREVER + f"# {mark}"), kill)
    assert (seen.ended.reason, seen.ended.status) == ("sandbox_failed", None)


def test_the_supervisor_was_killed_and_no_container_is_left(confiner: Docker, mark: str):  # noqa: F811
    async def kill(held: Confined) -> None:
        os.kill(int(procs._stat(command_of(containers(mark)[0]))[1]), signal.SIGKILL)

    seen = held_until_up(confiner, python(FOREVER + f"# {mark}"), kill)
    assert seen.ended.reason == "instrument_lost"
    assert (containers(mark), living(mark)) == ([], [])


@pytest.mark.parametrize(("when", "milliseconds"), [("late", 0), *(("early", ms) for ms in range(0, 600, 60))])
def test_an_instrument_that_is_killed_leaves_no_container(when: str, milliseconds: float, mark: str):  # noqa: F811
    test_killed.killed("docker", mark, when, milliseconds)
    assert containers(mark) == []


def test_one_that_cannot_start_leaves_no_container(confiner: Docker, mark: str):  # noqa: F811
    with pytest.raises(InstrumentFault, match="no program 'nope'"):
        asyncio.run(confiner.start(Program(("nope", mark), {"PATH": "/usr/bin:/bin"})))
    assert containers(mark) == []
