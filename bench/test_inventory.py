"""Inventory and adoption of a session of 10,000 calls over 5,000 files, through the journal."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from findings.planted import Call, World, bash, write
from rung.findings.adoption import adoptions
from rung.findings.inventory import inventories

CALLS, FILES, SEGMENTS = 10_000, 5_000, 20


def acts(number: int) -> Call:
    """Calls of the kinds there are, each over another file."""
    at = number % FILES
    return (
        write(f"/workspace/d{at % 50}/f{at}.py", f"def f{at}(x):\n    assert x\n    return 'a line of its own {at}'\n"),
        bash(
            f"cd /workspace/d{at % 50} && python3 f{at}.py | tee -a log.csv",
            f"    return 'a line of its own {at}'\n" * 20,
        ),
        bash(f"python3 - <<'E'\nfrom d{at % 50}.f{at} import f{at}\nprint(f{at}(1))\nE", "1"),
        ("Read", {"file_path": f"/workspace/d{at % 50}/f{at}.py"}, f"def f{at}(x):\n    assert x\n"),
    )[number % 4]


def session(made: World, path: str, began: str, calls: Sequence[Call], left: str | None) -> None:
    """A session whose conversation is compacted now and then, as one so long would be."""
    size = len(calls) // SEGMENTS
    made.session(path, began, calls[:size], left=left)
    for segment in range(1, SEGMENTS):
        turns: list[dict[str, object]] = [{"role": "user", "content": [{"type": "text", "text": "So far."}]}]
        for at in range(segment * size, (segment + 1) * size):
            tool, arguments, result = calls[at]
            call = {"type": "tool_use", "id": f"{at}", "name": tool, "input": dict(arguments)}
            made.exchange(path, at + segment, turns, "You are an agent.", [call])
            answer = {"type": "tool_result", "tool_use_id": f"{at}", "content": result}
            turns = [*turns, {"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
            turns = turns[-40:]


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    shipped = made.exam(1)
    calls = [acts(number) for number in range(CALLS)]
    left = made.snapshot(
        {},
        {
            f"d{at % 50}/f{at}.py": f"def f{at}(x):\n    assert x\n    return 'a line of its own {at}'\n"
            for at in range(FILES)
        },
    )
    session(made, "claude/L1/work", shipped, calls, left)
    session(made, made.sat(1, 1, 1.0), left, calls, None)
    return made


def test_the_inventory_of_10000_calls_over_5000_files(benchmark: BenchmarkFixture, world: World):
    (found,) = benchmark.pedantic(inventories, (world.journal,), rounds=1)
    assert len(found.pieces) == FILES


def test_the_adoption_of_10000_calls_over_5000_files(benchmark: BenchmarkFixture, world: World):
    (found,) = benchmark.pedantic(adoptions, (world.journal,), rounds=1)
    assert len(found.attempts[0].uses) > FILES / 4
