"""What a proposal does to an earlier one. Likeness alone would call the opposites here the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from findings.semantics.world import proposal
from rung.findings.semantics.annotator import annotate
from rung.findings.semantics.direction import turned
from rung.findings.semantics.likeness import nearest

BESIDE = ("Keep calm and look at the picture.", "Plan the whole season before buying anything.")

CONTRADICTIONS = [
    ("Never open corners first.", "Open corners first."),
    ("Always X the board.", "Never X the board."),
    ("Never guess.", "Always guess when unsure."),
    ("Do not use the shell.", "Use the shell to compute profits."),
    ("Heal before buying cards.", "Buy cards before healing."),
    ("Explore before planning.", "Plan before exploring."),
    ("Turn left when a wall blocks the right side.", "Turn right when a wall blocks the left side."),
    ("Prefer the most expensive crop.", "Prefer the cheapest crop."),
    ("Take the longest route.", "Take the shortest route."),
    ("Spend all gold in the first shop.", "Save all gold for the last shop."),
    (
        "Guess in the middle of the board rather than at its edges.",
        "Guess at the edges of the board rather than in the middle.",
    ),
    ("Ignore the demonstrations and rely on the rules.", "Rely on the demonstrations rather than the rules."),
]

DUPLICATES = [
    ("Never exceed the action budget.", "Stay within the budget of actions."),
    ("Sell everything before the season ends.", "Before the season ends, sell everything you have."),
    ("Verify every answer's format before sending it.", "Check the format of each answer before you send it."),
    ("Do not guess.", "Never guess."),
    ("Keep some gold for the final shop.", "Save gold for the last shop."),
    ("Backtrack at dead ends.", "When you reach a dead end, backtrack to the last branch."),
    ("I lost all my health early. Next time I will preserve HP for the boss.", "Preserve health for the boss."),
    ("max_retries = 3", "max_retries = 3"),
]

REVISIONS = [
    ("Open corners first, unless a cell is proven safe.", "Open corners first."),
    ("Retry at most 2 times.", "Retry at most 5 times."),
    ("Wheat ripens in 4 days.", "Wheat ripens in 3 days."),
    ("Recompute constraints after every three actions.", "Recompute constraints after each action."),
    ("Keep 20 gold for the final shop.", "Save gold for the last shop."),
    ("Plant corn in the first week only.", "Plant corn in the first week."),
    ("max_retries = 5", "max_retries = 3"),
]

NEW = [
    ("Plant wheat in every free plot.", "Sell wheat on the day it ripens."),
    ("Mark explored branches.", "Mark certain mines."),
    ("Save the strike card for the boss.", "Save gold for the last shop."),
    ("Answer with one JSON object.", "After an error, read its message before trying again."),
]

ALL = [
    *((text, earlier, "contradict") for text, earlier in CONTRADICTIONS),
    *((text, earlier, "duplicate") for text, earlier in DUPLICATES),
    *((text, earlier, "revise") for text, earlier in REVISIONS),
    *((text, earlier, "new") for text, earlier in NEW),
]


@pytest.mark.parametrize(("text", "earlier", "said"), ALL, ids=[text for text, _, _ in ALL])
def test_a_proposal_is_told_from_one_before_it(text, earlier, said):
    (labels,) = annotate([proposal(text, earlier, *BESIDE)])
    assert (labels.relation, labels.of) == (said, None if said == "new" else "e1")


@pytest.mark.parametrize(("text", "earlier"), CONTRADICTIONS, ids=[text for text, _ in CONTRADICTIONS])
def test_a_contradiction_is_one_in_either_order(text, earlier):
    (labels,) = annotate([proposal(earlier, text, *BESIDE)])
    assert labels.relation == "contradict"


def test_opposites_are_as_alike_as_two_texts_can_be_and_no_duplicates():
    one, other = proposal("Turn left at the wall.", "Turn right at the wall."), proposal("Open A.", "Never open A.")
    assert nearest([one])[0][0].likeness > 0.6
    assert [each.relation for each in annotate([one, other])] == ["contradict", "contradict"]


def test_to_deny_a_small_part_of_what_another_says_turns_nothing_round():
    assert not turned("Never add one to the number before answering.", "Answer with the number alone.")


def test_two_negations_turn_nothing_round():
    assert not turned("Never take the left path.", "Take the right path.")
    assert not turned("Do not skip the check.", "Never skip the check.")


def test_facts_of_different_instances_are_new_however_alike_their_words():
    asked = proposal("The right answer to 18714 was 56029.", "The right answer to 11182 was 46550.")
    assert [each.relation for each in annotate([asked])] == ["new"]


def test_code_is_the_same_only_token_by_token():
    before = "def retry(call):\n    return call(3)"
    same, other = "def retry(call):\n        return call( 3 )", "def retry(call):\n    return call(5)"
    asked = [proposal(each, before, path="agent/tools/retry.py") for each in (same, other)]
    assert [each.relation for each in annotate(asked)] == ["duplicate", "revise"]


def test_what_takes_the_place_of_a_text_revises_it_where_nothing_else_is_known():
    (labels,) = annotate([proposal("Wait.", before="Plant corn in all plots.")])
    assert (labels.relation, labels.of) == ("revise", "before")


def test_what_is_replaced_is_named_by_its_own_id_where_it_stands():
    (labels,) = annotate([proposal("Sell on day 6.", "Buy seeds.", "Sell on day 4.", before="Sell on day 4.")])
    assert (labels.relation, labels.of) == ("revise", "e2")


def test_words_alone_that_were_changed_are_a_duplicate_whatever_the_method_calls_it():
    (labels,) = annotate([proposal("Never guess.", before="Do not guess.")])
    assert (labels.relation, labels.of) == ("duplicate", "before")


def test_among_many_earlier_ones_a_likeness_by_chance_is_not_enough():
    text, earlier = "Buy seeds a day before they are needed.", "Plan the whole season before buying anything."
    few = annotate([proposal(text, earlier)])[0]
    many = annotate([proposal(text, earlier, *(f"note number {'x' * n}" for n in range(300)))])[0]
    assert (few.relation, many.relation) == ("duplicate", "new")


def test_the_first_proposal_of_all_is_new():
    (labels,) = annotate([proposal("Never guess.")])
    assert (labels.relation, labels.of) == ("new", None)


def test_labels_are_the_same_however_many_are_annotated_at_once():
    asked = [proposal(text, earlier, *BESIDE) for text, earlier, _ in ALL]
    assert annotate(asked) == [annotate([each])[0] for each in asked]


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_at_all_can_be_annotated(text, earlier):
    (labels,) = annotate([proposal(text, earlier)])
    assert labels.function
