"""The contract suite of journals: facts are inserted once, kept in key order, and hashed into the digest."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rung.core.canonical import JSON, canonical, sha256
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Fact, Journal
from rung.core.seeds import Seed
from rung.testing.contracts.promise import Check, into, require, wait


@dataclass(frozen=True)
class JournalCase:
    """A journal under test.

    `make` gives an empty journal. `survivors` reads, past the journal made last, the facts that would survive its
    process now; `reopen` opens again what the journal made last has left behind, after it was closed. Both are None
    for a journal that keeps nothing.
    """

    make: Callable[[], Journal]
    survivors: Callable[[], Iterable[tuple[str, str]]] | None = None
    reopen: Callable[[], Journal] | None = None


CHECKS: list[Check[JournalCase]] = []
promise = into(CHECKS)

VALUES: Sequence[JSON] = (
    True,
    False,
    0,
    1,
    -1,
    2**63,
    -(2**70),
    0.1,
    1.0,
    -0.0,
    1e300,
    5e-324,
    "",
    "é 日本 😀 e\u0301",
    "\x00 \x1f \u2028",
    "lone \ud800 surrogate",
    "'; DROP TABLE fact; --",
    [],
    {},
    [None, [True, [1.5]]],
    {"b": 1, "a": {"d": [], "c": None}, "é": "x", "": 0},
    "x" * 100_000,
)

PATHS = (
    "L1",
    "L1/work",
    "L1/work/0001",
    "L1/work/0001/step/2",
    "L1/work/0001/step/10",
    "L1/work/0002",
    "L1-x",
    "L1 x/a",
    "L10/work",
    "l1/work",
    "L_/work",
    "L%/work",
    "Lé/日本",
    "L\uffff/a",
    "L😀/a",
    "plan",
)


def _filled(case: JournalCase, order: Sequence[int] | None = None) -> Journal:
    journal = case.make()
    for index in order if order is not None else range(len(PATHS)):
        journal.put(PATHS[index], "row", {"n": index})
        journal.put(PATHS[index], "end", index)
    return journal


def _flush(journal: Journal, *, durable: bool = False) -> None:
    wait(_flushed(journal, durable=durable))


async def _flushed(journal: Journal, *, durable: bool) -> None:
    await journal.flush(durable=durable)


def _done(journal: Journal) -> None:
    journal.close()


@promise
def a_fact_comes_back_as_it_was(case: JournalCase) -> None:
    """Any JSON value comes back equal and of the same type, at once and after a flush; an absent one is None."""
    journal = case.make()
    for index, value in enumerate(VALUES):
        journal.put(f"v/{index}", "value", value)
    for _ in range(2):
        for index, value in enumerate(VALUES):
            found = journal.get(f"v/{index}", "value")
            require(found is not None and canonical(found) == canonical(value), seen=found, mend="keep canonical JSON")
        require(journal.get("v/0", "other") is None and journal.get("v", "value") is None, seen="a fact", mend="None")
        _flush(journal)
    _done(journal)


@promise
def a_fact_is_inserted_once(case: JournalCase) -> None:
    """The same fact again is nothing, and another value at its key is an InstrumentFault that changes nothing."""
    for flushed in (False, True):
        journal = case.make()
        journal.put("a", "row", {"x": 1, "y": [True]})
        if flushed:
            _flush(journal)
        before = journal.digest()
        journal.put("a", "row", {"y": [True], "x": 1})
        for value in _CONFLICTS:
            _refused(journal, value)
        require(journal.digest() == before, seen="another digest", mend="a refused put leaves no trace")
        require(journal.get("a", "row") == {"x": 1, "y": [True]}, seen=journal.get("a", "row"), mend="keep the first")
        require(len(list(journal.facts())) == 1, seen=list(journal.facts()), mend="one row for one key")
        _done(journal)


_CONFLICTS: Sequence[JSON] = (
    {"x": 2},
    {"x": 1.0, "y": [True]},
    {"x": True, "y": [True]},
    None,
    "",
    {"x": 1, "y": [1]},
)


def _refused(journal: Journal, value: JSON) -> None:
    try:
        journal.put("a", "row", value)
    except InstrumentFault:
        return
    require(False, seen=f"{value!r} was taken over another value", mend="compare canonical JSON; raise InstrumentFault")


@promise
def a_number_that_is_not_finite_is_refused(case: JournalCase) -> None:
    """NaN and infinity raise UsageError and leave no trace."""
    journal = case.make()
    for value in (float("nan"), [float("inf")], {"x": -float("inf")}):
        try:
            journal.put("a", "row", value)
        except UsageError:
            continue
        require(False, seen=f"{value!r} was taken", mend="write canonical JSON")
    require(not list(journal.facts()), seen=list(journal.facts()), mend="check before inserting")
    _done(journal)


@promise
def a_fact_does_not_change_with_its_value(case: JournalCase) -> None:
    """Changing the value after it was put, or the value got, changes no fact."""
    journal = case.make()
    value: dict[str, Any] = {"x": [1]}
    journal.put("a", "row", value)
    value["x"].append(2)
    found: Any = journal.get("a", "row")
    require(found == {"x": [1]}, seen=found, mend="spell the value when it is put")
    found["x"].append(3)
    require(journal.get("a", "row") == {"x": [1]}, seen=journal.get("a", "row"), mend="give out a copy")
    _done(journal)


@promise
def facts_come_in_key_order(case: JournalCase) -> None:
    """Facts come ordered by path and then kind, by code point, those waiting among those written."""
    order = list(range(len(PATHS)))
    Seed("contract").child("order").rng().shuffle(order)
    journal = case.make()
    for position, index in enumerate(order):
        journal.put(PATHS[index], "row", index)
        journal.put(PATHS[index], "end", index)
        if position == len(order) // 2:
            _flush(journal)
    keys = [(fact.path, fact.kind) for fact in journal.facts()]
    wanted = sorted((path, kind) for path in PATHS for kind in ("row", "end"))
    require(keys == wanted, seen=keys, mend="order by (path, kind), byte by byte")
    require(all(isinstance(fact, Fact) for fact in journal.facts()), seen="other rows", mend="yield Fact")
    _done(journal)


@promise
def under_stops_at_the_border_of_a_path(case: JournalCase) -> None:
    """`under` gives a path and what lies below it, letter by letter: L1 holds L1/work, and neither L10 nor l1."""
    for flushed in (False, True):
        journal = _filled(case)
        if flushed:
            _flush(journal)
        for under in (*PATHS, "L1/work/0001/step", "L", "nobody", "L1/wor"):
            found = [fact.path for fact in journal.facts(under=under, kind="row")]
            wanted = sorted(path for path in PATHS if path == under or path.startswith(f"{under}/"))
            require(found == wanted, seen=f"under {under!r}: {found}", mend="compare whole pieces; no LIKE")
        _done(journal)


@promise
def a_kind_gives_its_facts_alone(case: JournalCase) -> None:
    """`kind` gives the facts of that kind and no others; without it all come."""
    journal = _filled(case)
    for kind, count in (("row", len(PATHS)), ("end", len(PATHS)), ("ro", 0), ("ROW", 0), ("%", 0)):
        found = list(journal.facts(kind=kind))
        require(
            len(found) == count and all(fact.kind == kind for fact in found), seen=found, mend="match kinds exactly"
        )
    require(len(list(journal.facts())) == 2 * len(PATHS), seen=len(list(journal.facts())), mend="all kinds without one")
    _done(journal)


@promise
def what_was_put_is_seen_before_it_is_flushed(case: JournalCase) -> None:
    """Facts, observations and blobs are there for the one who put them, flushed or not."""
    journal = case.make()
    journal.put("a", "row", 1)
    _flush(journal)
    journal.put("b", "row", 2)
    journal.observe("b", "seconds", 0.5)
    digest = journal.blob(b"bytes")
    require(journal.get("b", "row") == 2, seen=journal.get("b", "row"), mend="look among what waits")
    require([f.path for f in journal.facts()] == ["a", "b"], seen=list(journal.facts()), mend="merge what waits")
    require([o.value for o in journal.observations()] == [0.5], seen=list(journal.observations()), mend="merge too")
    require(journal.read_blob(digest) == b"bytes", seen="no blob", mend="look among the blobs that wait")
    _done(journal)


@promise
def observations_stay_out_of_the_digest(case: JournalCase) -> None:
    """Observations and blobs change nothing in the digest; observations are listed by path and name."""
    journal = _filled(case)
    before = journal.digest()
    journal.observe("L1/work", "seconds", 1.5)
    journal.observe("L10/work", "seconds", 2.5)
    journal.observe("L1/work", "cost", {"usd": 0.1})
    journal.blob(b"a picture")
    _flush(journal)
    require(journal.digest() == before, seen="another digest", mend="hash facts alone")
    seen = [(o.path, o.kind, o.value) for o in journal.observations(under="L1")]
    wanted = [("L1/work", "cost", {"usd": 0.1}), ("L1/work", "seconds", 1.5)]
    require(seen == wanted, seen=seen, mend="list observations in key order, below a path")
    named = [o.path for o in journal.observations(name="seconds")]
    require(named == ["L1/work", "L10/work"], seen=named, mend="match names exactly")
    require(len(list(journal.facts())) == 2 * len(PATHS), seen="more facts", mend="keep the strata apart")
    _done(journal)


@promise
def the_digest_does_not_know_the_order_of_insertion(case: JournalCase) -> None:
    """The same facts have the same digest, in whatever order and between whatever flushes they were put."""
    order = list(range(len(PATHS)))
    Seed("contract").child("digest").rng().shuffle(order)
    one, other, flushed = _filled(case), _filled(case, order), case.make()
    for index in reversed(order):
        flushed.put(PATHS[index], "end", index)
        flushed.put(PATHS[index], "row", {"n": index})
        _flush(flushed, durable=index % 2 == 0)
    digests = {journal.digest() for journal in (one, other, flushed)}
    require(len(digests) == 1, seen=digests, mend="hash in key order")
    for journal in (one, other, flushed):
        _done(journal)


@promise
def another_fact_has_another_digest(case: JournalCase) -> None:
    """One value, path or kind changed, moved or missing changes the digest."""
    tables: Sequence[Sequence[tuple[str, str, JSON]]] = (
        (),
        (("a", "b", 1),),
        (("a", "b", 2),),
        (("a", "b", 1.0),),
        (("a", "b", True),),
        (("a", "b", "1"),),
        (("ab", "c", 1),),
        (("a", "bc", 1),),
        (("a/b", "c", 1),),
        (("a", "b", 1), ("a", "c", 1)),
    )
    digests = set()
    for table in tables:
        journal = case.make()
        for path, kind, value in table:
            journal.put(path, kind, value)
        digests.add(journal.digest())
        _done(journal)
    require(
        len(digests) == len(tables), seen=f"{len(digests)} digests for {len(tables)} tables", mend="hash the keys too"
    )


@promise
def blobs_are_kept_by_their_content(case: JournalCase) -> None:
    """A blob's name is the SHA-256 of its bytes; the same bytes are one blob, and all bytes come back."""
    journal = case.make()
    for data in (b"", b"\x00", bytes(range(256)), b"x" * (3 << 20), "é".encode()):
        digest = journal.blob(data)
        require(digest == sha256(data) == journal.blob(data), seen=digest, mend="name blobs by SHA-256")
        require(journal.read_blob(digest) == data, seen=f"{len(data)} bytes changed", mend="keep the bytes")
        _flush(journal)
        require(journal.read_blob(digest) == data, seen=f"{len(data)} bytes lost", mend="keep the bytes")
    _done(journal)


@promise
def a_missing_blob_is_a_fault(case: JournalCase) -> None:
    """A blob that is not there raises InstrumentFault, also for what is no hash at all."""
    journal = case.make()
    for digest in ("0" * 64, "", "../../etc/passwd", sha256(b"never kept"), "é", "\x00"):
        try:
            found: object = journal.read_blob(digest)
        except InstrumentFault:
            continue
        require(False, seen=f"{digest!r} gave {found!r}", mend="raise InstrumentFault")
    _done(journal)


@promise
def what_survives_is_a_beginning_of_the_record(case: JournalCase) -> None:
    """After a flush all facts put so far survive the process; at any time the survivors have no gaps."""
    if case.survivors is None:
        return
    journal = case.make()
    put: list[tuple[str, str]] = []
    for index in range(30):
        key = (f"p/{index * 7 % 30:02d}", "row")
        journal.put(*key, index)
        put.append(key)
        if index % 7 == 3:
            _flush(journal, durable=index % 2 == 0)
            require(set(case.survivors()) == set(put), seen="a flushed fact is missing", mend="commit all that waits")
        left = set(case.survivors())
        gaps = [one for one, after in pairwise(put) if after in left and one not in left]
        require(not gaps, seen=f"later facts without {gaps}", mend="commit in the order of putting")
    _done(journal)


@promise
def a_closed_journal_is_found_again(case: JournalCase) -> None:
    """What was put before closing is there when the journal is opened again, with the same digest."""
    if case.reopen is None:
        return
    journal = _filled(case)
    journal.observe("L1/work", "seconds", 1.5)
    blob = journal.blob(b"bytes")
    before, facts = journal.digest(), list(journal.facts())
    journal.close()
    again = case.reopen()
    require(again.digest() == before and list(again.facts()) == facts, seen="other facts", mend="write what waits")
    require(again.read_blob(blob) == b"bytes", seen="no blob", mend="write the blobs that wait")
    require([o.value for o in again.observations()] == [1.5], seen=list(again.observations()), mend="write them too")
    again.put(PATHS[0], "row", {"n": 0})
    _done(again)
