"""What a user waits for before anything happens. Aims: `rung --help` 0.3 s; a Sweepmine instance with checks 30 ms."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.core import registry
from rung.core.seeds import Seed
from rung.tasks.keys import key


def test_help(benchmark: BenchmarkFixture):
    command = [Path(sys.executable).with_name("rung"), "--help"]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, capture_output=True), rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("setting", ["d1", "d5"])
def test_a_sweepmine_instance_drawn_and_admitted(benchmark: BenchmarkFixture, setting: str):
    family, number = registry.family("sweepmine-v1"), count()

    def drawn() -> None:
        task = family.draw(family.setting(setting), Seed("bench").child(next(number)))
        key("sweepmine-v1").admit(task)

    benchmark.pedantic(drawn, rounds=200, warmup_rounds=5)
