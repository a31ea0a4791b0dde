"""How fast homes are. Aim: a fork of a home of 4,000 files, ready to be written to, in 100 ms."""

import random
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.core.confined import Fork
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes, Kept
from rung.store.walker import remove

FILES, EACH = 4000, 20_000  # 80 MB: what Claude Code and a virtual environment leave


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    bytes_of = random.Random(7).randbytes
    for number in range(FILES):
        file = folder / "home" / f"a{number % 80}" / f"b{number % 7}" / f"{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes_of(EACH))
    yield folder
    remove(folder)


@pytest.fixture(scope="module")
def homes(place: Path) -> Homes:
    return Homes(place / "homes", BlobFiles(place / "blobs"))


@pytest.fixture(scope="module")
def kept(homes: Homes, place: Path) -> Kept:
    return homes.keep(place / "home")


def test_a_home_kept_anew(benchmark: BenchmarkFixture, homes: Homes, place: Path):
    numbers = count()

    def keep() -> Kept:
        return Homes(place / "homes", BlobFiles(place / f"blobs{next(numbers)}")).keep(place / "home")

    assert benchmark.pedantic(keep, rounds=2).files == FILES


def test_a_home_laid_out(benchmark: BenchmarkFixture, homes: Homes, kept: Kept):
    def anew() -> None:
        homes.forget(kept.manifest)

    benchmark.pedantic(lambda: homes.lay_out(kept.manifest), setup=anew, rounds=2)


def test_a_laid_out_home_looked_through(benchmark: BenchmarkFixture, homes: Homes, place: Path, kept: Kept):
    homes.lay_out(kept.manifest)
    benchmark(lambda: Homes(place / "homes", BlobFiles(place / "blobs")).lay_out(kept.manifest))


def test_a_fork_that_is_mounted_and_written_to(benchmark: BenchmarkFixture, homes: Homes, kept: Kept):
    numbers = count()

    def fork() -> None:
        mount = homes.fork(kept.manifest, "/home/agent", name=f"s{next(numbers)}").mount
        assert isinstance(mount, Fork)
        options = f"lowerdir={mount.lower},upperdir={mount.upper},workdir={mount.upper}.work,userxattr"
        script = f"mkdir {mount.upper}.work && mount -t overlay overlay -o {options} /mnt && echo x >>/mnt/a1/b1/1.py"
        subprocess.run(["unshare", "-Urm", "sh", "-c", script], check=True)
        assert [path.name for path in mount.upper.iterdir()] == ["a1"]

    homes.lay_out(kept.manifest)
    benchmark(fork)
    assert benchmark.stats["min"] < 0.1


def test_a_fork_by_copy(benchmark: BenchmarkFixture, homes: Homes, kept: Kept):
    benchmark.pedantic(lambda: homes.fork(kept.manifest, "/home/agent", name="s", how="copy"), rounds=2)


def test_a_fork_kept(benchmark: BenchmarkFixture, homes: Homes, kept: Kept):
    forked = homes.fork(kept.manifest, "/home/agent", name="s")
    assert isinstance(forked.mount, Fork)
    (forked.mount.upper / "new").write_bytes(b"x")
    assert benchmark(lambda: homes.keep(forked)).files == FILES + 1
