"""Labels of others lie beside the record, and are held against each other."""

from rung.findings.semantics.checks import Labeler, checks, keep, kept
from rung.findings.semantics.values import Labels
from rung.store.memory import MemoryJournal

TASK = Labels("new", None, "task", frozenset({"planning"}), "contextual artifact")
GENERAL = Labels("new", None, "general", frozenset({"planning"}), "contextual artifact")
MODEL = Labeler("a/model", "model", 2, unread=3, calls=5, tokens=700, usd=0.25)


def test_labels_are_observations_and_leave_the_digest_as_it_was():
    journal = MemoryJournal()
    before = journal.digest()
    keep(journal, MODEL, {"p1": TASK, "p2": GENERAL})
    assert journal.digest() == before
    assert kept(journal) == {"a/model": (MODEL, {"p1": TASK, "p2": GENERAL})}


def test_what_came_later_is_put_to_what_was_there_and_the_later_of_two_labels_counts():
    journal = MemoryJournal()
    keep(journal, MODEL, {"p1": TASK, "p2": TASK})
    keep(journal, Labeler("a/model", "model", 1, unread=1, calls=2, tokens=10, usd=0.5), {"p2": GENERAL})
    together = Labeler("a/model", "model", 2, unread=4, calls=7, tokens=710, usd=0.75)
    assert kept(journal) == {"a/model": (together, {"p1": TASK, "p2": GENERAL})}


def test_a_cost_that_is_not_known_once_is_not_known_in_all():
    journal = MemoryJournal()
    keep(journal, MODEL, {"p1": TASK})
    keep(journal, Labeler("a/model", "model", 1, calls=1), {"p2": TASK})
    assert kept(journal)["a/model"][0].usd is None


def test_every_two_are_held_against_each_other_over_what_both_labelled():
    journal = MemoryJournal()
    keep(journal, MODEL, {"p1": TASK, "p2": GENERAL})
    keep(journal, Labeler("anna", "person", 2), {"p2": TASK, "p3": TASK})
    found = checks(journal, {"p1": TASK, "p2": TASK, "p3": TASK})
    assert [(each.one.name, each.other.name, each.proposals) for each in found] == [
        ("rules", "a/model", 2),
        ("rules", "anna", 2),
        ("a/model", "anna", 1),
    ]
    scope = next(each for each in found[0].questions if each.question == "scope")
    assert scope.exact.value == 0.5


def test_who_labelled_nothing_of_this_study_is_held_against_nobody():
    journal = MemoryJournal()
    keep(journal, MODEL, {"other": TASK})
    assert checks(journal, {"p1": TASK}) == ()
