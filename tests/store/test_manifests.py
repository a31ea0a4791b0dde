import json

import pytest

from rung.core.canonical import sha256
from rung.core.errors import UsageError
from rung.store.manifests import (
    EMPTY,
    Change,
    Difference,
    File,
    Folder,
    Link,
    Manifest,
    difference,
    named_once,
    overlaid,
    parse,
    without,
)

ROOT = Folder(0o755)
ONE = File(0o644, 3, sha256("one"))
TWO = File(0o755, 3, sha256("two"))


def tree(**entries: File | Folder | Link) -> Manifest:
    return Manifest({".": ROOT, **{path.replace("__", "/"): entry for path, entry in entries.items()}})


HOME = tree(a=Folder(0o700), a__one=ONE, a__deep=Folder(0o755), a__deep__two=TWO, b=Link("a/one"), c=Folder(0o755))

# ---------------------------------------------------------------------------------------------- as text


def test_the_id_is_the_sha256_of_this_text():
    manifest = Manifest({".": ROOT, "a": ONE, "b": File(0o644, 3, ONE.digest, same="a"), "c": Link(r"\xff")})
    assert manifest.text == (
        '{"entries":{".":{"mode":"755"},"a":{"mode":"644","sha256":"' + ONE.digest + '","size":3},'
        '"b":{"mode":"644","same":"a","sha256":"' + ONE.digest + '","size":3},"c":{"to":"\\\\xff"}},"format":1}'
    )
    assert manifest.id == sha256(manifest.text)
    assert parse(manifest.text) == manifest


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"../out": {"mode": "755"}}, "could lead out"),
        ({"a/../../out": {"mode": "755"}}, "could lead out"),
        ({"/etc/passwd": {"to": "x"}}, "could lead out"),
        ({"a//b": {"to": "x"}}, "could lead out"),
        ({"a/.": {"to": "x"}}, "could lead out"),
        ({r"a\x00b": {"to": "x"}}, "could lead out"),
        ({"x": {"to": r"a\x00b"}}, "a link to"),
        ({r"a\b": {"to": "x"}}, "no path as we spell"),
        ({"no/folder": {"to": "x"}}, "lies in no folder"),
        ({"b/x": {"to": "x"}}, "lies in no folder"),
        ({"x": {"mode": "4755"}}, "a mode '4755'"),
        ({"x": {"mode": "0755"}}, "a mode '0755'"),
        ({"x": {"mode": "-1"}}, "a mode '-1'"),
        ({"x": {"to": "x", "mode": "755"}}, "an entry"),
        ({"x": {"mode": "644", "size": -1, "sha256": ONE.digest}}, "an entry"),
        ({"x": {"mode": "644", "size": 1, "sha256": "../../etc"}}, "an entry"),
        ({"x": {"mode": "644", "size": 3, "sha256": ONE.digest, "owner": 0}}, "a file with"),
        ({"x": {"mode": "644", "size": 3, "sha256": ONE.digest, "same": "b"}}, "is not that file"),
        ({"a/a": {"mode": "644", "size": 3, "sha256": ONE.digest, "same": "a/one"}}, "is not that file"),
        ({".": {"to": "/"}}, "no folder at '.'"),
        ({"x": None}, "an entry"),
    ],
)
def test_a_manifest_that_could_not_be_laid_out_in_its_folder_is_refused(change: dict, complaint: str):
    value = json.loads(HOME.text)
    value["entries"].update(change)
    with pytest.raises(UsageError, match=complaint):
        parse(json.dumps(value))


@pytest.mark.parametrize("text", ["", "[]", "7", '{"entries":{}}', '{"entries":{".":{"mode":"755"}},"format":2}'])
def test_what_is_no_manifest_is_refused(text: str):
    with pytest.raises(UsageError, match="no manifest of a home"):
        parse(text)


def test_a_folder_comes_before_what_it_holds_and_that_before_the_next():
    manifest = tree(**{"a": ROOT, "a.b": ONE, "a__x": ONE, "a-b": ONE})
    assert manifest.ordered() == ["a", "a/x", "a-b", "a.b"]


def test_a_home_with_nothing_in_it_is_the_same_everywhere():
    assert EMPTY.text == '{"entries":{".":{"mode":"755"}},"format":1}'
    assert EMPTY.leaves == []


# ---------------------------------------------------------------------------------------------- differences


def test_the_difference_names_what_was_written_revised_and_deleted():
    after = tree(a=Folder(0o755), a__one=TWO, b=Link("a/two"), c=ONE, d=Folder(0o755), d__new=TWO)
    assert difference(HOME, after) == Difference(
        written=("c", "d/new"), revised=("a/one", "b"), deleted=("a/deep/two",)
    )
    assert difference(HOME, HOME) == Difference((), (), ())


def test_that_a_file_has_another_name_is_no_change_to_it():
    before = tree(a=ONE, b=File(0o644, 3, ONE.digest, same="a"))
    assert difference(before, tree(b=ONE)) == Difference((), (), ("a",))


# ---------------------------------------------------------------------------------------------- overlays


def test_no_change_is_no_change():
    assert overlaid(HOME, []) == HOME


def test_what_was_deleted_is_gone_with_all_below_it():
    assert overlaid(HOME, [Change("a", None)]) == tree(b=Link("a/one"), c=Folder(0o755))


def test_a_deletion_takes_nothing_whose_name_only_begins_the_same():
    base = tree(**{"a": ROOT, "a__x": ONE, "a.b": ONE, "ab": ROOT, "ab__x": ONE, "a b": ONE})
    assert overlaid(base, [Change("a", None)]) == tree(**{"a.b": ONE, "ab": ROOT, "ab__x": ONE, "a b": ONE})


def test_a_folder_lies_over_a_folder():
    upper = [Change(".", Folder(0o700)), Change("a", Folder(0o711)), Change("a/one", TWO), Change("a/new", ONE)]
    expected = {**HOME.entries, ".": Folder(0o700), "a": Folder(0o711), "a/one": TWO, "a/new": ONE}
    assert overlaid(HOME, upper) == Manifest(expected)


def test_an_opaque_folder_hides_what_was_below_it():
    upper = [Change("a", Folder(0o755), opaque=True), Change("a/new", ONE)]
    assert overlaid(HOME, upper) == tree(a=Folder(0o755), a__new=ONE, b=Link("a/one"), c=Folder(0o755))


def test_a_file_in_place_of_a_folder_and_a_folder_in_place_of_a_link():
    upper = [Change("a", ONE), Change("b", Folder(0o755)), Change("b/x", TWO)]
    assert overlaid(HOME, upper) == tree(a=ONE, b=Folder(0o755), b__x=TWO, c=Folder(0o755))


def test_a_file_with_two_names_of_which_one_was_revised_is_two_files():
    base = tree(a=ONE, b=File(0o644, 3, ONE.digest, same="a"), c=File(0o644, 3, ONE.digest, same="a"))
    assert overlaid(base, [Change("a", TWO)]) == tree(a=TWO, b=ONE, c=File(0o644, 3, ONE.digest, same="b"))
    assert overlaid(base, [Change("b", TWO)]) == tree(a=ONE, b=TWO, c=File(0o644, 3, ONE.digest, same="a"))


def test_the_first_name_that_is_left_leads_the_others():
    of = {"x": File(0o644, 3, ONE.digest, same="x"), "b": File(0o644, 3, ONE.digest, same="x"), "lone": ONE}
    assert named_once(of) == {"b": ONE, "x": File(0o644, 3, ONE.digest, same="b"), "lone": ONE}


# ---------------------------------------------------------------------------------------------- pieces taken out


def test_pieces_are_taken_out_with_the_folders_that_held_only_them():
    assert without(HOME, {"a/deep/two", "c"}.__contains__) == tree(a=Folder(0o700), a__one=ONE, b=Link("a/one"))
    assert without(HOME, lambda path: True) == tree()
    assert without(HOME, lambda path: False) == HOME


def test_only_what_holds_nothing_is_asked_about():
    asked: list[str] = []
    without(HOME, lambda path: bool(asked.append(path)))
    assert sorted(asked) == ["a/deep/two", "a/one", "b", "c"]


def test_a_folder_that_was_empty_before_stays():
    assert without(HOME, "b".__eq__) == Manifest({p: e for p, e in HOME.entries.items() if p != "b"})


def test_a_file_whose_first_name_was_taken_out_keeps_its_other():
    base = tree(a=ONE, b=File(0o644, 3, ONE.digest, same="a"))
    assert without(base, "a".__eq__) == tree(b=ONE)


def test_folders_deeper_than_python_nests_calls_go_with_what_they_held():
    deep = {"/".join(["d"] * level): Folder(0o755) for level in range(1, 3001)}
    home = Manifest({".": ROOT, **deep, "/".join([*["d"] * 3000, "last"]): ONE})
    assert without(home, lambda path: path.endswith("last")) == tree()
