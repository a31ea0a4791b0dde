"""A test's unprivileged half: keeps a record as whoever runs it, and prints what it comes to."""

import json
import os
import tempfile
from pathlib import Path

from rung.backends.network import dns
from rung.backends.network.recorder import Recorder

from .frames import hello
from .worlds import ALLOWLIST, World, recorded


async def plan(world: World, _: Recorder) -> None:
    await world.act("ask", address="2001:db8::53", port=53, data=dns.query("good.example").hex())
    await world.act("say", address="198.18.0.1", port=443, data=hello(b"other.example").hex())
    await world.act("serve", port=4444)
    await world.act("flood", port=4444, megabytes=4)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        _, summary = recorded(Path(folder) / "network.jsonl", ALLOWLIST, plan)
    bare = [(each.dst, each.port, each.up) for each in summary.bare]
    named = [each.name for each in summary.named]
    print(json.dumps({"why": summary.why, "bare": bare, "named": named, "user": os.geteuid()}))  # noqa: T201 (what the test reads)
