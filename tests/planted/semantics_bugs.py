"""Bugs of the semantic analysis that could be (see `tests.planted.bugs`)."""

from .bugs import Bug

HERE = "tests/findings/semantics"
RELATION, STANDING, RECORD = f"{HERE}/test_relation.py", f"{HERE}/test_standing.py", f"{HERE}/test_record.py"

SEMANTICS_BUGS = (
    Bug(
        "opposites are no duplicates, however alike",
        "findings/semantics/relation.py",
        "    if likeness >= TURNED + more and turned(text, earlier.text):\n",
        "    if likeness < RELATED and turned(text, earlier.text):\n",
        (f"{RELATION}::test_opposites_are_as_alike_as_two_texts_can_be_and_no_duplicates",),
    ),
    Bug(
        "two negations turn nothing round",
        "findings/semantics/direction.py",
        "        return _opposite(a, b) or _swapped(one, other)\n",
        "        return against > along or _opposite(a, b)\n",
        (f"{RELATION}::test_two_negations_turn_nothing_round",),
    ),
    Bug(
        "the likeness that is asked for grows with how many there are",
        "findings/semantics/relation.py",
        "FEW, BY_CHANCE = 8, 0.04",
        "FEW, BY_CHANCE = 8, 0.0",
        (f"{RELATION}::test_among_many_earlier_ones_a_likeness_by_chance_is_not_enough",),
    ),
    Bug(
        "what was rejected never stood",
        "findings/semantics/standing.py",
        'recorded.fate != "adopted" or ',
        "",
        (f"{STANDING}::test_a_rejected_proposal_never_stood_though_the_chosen_one_said_the_same",),
    ),
    Bug(
        "what still stands is no death in a median lifetime",
        "findings/semantics/standing.py",
        "each.lifetime == age and each.gone is not None for",
        "each.lifetime == age for",
        (f"{STANDING}::test_one_that_still_stands_at_an_age_did_not_go_at_it",),
    ),
    Bug(
        "what an account tells of is not counted beside it",
        "findings/semantics/record.py",
        "        if each.piece.key not in spoken:\n",
        "        if True:\n",
        (f"{RECORD}::test_an_account_of_a_change_is_one_proposal_and_stands_as_long_as_what_came_with_it",),
    ),
    Bug(
        "kappa is agreement beyond chance",
        "findings/semantics/agreement.py",
        "(float((a == b).mean()) - chance) / (1 - chance)",
        "float((a == b).mean())",
        (f"{HERE}/test_agreement.py::test_kappa_is_agreement_beyond_chance",),
    ),
    Bug(
        "labels are observations and leave the digest",
        "findings/semantics/checks.py",
        "journal.observe(PLACE, more.name,",
        "journal.put(PLACE, more.name,",
        (f"{HERE}/test_checks.py::test_labels_are_observations_and_leave_the_digest_as_it_was",),
    ),
)
