"""No check that cannot fail: bugs planted in honest stores are caught by the checks named with them alone."""

import hashlib
import json
from itertools import count

import pytest

from rung.core.canonical import canonical, sha256
from rung.core.errors import InstrumentFault
from rung.core.ports import Fact
from rung.core.values import State
from rung.testing.contracts import SUITES, JournalCase, run_suite

BUGS = []


def failures(kind, thing):
    return {finding.name for finding in run_suite(kind, thing) if not finding.passed}


# --------------------------------------------------------------------------------------------- journals


class Honest:
    """A journal in a dictionary; what is flushed goes to a shelf that outlives it."""

    def __init__(self, shelf=None):
        self.kept = {"facts": {}, "seen": [], "blobs": {}} if shelf is None else shelf
        self.waiting = []
        self.facts_now = dict(self.kept["facts"])

    def get(self, path, kind):
        text = self.facts_now.get((path, kind))
        return None if text is None else json.loads(text)

    def put(self, path, kind, value):
        text = self.facts_now.setdefault((path, kind), canonical(value))
        if text != canonical(value):
            raise InstrumentFault("journal", f"{path} {kind} holds another value")
        self.waiting.append(((path, kind), text))

    def observe(self, path, name, value):
        self.kept["seen"].append((path, name, canonical(value)))

    async def flush(self, *, durable):
        self.write()

    def write(self):
        self.kept["facts"].update(self.waiting)
        self.waiting = []

    def under(self, path, under):
        return not under or path == under or path.startswith(f"{under}/")

    def facts(self, *, under="", kind=None):
        for (path, said), text in sorted(self.facts_now.items()):
            if self.under(path, under) and kind in (None, said):
                yield Fact(path, said, json.loads(text))

    def observations(self, *, under="", name=None):
        for path, said, text in sorted(self.kept["seen"], key=lambda row: row[:2]):
            if self.under(path, under) and name in (None, said):
                yield Fact(path, said, json.loads(text))

    def digest(self):
        return sha256(canonical([[*fact] for fact in self.facts()]))

    def blob(self, data):
        self.kept["blobs"][sha256(data)] = data
        return sha256(data)

    def read_blob(self, digest):
        if digest not in self.kept["blobs"]:
            raise InstrumentFault("store", f"no blob {digest!r}")
        return self.kept["blobs"][digest]

    def close(self):
        self.write()


def case_of(journal):
    made = []

    def make():
        made.append(journal())
        return made[-1]

    return JournalCase(make, lambda: list(made[-1].kept["facts"]), lambda: journal(made[-1].kept))


def bug(*caught_by):
    def plant(journal):
        BUGS.append(pytest.param("journals", case_of(journal), set(caught_by), id=journal.__name__))
        return journal

    return plant


@bug("a_fact_comes_back_as_it_was")
class LosesSurrogates(Honest):
    def get(self, path, kind):
        found = super().get(path, kind)
        return found.encode("utf-8", "replace").decode() if isinstance(found, str) else found


@bug("a_fact_is_inserted_once")
class Overwrites(Honest):
    def put(self, path, kind, value):
        self.facts_now.pop((path, kind), None)
        super().put(path, kind, value)


@bug("a_fact_is_inserted_once")
class ComparesAsPythonDoes(Honest):
    def put(self, path, kind, value):
        if (path, kind) not in self.facts_now or self.get(path, kind) != value:
            super().put(path, kind, value)


@bug("a_number_that_is_not_finite_is_refused")
class TakesNaN(Honest):
    def put(self, path, kind, value):
        super().put(path, kind, json.loads(json.dumps(value).replace("NaN", "null").replace("Infinity", "0")))


@bug("a_fact_does_not_change_with_its_value")
class KeepsTheObject(Honest):
    def __init__(self, shelf=None):
        super().__init__(shelf)
        self.objects = {}

    def put(self, path, kind, value):
        super().put(path, kind, value)
        self.objects[path, kind] = value

    def get(self, path, kind):
        return self.objects.get((path, kind), super().get(path, kind))


@bug("facts_come_in_key_order", "the_digest_does_not_know_the_order_of_insertion")
class KeepsTheOrderOfInsertion(Honest):
    def facts(self, *, under="", kind=None):
        found = super().facts(under=under, kind=kind)
        if under:
            return found
        order = list(self.facts_now)
        return iter(sorted(found, key=lambda fact: order.index((fact.path, fact.kind))))


@bug("under_stops_at_the_border_of_a_path", "observations_stay_out_of_the_digest")
class MatchesABeginning(Honest):
    def under(self, path, under):
        return path.startswith(under)


@bug("under_stops_at_the_border_of_a_path")
class MatchesAnyCase(Honest):
    def under(self, path, under):
        return super().under(path.lower(), under.lower())


@bug("a_kind_gives_its_facts_alone")
class MatchesKindsInAnyCase(Honest):
    def facts(self, *, under="", kind=None):
        return super().facts(under=under, kind=kind and kind.lower())


@bug("what_was_put_is_seen_before_it_is_flushed")
class ReadsOnlyWhatIsWritten(Honest):
    def facts(self, *, under="", kind=None):
        return (f for f in super().facts(under=under, kind=kind) if f.path != "b" or ("b", "row") in self.kept["facts"])


@bug("observations_stay_out_of_the_digest")
class HashesObservations(Honest):
    def digest(self):
        return sha256(super().digest() + canonical([[*row] for row in self.kept["seen"]]))


@bug("the_digest_does_not_know_the_order_of_insertion")
class HashesAsItGoes(Honest):
    def digest(self):
        return sha256(canonical([[*key, text] for key, text in self.facts_now.items()]))


@bug("another_fact_has_another_digest")
class HashesValuesWithoutBorders(Honest):
    def digest(self):
        return hashlib.sha256("".join(f"{f.path}{f.kind}{f.value!r}" for f in self.facts()).encode()).hexdigest()


@bug("blobs_are_kept_by_their_content")
class NamesBlobsByNumber(Honest):
    number = count()

    def blob(self, data):
        name = f"{next(self.number):064d}"
        self.kept["blobs"][name] = data
        return name


@bug("a_missing_blob_is_a_fault")
class GivesNothingForAMissingBlob(Honest):
    def read_blob(self, digest):
        return self.kept["blobs"].get(digest, b"")


@bug("what_survives_is_a_beginning_of_the_record")
class WritesTheLastFirst(Honest):
    def put(self, path, kind, value):
        super().put(path, kind, value)
        self.kept["facts"][path, kind] = canonical(value)
        if len(self.waiting) > 1:
            self.kept["facts"].pop(self.waiting[-2][0])


@bug("what_survives_is_a_beginning_of_the_record")
class FlushesOnlyWhenDurable(Honest):
    async def flush(self, *, durable):
        if durable:
            self.write()


@bug("a_closed_journal_is_found_again")
class ForgetsWhatWaits(Honest):
    def close(self):
        pass


# --------------------------------------------------------------------------------------------- snapshots


class Shelf:
    """Snapshots in a dictionary."""

    def __init__(self):
        self.rows = {}

    def name_of(self, state, parent, message):
        files = sorted((path, data.hex()) for path, data in state.files.items())
        return sha256(canonical([files, parent]))[:40]

    def check(self, state):
        for path in state.files:
            if any(other.startswith(f"{path}/") for other in state.files):
                raise InstrumentFault("store", f"{path} is a file and a folder")

    def put(self, state, *, parent, message):
        self.check(state)
        if parent is not None:
            self.get(parent)
        name = self.name_of(state, parent, message)
        self.rows[name] = dict(state.files)
        return name

    def get(self, snapshot):
        if snapshot not in self.rows:
            raise InstrumentFault("store", f"no snapshot {snapshot!r}")
        return State(dict(self.rows[snapshot]))

    def point(self, name, snapshot):
        self.get(snapshot)


def snapshot_bug(*caught_by):
    def plant(store):
        BUGS.append(pytest.param("snapshots", store, set(caught_by), id=store.__name__))
        return store

    return plant


@snapshot_bug("what_was_put_comes_back")
class MendsLineEnds(Shelf):
    def get(self, snapshot):
        found = super().get(snapshot).files
        return State({path: data.replace(b"\r\n", b"\n") for path, data in found.items()})


@snapshot_bug("a_state_that_cannot_be_kept_is_refused")
class LosesAFileBesideAFolder(Shelf):
    def check(self, state):
        pass

    def put(self, state, *, parent, message):
        kept = {p: d for p, d in state.files.items() if not any(o.startswith(f"{p}/") for o in state.files)}
        return super().put(State(kept), parent=parent, message=message)


@snapshot_bug("equal_history_has_equal_ids")
class HashesFilesAsTheyCome(Shelf):
    def name_of(self, state, parent, message):
        return sha256(canonical([[[p, d.hex()] for p, d in state.files.items()], parent]))[:40]


@snapshot_bug(
    "equal_history_has_equal_ids", "the_same_put_again_is_the_same_snapshot", "a_readable_name_moves_and_nothing_else"
)
class HashesTheHour(Shelf):
    clock = count()

    def name_of(self, state, parent, message):
        return sha256(super().name_of(state, parent, message) + str(next(self.clock)))[:40]


@snapshot_bug("another_history_has_another_id")
class ForgetsTheParent(Shelf):
    def name_of(self, state, parent, message):
        return super().name_of(state, None, message)


@snapshot_bug("a_snapshot_never_changes")
class GivesOutItsOwnFiles(Shelf):
    def get(self, snapshot):
        super().get(snapshot)
        return State(self.rows[snapshot])


@snapshot_bug("an_unknown_id_is_a_fault")
class TakesShortIds(Shelf):
    def get(self, snapshot):
        near = [name for name in self.rows if len(snapshot) > 8 and name.startswith(snapshot)]
        return super().get(near[0] if near else snapshot)


@snapshot_bug("an_unknown_id_is_a_fault", "an_unknown_parent_is_a_fault")
class RaisesAKeyError(Shelf):
    def get(self, snapshot):
        return State(dict(self.rows[snapshot]))


@snapshot_bug("an_unknown_parent_is_a_fault")
class TakesAnyParent(Shelf):
    def put(self, state, *, parent, message):
        self.rows.setdefault(parent, {})
        return super().put(state, parent=parent, message=message)


@snapshot_bug("a_readable_name_moves_and_nothing_else")
class MovesTheSnapshotToo(Shelf):
    last = None

    def point(self, name, snapshot):
        if self.last and self.last != snapshot:
            self.rows[snapshot] = self.rows[self.last]
        self.last = snapshot


def test_honest_stores_pass():
    assert failures("journals", case_of(Honest)) == set()
    assert failures("snapshots", Shelf) == set()


@pytest.mark.parametrize(("kind", "thing", "caught_by"), BUGS)
def test_a_planted_bug_is_caught(kind, thing, caught_by):
    assert failures(kind, thing) == caught_by


@pytest.mark.parametrize("kind", ["journals", "snapshots"])
def test_every_check_has_caught_a_bug(kind):
    caught = set().union(*(param.values[2] for param in BUGS if param.values[0] == kind))
    assert caught == {check.__name__ for check in SUITES[kind]}
