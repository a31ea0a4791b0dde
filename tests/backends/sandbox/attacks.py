"""Attacks on whoever runs a program: each is a program, and a judgement of what it prints.

Run as a module it carries all of them out on one runner and prints what each saw, as JSON. It plays an instrument with
secrets: a key in its environment, an answer file, listeners, and an open folder that it forgets to close.
"""

import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backends.sandbox import confining
from rung.backends.sandbox import seccomp
from rung.core.confined import Bounds, Fork

SECRET = "key-that-only-the-instrument-has"
NUMBERS = {"x86_64": seccomp._X86_64, "aarch64": seccomp._AARCH64}[os.uname().machine]
ANSWERS = "the answers"
PHASE = "after-exam"

HEAD = """
import ctypes, errno, json, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    return 0 if libc.syscall(*args) >= 0 else ctypes.get_errno()
def attempt(f, *args, **more):
    try:
        f(*args, **more)
        return "done"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
def read(path):
    try:
        with open(path, "rb") as f:
            return f.read(1 << 20).decode(errors="replace")
    except OSError:
        return ""
def say(what):
    print(json.dumps(what))
"""


@dataclass(frozen=True)
class Attack:
    """A program, and whether what it said shows that it was kept out. `unsafe_keeps`: the unsafe runner keeps it out as
    well; `for_root`: it takes root to succeed on a naive one."""

    code: str
    kept_out: Callable[[Any], bool]
    unsafe_keeps: bool = False
    for_root: bool = False


ATTACKS = {
    "it reads the answers by their path, around corners and through other processes": Attack(
        """
paths = [GRADER, os.path.join("/workspace/..", GRADER[1:]), "/proc/1/root" + GRADER, "/proc/self/root" + GRADER]
paths += [f"/proc/{p}/cwd/{os.path.relpath(GRADER, '/')}" for p in os.listdir("/proc") if p.isdigit()]
say([read(p) for p in paths])
""",
        lambda said: not any(ANSWERS in each for each in said),
    ),
    "it writes outside of its folders": Attack(
        """
folder = os.path.dirname(GRADER)
say([attempt(open, os.path.join(folder, "planted"), "w"), attempt(os.mkdir, folder + "/planted.d")])
""",
        lambda said: "done" not in said,
    ),
    "it reads the instrument's keys from the environment of any process": Attack(
        """
say([read(f"/proc/{p}/environ") for p in os.listdir("/proc") if p.isdigit()] + [str(dict(os.environ))])
""",
        lambda said: not any(SECRET in each for each in said),
    ),
    "it reads paths of the host from command lines": Attack(
        'say([read(f"/proc/{p}/cmdline").split("\\0-c\\0")[0] for p in os.listdir("/proc") if p.isdigit()])',
        lambda said: not any(PHASE in each for each in said),
    ),
    "it finds descriptors that nobody meant to give": Attack(
        """
say(sorted(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}")))
""",
        lambda said: said == [0, 1, 2],
        unsafe_keeps=True,
    ),
    "it opens the answers from a folder that was left open": Attack(
        """
found = []
for fd in range(3, 64):
    try:
        found.append(os.read(os.open("answers.json", os.O_RDONLY, dir_fd=fd), 100).decode())
    except OSError:
        pass
say(found)
""",
        lambda said: said == [],
        unsafe_keeps=True,
    ),
    "it learns from its mounts and its folder which exam it sits": Attack(
        'say([read("/proc/self/mountinfo").replace(GRADER, ""), os.getcwd(), read("/proc/self/mounts")])',
        lambda said: not any(PHASE in each for each in said),
    ),
    "it reaches a service on the host's loopback": Attack(
        """
s = socket.socket()
s.settimeout(5)
say(attempt(s.connect, ("127.0.0.1", PORT)))
""",
        lambda said: said == "ECONNREFUSED",
    ),
    "it reaches a service that listens under an abstract name": Attack(
        "say(attempt(socket.socket(socket.AF_UNIX).connect, ABSTRACT))",
        lambda said: said == "ECONNREFUSED",
    ),
    "it reaches a service that listens at a path": Attack(
        "say(attempt(socket.socket(socket.AF_UNIX).connect, PATHNAME))",
        lambda said: said == "ENOENT",
    ),
    "it opens kinds of sockets that no network namespace holds": Attack(
        "say([attempt(socket.socket, kind, 1 if kind != 38 else 5) for kind in (40, 38, 21)])",
        lambda said: set(said) == {"EAFNOSUPPORT"},
    ),
    "it makes namespaces, and mounts": Attack(
        """
say([call(UNSHARE, ctypes.c_long(0x10000000)), call(435, 0, 0)])
""",
        lambda said: said == [errno.EPERM, errno.ENOSYS],
    ),
    "it asks the kernel for keyrings, rings and programs": Attack(
        """
params = ctypes.create_string_buffer(120)
say([call(KEYCTL, ctypes.c_long(0), ctypes.c_long(-3), 0), call(425, 1, params), call(PTRACE, 0, 0, 0, 0)])
""",
        lambda said: said == [errno.EPERM] * 3,
    ),
    "it has capabilities, or may gain some": Attack(
        """
lines = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
say([int(lines[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    + [int(lines["NoNewPrivs"]), int(lines["Seccomp"])])
""",
        lambda said: said == [0, 0, 0, 0, 0, 1, 2],
    ),
    "it types into a terminal": Attack(
        """
import fcntl, termios
main, sub = os.openpty()
say(attempt(fcntl.ioctl, sub, termios.TIOCSTI, b"x"))
""",
        lambda said: said == "EPERM",
        for_root=True,
    ),
    "it leaves a file behind that lends its owner's rights": Attack(
        """
open("/workspace/tool" if os.path.isdir("/workspace") else WORK + "/tool", "w").close()
at = "/workspace/tool" if os.path.isdir("/workspace") else WORK + "/tool"
say([attempt(os.chmod, at, 0o4755), attempt(os.open, at + "2", os.O_CREAT | os.O_WRONLY, 0o4755)])
""",
        lambda said: said == ["EPERM", "EPERM"],
    ),
    "it sees and ends other processes": Attack(
        """
say([len([p for p in os.listdir("/proc") if p.isdigit()]) <= 3, attempt(os.kill, VICTIM, 0)])
""",
        lambda said: said == [True, "ESRCH"],
    ),
    "it changes what programs and libraries are": Attack(
        """
paths = ["/usr/x", "/etc/x", "/x", "/usr/lib/x", "/dev/x", "/proc/x"]
say([os.access(os.path.dirname(p), os.W_OK) for p in paths] if os.path.exists(GRADER) else
    ["done" == attempt(open, p, "w") for p in paths])
""",
        lambda said: not any(said),
        for_root=True,
    ),
}


# --------------------------------------------------------------------------------------------- the runners


def naive(code: str, folder: Path) -> str:
    """What many harnesses do: a subprocess, in its folder."""
    command = [confining.PYTHON, "-I", "-c", code]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, close_fds=False, timeout=60)
    return done.stdout.decode()


def confined(name: str) -> Callable[[str, Path], str]:
    """One of our confiners."""
    confiner = confining.CONFINERS[name]()

    def run(code: str, folder: Path) -> str:
        for each in ("lower", "upper"):
            (folder / each).mkdir(exist_ok=True)
        program = confining.python(
            code, Fork(folder / "lower", folder / "upper", "/workspace"), cwd="/workspace", bounds=Bounds(seconds=60)
        )
        seen = confining.ran(confiner, program)
        assert seen.ended.reason == "exited", (seen, code)
        return seen.out

    return run


def main(runner: str) -> None:
    """Carry out every attack and print what each said."""
    run = naive if runner == "naive" else confined(runner)
    with tempfile.TemporaryDirectory(prefix=f"{PHASE}-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        grader, work = folder / "answers.json", folder / "work"
        grader.write_text(ANSWERS)
        work.mkdir()
        os.set_inheritable(os.open(folder, os.O_RDONLY), True)
        listeners = [socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
        listeners[0].bind(("127.0.0.1", 0))
        listeners[1].bind(f"\0rung-attack-{os.getpid()}")
        listeners[2].bind(str(folder / "s"))
        for each in listeners:
            each.listen()
        given = {
            "GRADER": str(grader), "WORK": str(work), "PORT": listeners[0].getsockname()[1], "VICTIM": os.getpid(),
            **{name.upper(): NUMBERS[name] for name in ("unshare", "keyctl", "ptrace")},
            "ABSTRACT": f"\0rung-attack-{os.getpid()}", "PATHNAME": str(folder / "s"),
        }  # fmt: skip
        head = HEAD + "\n".join(f"{name} = {value!r}" for name, value in given.items()) + "\n"
        said = {}
        for attack, each in ATTACKS.items():
            printed = run(head + each.code, work)
            said[attack] = json.loads(printed) if printed else None
        json.dump(said, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
