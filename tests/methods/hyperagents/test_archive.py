"""What is kept of every agent that was made, and which of them is improved and acts next."""

import json
import math

import pytest

from rung.core.canonical import sha256
from rung.core.values import State
from rung.methods.hyperagents import archive as kept
from rung.methods.hyperagents.archive import NODES, SCORES, Archive, Measured, Node
from rung.methods.hyperagents.parents import deployed, plain_means, shrunken_means, weights

SYSTEM, TASK, OTHER = "agent/system.md", "method/improver/task.md", "conversation/log.md"
START = State({SYSTEM: b"Be brief.", TASK: b"Improve it.", OTHER: b"Hello."})


def at(score: float, bucket: str = "lock d1") -> Measured:
    return Measured(bucket, score)


def tree(*parents: str | None, **scores: tuple[Measured, ...]) -> Archive:
    """Nodes n0, n1, ... with these parents."""
    return Archive(
        tuple(Node(f"n{number}", parent, number, {}) for number, parent in enumerate(parents)), scores=scores
    )


# --------------------------------------------------------------------------------------------- the files


def test_a_state_without_an_archive_is_its_root():
    archive = kept.read(START)
    assert archive.nodes == (Node("n0", None, 0, {SYSTEM: sha256(b"Be brief."), TASK: sha256(b"Improve it.")}),)
    assert kept.files_of(START, archive.nodes[0]) == {SYSTEM: b"Be brief.", TASK: b"Improve it."}


def grown() -> tuple[State, Archive]:
    """A root that scored 0.25, and a child that acts."""
    archive = kept.read(START).with_attempts([at(0.25)], 1)
    files = {SYSTEM: b"Be long.", "agent/tool.py": b"x = 1\n", TASK: b"Improve it."}
    archive, child = archive.with_child(files, "n0")
    archive = Archive(archive.nodes, child.id, archive.counted, archive.scores)
    return kept.write(START, archive, files, {}, 100), archive


def test_what_is_written_is_read_again_and_the_acting_node_lies_under_agent():
    state, archive = grown()
    assert kept.read(state) == archive
    assert (archive.acting, archive.counted, archive.measured("n0")) == ("n1", 1, (at(0.25),))
    assert {path: data for path, data in state.files.items() if "/archive/" not in path} == {
        SYSTEM: b"Be long.",
        "agent/tool.py": b"x = 1\n",
        TASK: b"Improve it.",
        OTHER: b"Hello.",
    }


def test_a_node_can_be_taken_back_and_its_files_that_are_gone_come_again():
    state, archive = grown()
    back = kept.write(state, Archive(archive.nodes, "n0", archive.counted, archive.scores), {}, {}, 100)
    assert kept.own(back) == {SYSTEM: b"Be brief.", TASK: b"Improve it."}
    assert kept.files_of(back, archive.node("n1"))["agent/tool.py"] == b"x = 1\n"


def test_a_content_that_several_nodes_have_is_kept_once():
    state, _ = grown()
    assert sum(path.startswith(kept.BLOBS) for path in state.files) == 4


def test_a_score_changes_no_line_of_a_node():
    state, archive = grown()
    later = kept.write(state, archive.with_attempts([at(1.0), None], 3), {}, {}, 100)
    assert later.files[NODES] == state.files[NODES]
    assert json.loads(later.files[SCORES]) == {
        "acting": "n1",
        "counted": 3,
        "scores": {"n0": [["lock d1", 0.25]], "n1": [["lock d1", 1.0]]},
    }


def test_an_unfit_node_stays_one_when_it_is_read_again():
    state, archive = grown()
    marked = archive.marked_unfit("n1", "its hooks do not run")
    assert kept.read(kept.write(state, marked, {}, {}, 100)).node("n1").unfit == "its hooks do not run"


@pytest.mark.parametrize(
    "spoilt",
    [
        b"",
        b"\xff\xfe",
        b"[" * 5000,
        b'{"id": "n0"}\n',
        b'{"born": 0, "files": {"../x": "a"}, "id": "n0", "parent": null, "unfit": ""}\n',
        b'{"born": 0, "files": {}, "id": "n1", "parent": "n0", "unfit": ""}\n',
    ],
)
def test_an_archive_that_cannot_be_read_begins_anew_with_what_acts(spoilt):
    state, _ = grown()
    archive = kept.read(State({**state.files, NODES: spoilt}))
    assert [each.id for each in archive.nodes] == ["n0"]
    assert archive.nodes[0].files[SYSTEM] == sha256(b"Be long.")


def test_nodes_whose_content_is_missing_or_whose_parent_is_are_left_out():
    state, _ = grown()
    gone = f"{kept.BLOBS}{sha256(b'Be long.')}"
    archive = kept.read(State({path: data for path, data in state.files.items() if path != gone}))
    assert [each.id for each in archive.nodes] == ["n0"]
    assert archive.acting == "n0"


# --------------------------------------------------------------------------------------------- bounds


def test_what_goes_neither_acts_nor_came_last_the_unfit_and_the_least_valued_first():
    archive = tree(None, "n0", "n1", "n0", "n0", "n0").marked_unfit("n4", "it does not run")
    values = {"n0": 0.0, "n1": -1.0, "n2": 0.1, "n3": 0.2, "n4": 0.9, "n5": -2.0}
    left = {most: [each.id for each in kept.within(archive, values, most, {}).nodes] for most in (5, 4, 3, 2, 1)}
    assert left == {
        5: ["n0", "n1", "n2", "n3", "n5"],
        4: ["n0", "n2", "n3", "n5"],
        3: ["n0", "n3", "n5"],
        2: ["n0", "n5"],
        1: ["n0", "n5"],
    }


def test_what_was_made_from_a_node_that_went_counts_as_made_from_its_parent():
    archive = tree(None, "n0", "n1", "n0")
    assert [(each.id, each.parent) for each in kept.within(archive, {"n1": -1.0}, 3, {}).nodes] == [
        ("n0", None),
        ("n2", "n0"),
        ("n3", "n0"),
    ]


def test_the_content_of_all_nodes_together_is_bounded_and_what_nobody_has_any_more_is_gone():
    big = {name: f"{name}".encode() * (kept.MAX_BYTES // 4) for name in "ab"}
    state, archive = START, kept.read(START)
    for name in "ab":
        files = {SYSTEM: big[name], TASK: b"Improve it."}
        archive, child = archive.with_child(files, "n0")
        archive = Archive(archive.nodes, child.id)
        state = kept.write(state, archive, files, {}, 100)
        archive = kept.read(state)
    assert [each.id for each in archive.nodes] == ["n0", "n1", "n2"]
    files = {SYSTEM: b"c" * (5 * kept.MAX_BYTES // 8), TASK: b"Improve it."}
    archive, child = archive.with_child(files, "n0")
    state = kept.write(state, Archive(archive.nodes, child.id), files, {}, 100)
    assert [each.id for each in kept.read(state).nodes] == ["n0", "n2", "n3"]
    assert f"{kept.BLOBS}{sha256(big['a'])}" not in state.files


# --------------------------------------------------------------------------------------------- what nodes are worth


def test_plain_means_know_nothing_of_a_node_without_a_score():
    archive = tree(None, "n0", "n1", n0=(at(0.0), at(1.0)), n1=(at(1.0),))
    assert plain_means(archive) == {"n0": 0.5, "n1": 1.0}


def test_shrunken_means_compare_within_a_bucket_and_lean_on_the_parent():
    """In d1 the mean is 0.5 and the range 1: n0 is at -0.5, n1 at +0.5. In d5 all scored the same."""
    archive = tree(None, "n0", "n1", n0=(at(0.0), at(0.1, "lock d5")), n1=(at(1.0),))
    root = (2 * 0.0 + (-0.5) + 0.0) / 4
    child = (2 * root + 0.5) / 3
    assert shrunken_means(archive) == pytest.approx({"n0": root, "n1": child, "n2": child})


def test_a_node_that_met_harder_tasks_is_no_worse_for_it():
    """Both nodes did as all others did where they were."""
    archive = tree(None, "n0", n0=(at(0.8),), n1=(at(0.2, "lock d5"),))
    assert shrunken_means(archive) == {"n0": 0.0, "n1": 0.0}
    assert plain_means(archive) == {"n0": 0.8, "n1": 0.2}


# --------------------------------------------------------------------------------------------- parents


def test_the_published_weights_by_hand():
    """The best three have the mean 0.6; n0 has three children."""
    archive = tree(None, "n0", "n0", "n0")
    values = {"n0": 0.2, "n1": 0.5, "n2": 0.6, "n3": 0.7}

    def sigmoid(at):
        return 1 / (1 + math.exp(-at))

    scored = {"n0": sigmoid(-4), "n1": sigmoid(-1), "n2": 0.5, "n3": sigmoid(1)}
    assert weights(archive, values, "score") == pytest.approx(scored)
    expected = {**scored, "n0": scored["n0"] * math.exp(-((3 / 8) ** 3))}
    assert weights(archive, values, "score_children") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("best", {"n2": 1.0}), ("latest", {"n3": 1.0}), ("random", {"n0": 1.0, "n1": 1.0, "n2": 1.0, "n3": 1.0})],
)
def test_the_other_rules(rule, expected):
    archive = tree(None, "n0", "n0", "n0")
    assert weights(archive, {"n0": 0.2, "n1": 0.7, "n2": 0.7}, rule) == expected


def test_a_node_without_a_value_or_with_a_broken_improver_is_no_parent():
    archive = tree(None, "n0", "n0").marked_unfit("n1", "it does not run")
    assert set(weights(archive, {"n0": 0.1, "n1": 0.9}, "score_children")) == {"n0"}
    assert weights(tree(None), {}, "best") == {"n0": 1.0}


def test_after_three_broken_improvers_in_a_row_it_begins_at_the_root_again():
    archive = tree(None, "n0", "n1", "n2", "n3")
    values = dict.fromkeys(("n0", "n1", "n2", "n3", "n4"), 0.5)
    for name in ("n2", "n3"):
        archive = archive.marked_unfit(name, "it does not run")
    assert set(weights(archive, values, "score")) == {"n0", "n1", "n4"}
    assert weights(archive.marked_unfit("n4", "nor does it"), values, "score") == {"n0": 1.0}


def test_weights_of_any_values_are_finite_and_somebody_is_always_drawn():
    archive = tree(None, *["n0"] * 60)
    values = {each.id: 1e6 * (each.id == "n7") for each in archive.nodes}
    found = weights(archive, values, "score_children")
    assert all(math.isfinite(weight) and weight >= 0 for weight in found.values())
    assert sum(found.values()) > 0


# --------------------------------------------------------------------------------------------- who acts


def test_the_best_acts_and_the_newest_among_equals_where_one_without_a_value_has_its_parents():
    archive = tree(None, "n0", "n1", "n0")
    assert deployed(archive, {"n0": 0.2, "n1": 0.7}, "best", parent="n0") == "n2"
    assert deployed(archive, {"n0": 0.2, "n1": 0.7, "n2": 0.6}, "best", parent="n0") == "n1"
    assert deployed(archive, {"n0": 0.8, "n1": 0.7}, "best", parent="n0") == "n3"


def test_the_latest_or_the_parent_acts_where_that_is_asked_for():
    archive = tree(None, "n0", "n1")
    assert deployed(archive, {"n0": 1.0}, "latest", parent="n0") == "n2"
    assert deployed(archive, {"n0": 1.0}, "parent", parent="n1") == "n1"
