#!/usr/bin/env python3
"""A docker command without an engine: it writes down what it is asked, and runs a `container` in namespaces of its own.

It confines next to nothing. What it is for: whether the right things are asked of an engine, and in which order.
"""

import json
import os
import signal
import subprocess
import sys
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
        sys.stdout.write("\n")  # as the real one does
        sys.stderr.write("Cannot connect to the Docker daemon\n")
        return 1
    match words:
        case ["version", *_]:
            sys.stdout.write("99.1\n")
        case ["image", "inspect", *_]:
            return int(words[-1] != IMAGE)
        case ["create", *_]:
            (HERE / name_of(words)).with_suffix(".created").write_text(json.dumps(words))
        case ["start", *_, name]:
            return start(name)
        case ["inspect", "--format", asked, name]:
            file = HERE / name
            kind = ".state" if "ExitCode" in asked else ""
            sys.stdout.write(file.with_suffix(kind).read_text() if file.with_suffix(kind).exists() else "0")
        case ["rm", "--force", *_, name]:
            try:
                os.kill(int((HERE / name).read_text()), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                return 1
    return 0


def name_of(words: list[str]) -> str:
    return words[words.index("--name") + 1]


def start(name: str) -> int:
    words = json.loads((HERE / name).with_suffix(".created").read_text())
    places = {bind.rpartition("target=")[2].removesuffix(",readonly"): bind for bind in words if "source=" in bind}
    command = [
        places[word].split(",")[1].removeprefix("source=") if word in places else word
        for word in words[words.index(IMAGE) + 1 :]
    ]
    container = ["unshare", "--net", "--fork", "--kill-child", "--", sys.executable, "-c", BEGIN, *command]
    init = subprocess.Popen(container, env={"PATH": "/usr/bin:/bin"})
    children = Path(f"/proc/{init.pid}/task/{init.pid}/children")
    while not (shell := children.read_text().strip()) and init.poll() is None:
        pass
    (HERE / name).write_text(shell)
    status = init.wait()
    status = status if status >= 0 else 128 - status
    (HERE / name).with_suffix(".state").write_text(f"exited {status} false")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
