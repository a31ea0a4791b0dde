"""Keeps, forks and discards homes, and dies where it is told to. Run by the crash tests in a process of its own.

What was kept is acknowledged on stdout. Run again after a crash it goes on, and ends as if nothing had happened.
"""

import sys
from pathlib import Path

from rung.core.confined import Bind
from rung.store.blobs import BlobFiles
from rung.store.homes import Forked, Homes
from rung.testing.crashes import die_at

SESSIONS = 3


def home_of(folder: Path) -> Path:
    """A home of a few files, of which one is large."""
    home = folder / "home"
    (home / "notes").mkdir(parents=True, exist_ok=True)
    for number in range(5):
        (home / f"notes/{number}.md").write_text(f"note {number}")
    (home / "large").write_bytes(b"large" * 500_000)
    return home


def work(forked: Forked, number: int) -> None:
    """What a session writes; the same when it is done again. In an overlay, its program sees it on what lies below."""
    top = forked.mount.outside if isinstance(forked.mount, Bind) else forked.mount.upper
    (top / "diary").mkdir(exist_ok=True)
    (top / "diary" / f"{number}.md").write_text(f"session {number}")


def acknowledge(manifest: str) -> None:
    """Say that this is kept."""
    sys.stdout.write(f"{manifest}\n")
    sys.stdout.flush()


def run(folder: Path, how: str) -> None:
    """Keep a home, and fork it from session to session."""
    homes = Homes(folder / "homes", BlobFiles(folder / "blobs"))
    homes.tidy()
    kept = homes.keep(home_of(folder))
    acknowledge(kept.manifest)
    for number in range(SESSIONS):
        forked = homes.forked(f"s{number}")
        if forked is None or forked.base != kept.manifest:
            forked = homes.fork(
                kept.manifest, "/home/agent", name=f"s{number}", how="copy" if how == "copy" else "overlay"
            )
        work(forked, number)
        kept = homes.keep(forked)
        acknowledge(kept.manifest)
    for number in range(SESSIONS):
        homes.discard(f"s{number}")


if __name__ == "__main__":
    _, folder, how, label, passes = sys.argv
    if label:
        die_at(label, int(passes))
    run(Path(folder), how)
