import numpy as np
import pytest

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.stats.exact import sign_flip
from rung.stats.exam import exam_score
from rung.stats.headroom import hci, nested_hci
from rung.stats.lineages import gain, nested_gain
from rung.stats.paired import tango, task_gain
from rung.stats.pairing import average_units, pair_by_id

NAN = float("nan")


def crossed(differences):
    return gain(differences, binary=False, shared_before=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: crossed([[1.0, "0.5"]]), r"differences are numbers, got '0.5'; give floats"),
        (lambda: crossed([[1.0, None]]), r"differences are numbers, got None"),
        (lambda: crossed([[1.0, 2.0], [1.0]]), r"rows of unequal length; give every row one entry per task"),
        (lambda: crossed([]), r"differences are empty; give at least one number"),
        (lambda: crossed([[]]), r"differences are empty"),
        (lambda: crossed([1.0, 2.0]), r"got the shape \(2,\); write one lineage as \[differences\]"),
        (lambda: crossed([[1.0, float("inf")]]), r"infinite value; give finite numbers"),
        (lambda: gain([[1.0, 2.0]], binary=False, shared_before=False, level=95), r"between 0 and 1, got 95"),
        (lambda: task_gain([1.0, NAN]), r"differences hold nan at 1; leave out"),
        (lambda: task_gain("0.5"), r"differences are numbers, got '0.5'"),
        (lambda: exam_score([], binary=False), r"task means are empty"),
        (lambda: sign_flip([NAN] * 5, seed=Seed("s")), r"hold nan at 0, 1, 2 and 2 more"),
        (lambda: nested_gain([]), r"differences are empty; give at least one lineage"),
        (lambda: nested_gain([[1.0], []]), r"differences of lineage 1 are empty"),
        (lambda: nested_hci([[1.0, 2.0]], [[1.0]]), r"one headroom per event: got events \[2\] and headrooms \[1\]"),
        (lambda: hci([0.0, 0.0], [1.0, 1.0], [1.0]), r"one reference score per task: got 1 for 2 tasks"),
        (lambda: hci([0.0], [1.0, 1.0], 1.0), r"got \(1, 1\) before and \(1, 2\) after"),
        (lambda: hci([[0.0, 0.0]] * 2, [[1.0, 1.0]] * 3, 1.0), r"got \(2, 2\) before and \(3, 2\) after"),
        (lambda: hci([0.0, 0.0], [1.0, 1.0], float("inf")), r"reference holds? an? ?infinite|infinite value"),
        (lambda: tango(3, 3, 5), r"counts among the tasks; got 3 and 3 of 5"),
        (lambda: pair_by_id([("a", 1.0)], [("b", 1.0)]), r"the same tasks on both sides; unpaired: \['a', 'b'\]"),
        (lambda: pair_by_id([("a", 1.0), ("a", 2.0)], [("a", 1.0)]), r"come twice: 'a'; average the attempts"),
        (lambda: pair_by_id([("a", "1")], [("a", 1.0)]), r"scores before are numbers, got '1'"),
        (lambda: average_units([1.0, 2.0], ["x"]), r"shape \(2,\) and 1 units"),
    ],
)
def test_a_bad_argument_is_named_with_what_was_seen_and_the_mend(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_pairing_is_by_id_and_not_by_order():
    ids, differences = pair_by_id([("a", 0.0), ("b", 0.5), ("c", 1.0)], [("c", 0.0), ("a", 1.0), ("b", NAN)])
    assert ids == ("a", "b", "c")
    np.testing.assert_array_equal(differences, [1.0, NAN, -1.0])


def test_units_are_averaged_in_every_lineage_and_a_hole_stays_a_hole():
    units, table = average_units([[1.0, 0.0, 0.5], [1.0, NAN, 0.25]], ["doc1", "doc1", "doc2"])
    assert units == ("doc1", "doc2")
    np.testing.assert_array_equal(table, [[0.5, 0.5], [NAN, 0.25]])


def test_units_in_any_order_give_unit_means_in_order_of_first_sight():
    units, means = average_units([3.0, 1.0, 5.0, 2.0], ["b", "a", "b", "a"])
    assert units == ("b", "a")
    np.testing.assert_array_equal(means, [4.0, 1.5])
