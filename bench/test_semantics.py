"""Annotating 10,000 proposals of one lineage without a model, each held against all that stood before: under 60 s."""

import random
from collections.abc import Sequence

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.findings.semantics.annotator import annotate
from rung.findings.semantics.values import Earlier, Held, Proposal

PROPOSALS, AT_ONCE, SECONDS = 10_000, 5, 60.0

VERBS = "open mark check compute compare buy sell plant harvest turn follow retry read answer keep avoid try record"
WHAT = "cell corner mine budget plan crop card boss wall branch rule error answer action number enemy day gold"
WHEN = "first last early later at once before the end after an error when unsure if nothing is certain"


def text(rng: random.Random) -> str:
    """A note as methods write them: of two clauses, with a number now and then."""
    clauses = [
        f"{rng.choice(VERBS.split())} the {rng.choice(WHAT.split())} of each {rng.choice(WHAT.split())}"
        for _ in range(2)
    ]
    return f"{' and '.join(clauses)} {' '.join(rng.sample(WHEN.split(), 3))} {rng.randint(1, 99)}."


@pytest.fixture(scope="module")
def proposals() -> Sequence[Proposal]:
    rng = random.Random(1)
    made: list[Proposal] = []
    standing: list[Earlier] = []
    for step in range(PROPOSALS // AT_ONCE):
        there, said = tuple(standing), list[Earlier]()
        for number in range(AT_ONCE):
            earlier = Earlier(f"{step}.{number}", text(rng))
            held = Held(there, said, len(said))
            path = "agent/memory/playbook.jsonl"
            made.append(Proposal(earlier.id, "farm-v1", "planning", "ace", path, "add", earlier.text, None, held))
            said.append(earlier)
        standing += said
    return made


def test_ten_thousand_proposals(benchmark: BenchmarkFixture, proposals: Sequence[Proposal]) -> None:
    found = benchmark.pedantic(annotate, args=(proposals,), rounds=1)
    assert len(found) == PROPOSALS
    assert benchmark.stats.stats.min < SECONDS
