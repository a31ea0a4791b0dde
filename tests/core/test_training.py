"""What weights, examples and a spec may be."""

import pytest

from rung.core.errors import UsageError
from rung.core.training import WEIGHTS, ArtifactRef, Example, TrainSpec, named_in, naming
from rung.core.values import ModelRequest, State

SHA = "0123456789abcdef" * 4


def test_a_state_names_the_weights_it_was_given_and_keeps_its_other_files():
    state = naming(State({"agent/system.md": b"Be brief."}), ArtifactRef("policy-v1", SHA))
    assert state.files[WEIGHTS] == b'{"format":"policy-v1","sha256":"' + SHA.encode() + b'"}\n'
    assert named_in(state) == ArtifactRef("policy-v1", SHA)
    assert state.files["agent/system.md"] == b"Be brief."


def test_a_state_without_the_file_names_no_weights():
    assert named_in(State()) is None


@pytest.mark.parametrize(
    "file",
    [b"", b"[]", b"{}", b'{"format":"policy-v1"}', b'{"format":"policy-v1","sha256":7}', b"\xff", b"[" * 100_000],
)
def test_a_file_that_is_no_name_of_weights_is_refused_with_what_was_seen(file: bytes):
    with pytest.raises(UsageError, match=r"agent/weights.json holds no name of weights, seen"):
        named_in(State({WEIGHTS: file}))


@pytest.mark.parametrize("sha", ["", SHA[:-1], SHA.upper(), f"../{SHA[3:]}"])
def test_weights_are_named_by_a_whole_sha256_and_by_nothing_else(sha: str):
    with pytest.raises(UsageError, match="named by a format and a SHA-256"):
        ArtifactRef("policy-v1", sha)


def test_an_example_needs_something_that_is_answered():
    with pytest.raises(UsageError, match="an example needs a message"):
        Example(ModelRequest((), "agent"), "yes")


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"batch": 0}, {"rate": 0.0}, {"rate": float("nan")}, {"rate": -1.0}])
def test_a_spec_that_cannot_be_trained_by_cannot_be_built(wrong: dict):
    with pytest.raises(UsageError, match="seen"):
        TrainSpec(**wrong)
