"""Files of labels: what is read, what is refused with which words, and that writing and reading agree."""

import json
from dataclasses import replace

import pytest

from findings.semantics.world import proposal
from rung.core.errors import UsageError
from rung.findings.semantics.labels import Labelled, parse, spell, together
from rung.findings.semantics.values import Earlier, Held, Labels, Proposal

LABELS = Labels("revise", "e1", "task", frozenset({"planning", "execution"}), "execution harness")
SOME = Labelled("anna", (proposal("Sell late.", "Sell."), proposal("Wait.", before="Rest.")), (LABELS, None))


def document(**changed) -> str:
    found = json.loads(spell(SOME))
    found["proposals"][0] |= changed
    return json.dumps(found)


def test_what_was_written_is_read_again():
    assert parse(spell(SOME)) == SOME
    assert SOME.done == ([SOME.proposals[0]], [LABELS])


def test_several_files_are_one_in_their_order():
    both = together([SOME, Labelled("ben", SOME.proposals[:1], (None,))])
    assert (both.labeler, len(both.proposals), both.labels) == ("anna, ben", 3, (LABELS, None, None))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "x.json is no JSON"),
        ("[]", 'x.json is an object with a list "proposals"'),
        ('{"codebook": 7, "proposals": []}', "codebook 1 is the one known here, seen 7"),
        ('{"codebook": 1, "proposals": [3]}', "x.json, proposal 1 is an object, seen int"),
        (document(text=None), "x.json, proposal 1: text is text, seen None"),
        (document(operation="drop"), "operation is add or revise, seen 'drop'"),
        (document(labels={"relation": "odd"}), "function is a list of names, seen None"),
        (
            document(labels={"function": ["planning"], "relation": "odd", "scope": "task", "surface": "x"}),
            "relation: one of",
        ),
        (
            document(labels={"function": [], "relation": "new", "scope": "task", "surface": SOME.labels[0].surface}),
            "function: one",
        ),
    ],
)
def test_what_is_no_file_of_labels_is_refused_by_name_and_key(text, said):
    with pytest.raises(UsageError) as refused:
        parse(text, "x.json")
    assert said in str(refused.value)


def test_labels_outside_the_codebook_cannot_be_made():
    with pytest.raises(UsageError, match="surface: one of contextual artifact"):
        replace(LABELS, surface="prompt")


def test_what_several_proposals_share_reads_as_one_list():
    standing = (Earlier("a", "A."), Earlier("b", "B."))
    held = Held(standing, [Earlier("c", "C."), Earlier("d", "D.")], 1)
    assert [each.id for each in held] == ["a", "b", "c"]
    assert (held[-1].id, [each.id for each in held[1:]], len(held)) == ("c", ["b", "c"], 3)
    with pytest.raises(IndexError):
        held[3]
    asked = Proposal("p", "g", "", "m", None, "add", "t", "old", held)
    assert [asked.against(place).id for place in range(4)] == ["a", "b", "c", "before"]
