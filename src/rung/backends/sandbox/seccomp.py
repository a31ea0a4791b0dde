"""What a confined program may not ask of the kernel, as a filter the kernel runs (seccomp(2), classic BPF).

Namespaces hide what is outside; this closes what they do not cover: kinds of sockets that belong to no network
namespace (vsock), the kernel's keyrings, and calls by which programs have come out of sandboxes before. What stays is
what compilers, browsers and agent programs need. A refused call fails as though the kernel had no such thing, so that
libraries fall back.

Numbers are those of the kernel's own tables: arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h.
"""

import errno
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal, TypeAlias

from rung.core.errors import UsageError

# --------------------------------------------------------------------------------------------- the rules


@dataclass(frozen=True, slots=True)
class When:
    """A condition on the low 32 bits of a call's argument: any bit of a mask, one value, or any but some values."""

    argument: int
    any_of: int = 0
    equal: int | None = None
    other_than: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Calls that fail with an error; with conditions, only when all of them hold."""

    calls: tuple[str, ...]
    error: int
    when: tuple[When, ...] = ()


SOCKETS = (1, 2, 10, 16)
"""Kinds of sockets that belong to the program's own namespaces: Unix, IPv4, IPv6, netlink."""

_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""

_TAKES_RIGHTS = 0o6000
"""Set-user-ID and set-group-ID: on the host's disk such a file would lend the rights of whoever runs the sandbox."""

_TIOCSTI, _TIOCLINUX, _O_CREAT = 0x5412, 0x541C, 0o100


def _takes_rights(argument: int) -> When:
    return When(argument, any_of=_TAKES_RIGHTS)


_CREATES = (When(1, any_of=_O_CREAT), _takes_rights(2))
_CREATES_AT = (When(2, any_of=_O_CREAT), _takes_rights(3))

RULES: tuple[Rule, ...] = (
    Rule(("clone3", "openat2"), errno.ENOSYS),  # their arguments lie in memory, where no filter reads
    Rule(("socket",), errno.EAFNOSUPPORT, (When(0, other_than=SOCKETS),)),
    Rule(("clone",), errno.EPERM, (When(0, any_of=_NAMESPACES),)),
    Rule(("unshare", "setns", "chroot", "pivot_root", "mount", "umount2"), errno.EPERM),
    Rule(("open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"), errno.EPERM),
    Rule(("open_tree_attr", "quotactl", "quotactl_fd", "swapon", "swapoff"), errno.EPERM),
    Rule(("add_key", "request_key", "keyctl"), errno.EPERM),
    Rule(("bpf", "perf_event_open", "userfaultfd", "fanotify_init"), errno.EPERM),
    Rule(("io_uring_setup", "io_uring_enter", "io_uring_register"), errno.EPERM),
    Rule(("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"), errno.EPERM),
    Rule(("name_to_handle_at", "open_by_handle_at", "lookup_dcookie"), errno.EPERM),
    Rule(("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"), errno.EPERM),
    Rule(("reboot", "acct", "syslog", "vhangup", "sethostname", "setdomainname"), errno.EPERM),
    Rule(("settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "iopl", "ioperm"), errno.EPERM),
    Rule(("migrate_pages", "move_pages"), errno.EPERM),
    Rule(("ioctl",), errno.EPERM, (When(1, equal=_TIOCSTI),)),
    Rule(("ioctl",), errno.EPERM, (When(1, equal=_TIOCLINUX),)),
    Rule(("chmod", "fchmod", "creat", "mkdir", "mknod"), errno.EPERM, (_takes_rights(1),)),
    Rule(("fchmodat", "fchmodat2", "mkdirat", "mknodat"), errno.EPERM, (_takes_rights(2),)),
    Rule(("open",), errno.EPERM, _CREATES),
    Rule(("openat",), errno.EPERM, _CREATES_AT),
)

# --------------------------------------------------------------------------------------------- the machines

_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "openat2": 437, "pidfd_getfd": 438,
    "mount_setattr": 442, "quotactl_fd": 443, "fchmodat2": 452, "open_tree_attr": 467,
}  # fmt: skip

_X86_64 = _COMMON | {
    "open": 2, "ioctl": 16, "socket": 41, "clone": 56, "mkdir": 83, "creat": 85, "chmod": 90, "fchmod": 91,
    "ptrace": 101, "syslog": 103, "mknod": 133, "vhangup": 153, "pivot_root": 155, "adjtimex": 159, "chroot": 161,
    "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169,
    "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
    "quotactl": 179, "lookup_dcookie": 212, "clock_settime": 227, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "migrate_pages": 256, "openat": 257, "mkdirat": 258, "mknodat": 259,
    "fchmodat": 268, "unshare": 272, "move_pages": 279, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323,
}  # fmt: skip

_AARCH64 = _COMMON | {
    "lookup_dcookie": 18, "ioctl": 29, "mknodat": 33, "mkdirat": 34, "umount2": 39, "mount": 40, "pivot_root": 41,
    "chroot": 51, "fchmod": 52, "fchmodat": 53, "openat": 56, "vhangup": 58, "quotactl": 60, "acct": 89,
    "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116,
    "ptrace": 117, "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "adjtimex": 171,
    "socket": 198, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
    "migrate_pages": 238, "move_pages": 239, "perf_event_open": 241, "fanotify_init": 262, "name_to_handle_at": 264,
    "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
    "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Machine:
    """The kernel's name of an architecture in a filter (AUDIT_ARCH), and its numbers of calls."""

    audit: int
    numbers: Mapping[str, int]
    x32: bool = False


_MACHINES = {"x86_64": _Machine(0xC000003E, _X86_64, x32=True), "aarch64": _Machine(0xC00000B7, _AARCH64)}

MACHINES = tuple(_MACHINES)
"""The architectures whose numbers we have, as `os.uname().machine` names them."""

# --------------------------------------------------------------------------------------------- the filter

_LOAD, _RETURN = 0x20, 0x06
_EQUAL, _ANY_SET = 0x15, 0x45
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x40000000

Step: TypeAlias = tuple[int, int, int, int]
"""One instruction: code, steps to jump when true, steps when false, constant (struct sock_filter)."""


@cache
def program(machine: str) -> bytes:
    """The filter for an architecture, as bwrap's `--seccomp` reads it. Refuses one whose numbers we do not have."""
    if machine not in _MACHINES:
        raise UsageError(f"no list of system calls for the processor {machine!r}; there are: {', '.join(MACHINES)}")
    return b"".join(struct.pack("=HBBI", *step) for step in steps(_MACHINES[machine]))


def steps(machine: _Machine) -> Sequence[Step]:
    """The filter's instructions. A call of another architecture (as `int 0x80` on x86) ends the process."""
    head: list[Step] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine.x32:
        head += [(_ANY_SET, 0, 1, _X32_BIT), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    return [*head, *chain.from_iterable(_ruled(machine)), (_RETURN, 0, 0, _ALLOW)]


def _ruled(machine: _Machine) -> Iterator[Sequence[Step]]:
    for rule in RULES:
        for call in rule.calls:
            if call in machine.numbers:  # a newer architecture lacks the older calls
                yield _refused(machine.numbers[call], rule)


def _refused(number: int, rule: Rule) -> Sequence[Step]:
    """Instructions that end here for a call that the rule refuses, and fall through, number loaded, for any other."""
    body: list[Step] = [(_RETURN, 0, 0, _ERROR | rule.error)]
    if rule.when:
        for when in reversed(rule.when):
            body = [*_unless(when, len(body)), *body]
        body.append((_LOAD, 0, 0, _NUMBER))
    return [(_EQUAL, 0, len(body), number), *body]


def _unless(when: When, over: int) -> Sequence[Step]:
    """Instructions that jump over so many when a condition does not hold."""
    load: Step = (_LOAD, 0, 0, _ARGUMENTS + 8 * when.argument)
    if when.other_than:
        last = len(when.other_than) - 1
        return [load, *((_EQUAL, over + last - i, 0, value) for i, value in enumerate(when.other_than))]
    if when.equal is not None:
        return [load, (_EQUAL, 0, over, when.equal)]
    return [load, (_ANY_SET, 0, over, when.any_of)]


Verdict: TypeAlias = Literal["allow", "kill"] | int


def verdict(code: bytes, *, arch: int, number: int, arguments: Sequence[int] = ()) -> Verdict:
    """What a filter says to a call, found by running it as the kernel would: `allow`, `kill`, or an error number."""
    data = struct.pack("=iIQ6Q", number, arch, 0, *arguments, *([0] * (6 - len(arguments))))
    lines = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at, loaded = 0, 0
    while True:
        kind, true, false, constant = lines[at]
        at += 1
        if kind == _LOAD:
            loaded = struct.unpack_from("=I", data, constant)[0]
        elif kind == _RETURN:
            return "allow" if constant == _ALLOW else "kill" if constant == _KILL else int(constant) & 0xFFFF
        else:
            held = loaded == constant if kind == _EQUAL else bool(loaded & constant)
            at += true if held else false
