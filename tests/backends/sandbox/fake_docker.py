#!/usr/bin/env python3
"""A docker command without an engine: it writes down what it is asked, and runs a `container` in namespaces of its own.

It confines next to nothing. What it is for: whether the right things are asked of an engine, and in which order.
"""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
IMAGE = "an-image"

BEGIN = """
import fcntl, os, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sH22x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
os.execvp(sys.argv[1], sys.argv[1:])
"""


def main(words: list[str]) -> int:
    with (HERE / "asked.jsonl").open("a") as asked:
        asked.write(json.dumps(words) + "\n")
    if (HERE / "no-engine").exists():
        sys.stderr.write("Cannot connect to the Docker daemon\n")
        return 1
    match words:
        case ["version", *_]:
            sys.stdout.write("99.1\n")
        case ["image", "inspect", *_]:
            return int(words[-1] != IMAGE)
        case ["run", *_]:
            return run(words)
        case ["inspect", *_, name]:
            file = HERE / name
            sys.stdout.write(file.read_text() if file.exists() else "0")
        case ["rm", "--force", name]:
            (HERE / name).with_suffix(".gone").touch()
            try:
                os.kill(int((HERE / name).read_text()), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                return 1
    return 0


def run(words: list[str]) -> int:
    command = words[words.index(IMAGE) + 1 :]
    env = {}
    for flag, value in pairwise(words):
        if flag == "--env":
            name, _, env[name] = value.partition("=")
    container = ["unshare", "--net", "--fork", "--kill-child", "--", sys.executable, "-c", BEGIN, *command]
    init = subprocess.Popen(container, env=env | {"PATH": "/usr/bin:/bin"})
    if "--name" in words:
        (HERE / words[words.index("--name") + 1]).write_text(str(init.pid))
    status = init.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
