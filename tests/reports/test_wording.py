import pytest

from rung.reports import wording

from .samples import SAMPLES


def test_a_held_rung_is_claimed_with_its_place_gain_and_interval():
    narrow = SAMPLES["full"].arms[2]
    assert wording.answer(narrow) == (
        "the agent improves itself on new instances of sweepmine-v1 d1 by +0.312 [0.221, 0.403] "
        "(share of spare actions left); nothing was shown further up (G2, G3 and G4 inconclusive); "
        "on tasks it met before (G0): improved."
    )


def test_an_arm_that_holds_every_rung_says_so():
    general = SAMPLES["full"].arms[3]
    assert "every rung that was asked is held" in wording.answer(general)


def test_an_improvement_above_a_rung_that_is_not_held_is_named_and_not_claimed():
    chooser = SAMPLES["full"].arms[4]
    assert "G4 improved by +0.302 [0.170, 0.434] (profit / greedy profit), not held because" in wording.answer(chooser)


def test_a_loss_is_said_with_its_number_on_every_rung():
    said = wording.answer(SAMPLES["full"].arms[6])
    assert said.startswith("regressed on new instances of sweepmine-v1 d1 by −0.241 [−0.332, −0.150]")
    assert "G2 regressed by −0.183" in said


def test_one_lineage_speaks_of_this_end_state_only():
    said = wording.answer(SAMPLES["one_lineage"].arms[0])
    assert said.startswith("this end state only: improved on new instances")
    assert "agent improves itself" not in said


def test_two_lineages_carry_no_verdict():
    said = wording.answer(SAMPLES["two_lineages"].arms[0])
    assert said.startswith("not estimable on new instances of sweepmine-v1 d1 (two lineages: no verdict)")


def test_a_contaminated_number_is_in_no_sentence():
    assert "0.777" not in wording.answer(SAMPLES["faulted"].arms[2])


def test_a_unit_is_named_once_in_a_sentence():
    assert wording.answer(SAMPLES["full"].arms[3]).count("share of spare actions left") == 1


def test_a_rung_that_was_not_asked_is_said_to_be_so():
    assert "G3 not asked" in wording.answer(SAMPLES["faulted"].arms[0])


def test_a_loss_is_no_claim_of_improvement_left_open():
    lost = wording.claim(SAMPLES["full"].arms[6].rungs[1].verdict)
    assert lost == "claim: the agent makes itself worse"
    assert wording.claim(SAMPLES["full"].arms[0].rungs[1].verdict) == "left open: whether the agent improves itself"


# --------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "beside", "expected"),
    [
        (0.0, (), "0.000"),
        (-0.0, (), "0.000"),
        (0.00312, (), "0.00312"),
        (-4.2, (), "−4.200"),
        (42.11, (), "42.1"),
        (0.5, (1234.0,), "0"),
        (-0.00000012, (), "0.000"),
        (2.06e-17, (-3e-17,), "0.000"),
        (-0.0004, (0.3,), "−0.000"),
        (123456.7, (), "1.23e5"),
        (7.0, (-1.5e12,), "7"),
        (float("nan"), (), "not a number"),
        (None, (1.0,), "–"),
    ],
)
def test_a_number_has_as_many_digits_as_its_group_deserves(
    value: float | None, beside: tuple[float, ...], expected: str
):
    assert wording.number(value, *beside) == expected
