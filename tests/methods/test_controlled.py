"""Controls of methods: what goes on in place of what was proposed, by hand, and every promise of a method kept."""

import asyncio
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.controls import ControlName
from rung.core.ports import Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.values import Candidate, Evaluation, FeedbackResult, Score, Selection, Skipped, State, Trial
from rung.methods import reflexion, static
from rung.methods._controls import controlled
from rung.methods._controls.edits import Hand, random_letters, rewritten, shuffled_words
from rung.testing.contracts import SUITES, examine
from rung.testing.contracts.methods import MethodCase

KINDS: tuple[ControlName, ...] = ("discard", "no-op", "random-edit", "shuffled")
NOTES = "agent/notes.txt"
INCUMBENT = State({NOTES: b"Look first.\n", "agent/harness.py": b"x = 1\n"})
FEEDBACK = FeedbackResult(
    "h-1", {"family": "f", "setting": "d1"}, (), Evaluation("completed", success=False, score=0.0)
)
LETTERS, WORDS = Hand(random_letters, anywhere=True), Hand(shuffled_words, anywhere=False)


class Writes:
    """Adds a line to the notes, drawing a number for it, and takes what is offered."""

    id = "writes"
    trials = 2
    wrapping = "notes"

    def __init__(self, *more: State) -> None:
        self.more = more
        self.drawn: list[float] = []

    def initial_state(self, agent: Any) -> State:
        return INCUMBENT

    def actor(self, state: State, agent: Any, ports: Ports, rng: random.Random) -> Any:
        return (state, agent)

    async def refine(self, context: RefineContext) -> Any:
        self.drawn.append(context.rng.random())
        line = context.state.files[NOTES] + b"Then act with care.\n"
        return [
            Candidate(context.snapshot, state, {"n": 1})
            for state in (context.state.with_files({NOTES: line}), *self.more)
        ]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Any) -> Selection:
        return Selection(len(trials) - 1, "the last")


def context(state: State = INCUMBENT, seed: str = "s") -> RefineContext:
    return RefineContext("snap", state, FEEDBACK, [FEEDBACK], object(), Ports(), Seed(seed).rng())  # type: ignore[arg-type]


def proposed(kind: ControlName, method: Any = None, seed: str = "s") -> list[Candidate]:
    made = controlled(kind, method or Writes())
    return list(asyncio.run(made.refine(context(seed=seed))))  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------- the wrappers


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_is_the_method_but_for_its_name(kind: ControlName):
    method = Writes()
    made = controlled(kind, method)
    assert (made.id, made.trials, made.wrapping) == (f"writes, {kind}", 2, "notes")
    assert made.initial_state("agent") == INCUMBENT  # type: ignore[arg-type]
    assert made.actor(INCUMBENT, "agent", Ports(), random.Random(1)) == (INCUMBENT, "agent")  # type: ignore[arg-type,comparison-overlap]


@pytest.mark.parametrize("kind", KINDS)
def test_the_method_within_draws_what_it_would_draw_alone(kind: ControlName):
    alone, within = Writes(), Writes()
    asyncio.run(alone.refine(context()))
    proposed(kind, within)
    assert within.drawn == alone.drawn


def test_discard_proposes_what_the_method_does_and_takes_nothing_over():
    made = controlled("discard", Writes())
    (candidate,) = proposed("discard")
    assert candidate.state.files[NOTES] == b"Look first.\nThen act with care.\n"
    chosen = asyncio.run(made.select(context(), Trial(-1, ()), [Trial(0, (Score(1.0),))]))  # type: ignore[arg-type]
    assert chosen == Selection(None, "discarded; the method took candidate 0: the last")


def test_no_op_proposes_the_incumbent_and_lets_the_gate_take_it():
    made = controlled("no-op", Writes())
    (candidate,) = proposed("no-op")
    assert (candidate.parent, candidate.state) == ("snap", INCUMBENT)
    assert candidate.manifest == {"control": "no-op", "proposed": {"n": 1}}
    chosen = asyncio.run(made.select(context(), Trial(-1, ()), [Trial(0, (Score(0.0),))]))  # type: ignore[arg-type]
    assert chosen == Selection(0, "the last")


def test_shuffled_has_the_words_of_the_new_line_in_another_order():
    (candidate,) = proposed("shuffled")
    old, new = candidate.state.files[NOTES].decode().splitlines()
    assert old == "Look first."
    assert sorted(new.split()) == ["Then", "act", "care.", "with"]
    assert new != "Then act with care."
    assert candidate.manifest["characters"] == len("Then act with care.\n")


def test_a_random_edit_is_as_large_and_says_nothing():
    (candidate,) = proposed("random-edit")
    text = candidate.state.files[NOTES].decode()
    assert len(text) == len("Look first.\nThen act with care.\n")
    assert candidate.state.files["agent/harness.py"] == b"x = 1\n"
    assert not any(word in text for word in ("Then", "with", "care"))
    left = text
    for letter in "Look first.\n":  # the incumbent's own letters are all there, in their order
        left = left[left.index(letter) + 1 :]


def test_random_edits_of_other_streams_and_other_candidates_differ():
    again = State({**INCUMBENT.files, NOTES: b"Look first.\nThen act with care.\n"})
    one, twin = proposed("random-edit", Writes(again))
    (same, _), (other, _) = proposed("random-edit", Writes(again)), proposed("random-edit", Writes(again), seed="t")
    assert one.state == same.state
    assert len({each.state.files[NOTES] for each in (one, twin, other)}) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_method_skips_its_control_skips_with_the_same_words(kind: ControlName):
    class Skips(Writes):
        async def refine(self, context: RefineContext) -> Any:
            return Skipped("nothing of use")

    found = asyncio.run(controlled(kind, Skips()).refine(context()))  # type: ignore[arg-type]
    assert found == Skipped("nothing of use")


def test_what_a_method_says_of_its_calls_holds_of_its_control_and_of_no_other():
    said = controlled("no-op", static.make({}))
    assert (said.most_candidates, said.fullest(INCUMBENT, FEEDBACK)) == (0, INCUMBENT)  # type: ignore[attr-defined]
    assert not hasattr(controlled("no-op", Writes()), "most_candidates")  # type: ignore[arg-type]


MADE = [("static", {}), *(("reflexion", options) for options in reflexion.EXAMPLES)]


@pytest.mark.parametrize("check", SUITES["methods"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_a_controlled_method_keeps_every_promise_of_a_method(kind: ControlName, check: Any):
    make = {"static": static.make, "reflexion": reflexion.make}
    gated = kind != "discard"  # which takes nothing over, whatever its trials say
    for name, options in MADE:
        case = MethodCase(lambda name=name, options=options: controlled(kind, make[name](options)), gated=gated)  # type: ignore[misc]
        finding = examine(check, case)
        assert finding.passed, (name, options, finding.detail)


# ---------------------------------------------------------------------------------------------- edits by hand


def edit(path: str, old: bytes | None, new: bytes | None, hand: Hand = WORDS) -> Any:
    before = State({} if old is None else {path: old})
    after = State({} if new is None else {path: new})
    return rewritten(before, after, hand, Seed("edit"))


def record(text: str, **more: Any) -> bytes:
    return (json.dumps({"text": text, **more}, sort_keys=True) + "\n").encode()


@pytest.mark.parametrize("hand", [WORDS, LETTERS])
def test_a_record_keeps_its_keys_and_names_and_only_its_prose_is_written_anew(hand: Hand):
    old, new = record("keep this as is", id="r-1"), record("say a new thing", id="r-2", bucket="farm-v1")
    made = edit("agent/m.jsonl", old, old + new, hand)
    first, second = made.state.files["agent/m.jsonl"].splitlines()
    assert first + b"\n" == old
    found = json.loads(second)
    assert (found["id"], found["bucket"], len(found["text"])) == ("r-2", "farm-v1", len("say a new thing"))
    assert found["text"] != "say a new thing"
    assert (made.files, made.left, made.characters) == (("agent/m.jsonl",), (), len(new))


def test_lines_of_records_without_new_prose_are_left_out_beside_those_with_some():
    old = record("keep this as is", n=1)
    new = record("keep this as is", n=2) + record("say a new thing", n=3)
    made = edit("agent/m.jsonl", old, new)
    (line,) = made.state.files["agent/m.jsonl"].splitlines()
    assert json.loads(line)["n"] == 3


def test_a_document_of_numbers_is_left_as_the_incumbent_has_it_and_named():
    made = edit("agent/skill.json", b'{"general": 0.1}', b'{"general": 0.9}', LETTERS)
    assert made.state.files == {"agent/skill.json": b'{"general": 0.1}'}
    assert (made.files, made.left, made.characters) == ((), ("agent/skill.json",), 0)


def test_a_document_with_new_prose_stays_json():
    new = json.dumps({"rule one": "do this then that", "n": [1, 2]}, indent=1).encode()
    made = json.loads(edit("agent/rules.json", b"{}", new, LETTERS).state.files["agent/rules.json"])
    assert list(made) == ["rule one", "n"]
    assert [len(word) for word in made["rule one"].split()] == [2, 4, 4, 4]
    assert not set(made["rule one"].split()) & {"do", "this", "then", "that"}


def test_files_taken_away_and_bytes_that_are_no_text_are_left():
    gone = edit("agent/a.txt", b"kept\n", None)
    assert (gone.state.files, gone.left) == ({"agent/a.txt": b"kept\n"}, ("agent/a.txt",))
    binary = edit("agent/a.bin", None, b"\xff\xfe")
    assert (binary.state.files, binary.left) == ({}, ("agent/a.bin",))


def test_what_a_method_keeps_for_itself_goes_in_as_it_is():
    before = State({"method/old": b"1", "agent/a": b"x"})
    after = State({"method/new": b"2", "agent/a": b"x"})
    assert rewritten(before, after, LETTERS, Seed("edit")).state.files == {"method/new": b"2", "agent/a": b"x"}


def test_a_shuffled_line_that_was_taken_out_is_taken_out():
    made = edit("agent/a.txt", b"one two\nthree four\nfive six\n", b"one two\nfive six\n")
    assert made.state.files["agent/a.txt"] == b"one two\nfive six\n"


def test_a_random_edit_takes_out_as_much_as_the_edit_did():
    made = edit("agent/a.txt", b"abcdefghij\nklm\n", b"abcdefghij\n", LETTERS)
    text = made.state.files["agent/a.txt"].decode()
    assert len(text) == len("abcdefghij\n")
    assert made.characters == len("klm\n")


plain = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60)


@given(plain, plain, st.integers())
def test_plain_text_written_anew_has_the_length_of_the_proposal(old: str, new: str, seed: int):
    for hand in (WORDS, LETTERS):
        before, after = State({NOTES: old.encode()}), State({NOTES: new.encode()})
        made = rewritten(before, after, hand, Seed(str(seed)))
        assert len(made.state.files[NOTES].decode()) == len(new)


@given(plain, st.integers())
def test_shuffling_keeps_every_letter_and_all_white_space_in_place(text: str, seed: int):
    made = shuffled_words(text, random.Random(seed))
    assert sorted(made) == sorted(text)
    if len(set(text.split())) > 1:
        assert made != text
        assert sorted(made.split()) == sorted(text.split())


def test_a_change_of_one_file_leaves_the_others_and_their_streams_alone():
    after = replace(INCUMBENT, files={**INCUMBENT.files, NOTES: b"Look first.\nAnd then last.\n"})
    both = replace(after, files={**after.files, "agent/other.txt": b"some other thing\n"})
    one, two = (rewritten(INCUMBENT, each, LETTERS, Seed("x")).state.files[NOTES] for each in (after, both))
    assert one == two
