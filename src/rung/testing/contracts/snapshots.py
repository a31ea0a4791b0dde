"""The contract suite of snapshot stores: immutable states under ids that equal history makes equal."""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Snapshots
from rung.core.values import State
from rung.testing.contracts.promise import Check, into, require

SnapshotsMaker: TypeAlias = Callable[[], Snapshots]
"""Makes an empty store."""

CHECKS: list[Check[SnapshotsMaker]] = []
promise = into(CHECKS)

PLAIN = State({"agent/prompt.md": b"Answer.\n"})
OTHER = State({"agent/prompt.md": b"Answer well.\n"})


def states() -> Mapping[str, State]:
    """States that stores have been known to lose something of, by what is odd in them."""
    names = [
        "é",
        "e\u0301",
        "日本",
        "😀",
        " lead",
        "trail ",
        "-rf",
        "...",
        "a\\b",
        "*?[x]",
        "x" * 200,
        "'\"$`",
        "~",
        "%2F",
    ]
    git = [
        ".gitignore",
        ".gitmodules",
        ".gitattributes",
        "HEAD",
        "index.lock",
        "a.lock",
        "@{0}",
        "con",
        "x:y",
        "sub.git",
    ]
    ordered = ["a", "a.b", "a-b", "a0", "ab", "A", "b/c", "b.c", "b-c", "b0"]
    return {
        "no files": State(),
        "odd names": State({f"agent/{name}": name.encode() for name in names}),
        "names git knows": State({f"agent/{name}": name.encode() for name in git}),
        "names in git's order": State({f"agent/{name}": name.encode() for name in ordered}),
        "deep folders": State({"method/" + "/".join("d" * 60) + "/file": b"deep"}),
        "odd bytes": State(
            {
                "agent/empty": b"",
                "agent/nul": b"\x00",
                "agent/crlf": b"a\r\nb\rc\n",
                "agent/no newline": b"a",
                "agent/latin-1": b"\xe9\xff\xfe",
                "agent/every": bytes(range(256)),
                "agent/blob": b"blob 3\x00abc",
                "agent/large": bytes(range(256)) * 4096,
            }
        ),
        "all parts": State({"agent/a": b"1", "conversation/a": b"1", "method/a": b"1"}),
        "many files": State({f"method/buffer/{n:04d}.json": b"{}" for n in range(500)}),
    }


@promise
def what_was_put_comes_back(make: SnapshotsMaker) -> None:
    """A state comes back with the same names and bytes, however odd."""
    store = make()
    ids = {name: store.put(state, parent=None, message=name) for name, state in states().items()}
    for name, state in states().items():
        found = store.get(ids[name])
        wrong = sorted(set(found.files.items()) ^ set(state.files.items()))[:2]
        require(found == state, seen=f"{name}: {wrong}", mend="keep names as UTF-8 and bytes as they are")


@promise
def a_state_that_cannot_be_kept_is_refused(make: SnapshotsMaker) -> None:
    """A state that the store cannot hold raises, and is never kept in part: a file beside a folder of its name."""
    for state in (State({"agent/a": b"1", "agent/a/b": b"2"}), State({"agent/\udc80": b"1"})):
        store = make()
        try:
            snapshot = store.put(state, parent=None, message="odd")
        except (UsageError, InstrumentFault):
            continue
        require(store.get(snapshot) == state, seen=f"kept in part: {store.get(snapshot)}", mend="raise UsageError")


@promise
def equal_history_has_equal_ids(make: SnapshotsMaker) -> None:
    """Two stores give the same states in the same order the same ids: 40 hex digits, whatever the order of files."""
    ids = []
    for turned in (False, True):
        store, parent, chain = make(), None, []
        for name, state in states().items():
            files = dict(reversed(list(state.files.items()))) if turned else dict(state.files)
            parent = store.put(State(files), parent=parent, message=name)
            chain.append(parent)
        ids.append(chain)
    require(ids[0] == ids[1], seen=ids, mend="no time, machine or user in an id; sort the files")
    require(all(re.fullmatch("[0-9a-f]{40}", one) for one in ids[0]), seen=ids[0], mend="the id is a git commit id")


@promise
def the_same_put_again_is_the_same_snapshot(make: SnapshotsMaker) -> None:
    """Putting a state again under the same parent gives the id it has, and both can be read."""
    store = make()
    first = store.put(PLAIN, parent=None, message="A_0")
    again = store.put(PLAIN, parent=None, message="A_0")
    require(first == again and store.get(first) == PLAIN, seen=f"{first} and {again}", mend="an id is made of content")


@promise
def another_history_has_another_id(make: SnapshotsMaker) -> None:
    """Another parent or another state makes another id."""
    store = make()
    root = store.put(PLAIN, parent=None, message="m")
    other = store.put(OTHER, parent=None, message="m")
    ids = [root, other, store.put(PLAIN, parent=root, message="m"), store.put(PLAIN, parent=other, message="m")]
    require(len(set(ids)) == 4, seen=ids, mend="hash the parent and the whole state into the id")


@promise
def a_snapshot_never_changes(make: SnapshotsMaker) -> None:
    """Neither changing what was put, nor what was got, nor later snapshots change an earlier one."""
    store = make()
    files = dict(PLAIN.files)
    snapshot = store.put(State(files), parent=None, message="A_0")
    files["agent/prompt.md"] = b"changed"
    got = store.get(snapshot).files
    if isinstance(got, dict):
        got["agent/prompt.md"] = b"changed"
    store.put(OTHER, parent=snapshot, message="A_1")
    require(store.get(snapshot) == PLAIN, seen=store.get(snapshot), mend="copy the files in and out")


@promise
def an_unknown_id_is_a_fault(make: SnapshotsMaker) -> None:
    """Whatever is no snapshot's id raises InstrumentFault: no short ids, no names, no paths."""
    store = make()
    known = store.put(PLAIN, parent=None, message="A_0")
    store.point("narrow/L1", known)
    for odd in (
        "a" * 40,
        "",
        known[:12],
        known.upper() + "0",
        "HEAD",
        "narrow/L1",
        "../" + known,
        "é",
        "0" * 40,
        "\x00",
    ):
        try:
            found: object = store.get(odd)
        except InstrumentFault:
            continue
        require(False, seen=f"get({odd!r}) gave {found!r}", mend="raise InstrumentFault for an id never given out")


@promise
def an_unknown_parent_is_a_fault(make: SnapshotsMaker) -> None:
    """A state cannot be put as the child of a snapshot that is not there."""
    try:
        found: object = make().put(PLAIN, parent="b" * 40, message="child of nobody")
    except InstrumentFault:
        return
    require(False, seen=f"put gave {found!r}", mend="raise InstrumentFault for a parent never given out")


@promise
def a_readable_name_moves_and_nothing_else(make: SnapshotsMaker) -> None:
    """Pointing a name at one snapshot and then another changes neither, and never an id."""
    store = make()
    root = store.put(PLAIN, parent=None, message="A_0")
    child = store.put(OTHER, parent=root, message="A_1")
    for snapshot in (root, child, child, root):
        store.point("narrow/L1", snapshot)
    kept = (store.get(root), store.get(child)) == (PLAIN, OTHER)
    require(
        kept and store.put(PLAIN, parent=None, message="A_0") == root, seen="another state", mend="move the ref only"
    )
