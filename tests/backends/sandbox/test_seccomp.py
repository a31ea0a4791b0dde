"""The filter, run as the kernel would run it. That the kernel does is shown by the attacks."""

import errno
import struct

import pytest

from rung.backends.sandbox import seccomp
from rung.core.errors import UsageError

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {"x86_64": seccomp._X86_64, "aarch64": seccomp._AARCH64}
MACHINES = pytest.mark.parametrize("machine", seccomp.MACHINES)


def verdict(machine: str, call: str, *arguments: int) -> object:
    code = seccomp.program(machine)
    return seccomp.verdict(code, arch=ARCH[machine], number=CALLS[machine][call], arguments=arguments)


@MACHINES
@pytest.mark.parametrize("call", ["mount", "unshare", "setns", "keyctl", "bpf", "ptrace", "io_uring_setup", "reboot"])
def test_what_programs_have_no_business_with_is_refused(machine: str, call: str):
    assert verdict(machine, call) == errno.EPERM


@MACHINES
@pytest.mark.parametrize(
    ("domain", "said"), [(1, "allow"), (2, "allow"), (10, "allow"), (16, "allow"), (40, 97), (17, 97)]
)
def test_sockets_are_of_kinds_that_a_network_namespace_holds(machine: str, domain: int, said: object):
    assert verdict(machine, "socket", domain) == said


@MACHINES
def test_a_process_may_be_made_and_no_namespace_with_it(machine: str):
    assert verdict(machine, "clone", 17) == "allow"
    assert verdict(machine, "clone", 0x3D0F00) == "allow"  # a thread, as glibc makes it
    assert verdict(machine, "clone", 0x10000000 | 17) == errno.EPERM
    assert verdict(machine, "clone3") == errno.ENOSYS


@MACHINES
def test_only_one_use_of_ioctl_types_into_a_terminal(machine: str):
    assert verdict(machine, "ioctl", 0, 0x5412) == errno.EPERM
    assert verdict(machine, "ioctl", 0, 0x5401) == "allow"
    assert verdict(machine, "ioctl", 0, 0x5412 | 1 << 32) == errno.EPERM  # the kernel reads the low half alone


@MACHINES
def test_a_file_may_be_made_executable_and_not_lend_rights(machine: str):
    assert verdict(machine, "fchmod", 3, 0o755) == "allow"
    assert verdict(machine, "fchmod", 3, 0o4755) == errno.EPERM
    assert verdict(machine, "fchmodat", 0, 0, 0o2755) == errno.EPERM
    assert verdict(machine, "openat", 0, 0, 0o101, 0o4755) == errno.EPERM
    assert verdict(machine, "openat", 0, 0, 0o101, 0o755) == "allow"
    assert verdict(machine, "openat", 0, 0, 0, 0o4755) == "allow"  # makes no file, so the mode is not read


@MACHINES
def test_a_call_of_another_processor_ends_the_process(machine: str):
    code = seccomp.program(machine)
    assert seccomp.verdict(code, arch=0x40000003, number=1) == "kill"


def test_calls_of_the_x32_kind_do_not_exist():
    code = seccomp.program("x86_64")
    assert seccomp.verdict(code, arch=ARCH["x86_64"], number=0x40000000 | 41, arguments=[40]) == errno.ENOSYS


@MACHINES
def test_every_call_that_is_named_has_a_number_or_belongs_to_older_processors(machine: str):
    named = {call for rule in seccomp.RULES for call in rule.calls}
    older = {"open", "creat", "chmod", "mkdir", "mknod", "iopl", "ioperm"}
    assert named - CALLS[machine].keys() == (older if machine == "aarch64" else set())
    assert CALLS[machine].keys() - named == set()


@MACHINES
def test_jumps_stay_in_the_filter(machine: str):
    code = seccomp.program(machine)
    lines = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    assert len(lines) < 4096  # the kernel's own limit
    jumps = [(at, line) for at, line in enumerate(lines) if line[0] in (0x15, 0x45)]
    assert all(at + 1 + max(line[1], line[2]) < len(lines) for at, line in jumps)
    assert lines[-1][0] == 0x06  # and it ends with an answer


def test_a_processor_without_a_list_is_refused_by_name():
    with pytest.raises(
        UsageError, match="no list of system calls for the processor 'riscv64'; there are: x86_64, aarch64"
    ):
        seccomp.program("riscv64")
