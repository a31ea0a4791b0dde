"""Immutable states. The journal is their one durable truth; `states.git` lets a person read them.

A snapshot is the fact (`snapshot/<id>`, `snapshot`): {"parent": id or null, "message", "files": {path: blob hash}}.
Its id is that of the git commit of these files (mode 100644, a fixed author and date, the parent's id), so equal
history has equal ids on every machine, with or without a repository. Git objects are made by dulwich; measured, it
takes some 30 microseconds for a state of two files, so there was no reason to make them by hand.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from rung.core.canonical import JSON
from rung.core.crashpoints import reach
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Journal
from rung.core.values import State
from rung.store.projection import Projection, check_ref
from rung.store.rows import whole_pairs

if TYPE_CHECKING:
    from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree

AUTHOR = b"rung <rung@localhost>"
KIND = "snapshot"
FILE, FOLDER = 0o100644, 0o40000  # git's modes
KNOWN_BLOBS = 1 << 16
KNOWN_STATES = 16


class _Row(TypedDict):
    parent: str | None
    message: str
    files: dict[str, str]


class JournalSnapshots:
    """The snapshots of a journal; with `git`, readable there as well."""

    def __init__(self, journal: Journal, git: Path | None = None) -> None:
        self._journal = journal
        self._projection = None if git is None else Projection(git)
        self._git_ids: dict[str, ObjectID] = {}
        self._states: dict[str, dict[str, bytes]] = {}
        if self._projection is not None and not self._projection.exists():
            self.project()

    def put(self, state: State, *, parent: str | None, message: str) -> str:
        """Keep a state as a child of another; its id. The same again is nothing. Committed by the journal's flush."""
        if parent is not None:
            self._row(parent)
        files = {_text(path): data for path, data in state.files.items()}
        row: _Row = {
            "parent": parent,
            "message": _message(message),
            "files": {path: self._journal.blob(data) for path, data in files.items()},
        }
        trees, commit = self._objects(row, files)
        snapshot = commit.id.decode()
        reach("snapshot.before")
        self._journal.put(_path(snapshot), KIND, cast(JSON, row))
        if self._projection is not None:
            self._project_one(self._projection, row, files, [*trees, commit])
        reach("snapshot.after")
        self._remember(snapshot, files)
        return snapshot

    def get(self, snapshot: str) -> State:
        """The state with this id."""
        if snapshot not in self._states:
            files = self._row(snapshot)["files"]
            self._remember(snapshot, {path: self._journal.read_blob(digest) for path, digest in files.items()})
        return State(dict(self._states[snapshot]))  # a copy: what a caller does to it is no business of the next

    def point(self, name: str, snapshot: str) -> None:
        """Move the readable ref of a lineage (`narrow/L3`). It is no fact: resuming points again."""
        check_ref(name)
        self._row(snapshot)
        reach("ref.update.before")
        if self._projection is not None:
            self._projection.point(name, snapshot)
        reach("ref.update.after")

    def project(self, refs: Mapping[str, str] | None = None) -> bool:
        """Make `states.git` hold exactly the journal's snapshots, rebuilding it when anything is missing or damaged.

        Refs that can still be read are kept, and `refs` are added. True when it was rebuilt. Reads every object, so
        call it after a crash and before handing a run on, and not in between.
        """
        if self._projection is None:
            return False
        snapshots: set[str] = set()
        names: set[str] = set()
        for snapshot, row in self._rows():
            trees, commit = self._objects(row)
            snapshots.add(snapshot)
            names.update(item.id.decode() for item in (*trees, commit))
            names.update(self._git_id(digest).decode() for digest in row["files"].values())
        rebuild = not self._projection.holds(names)
        if rebuild:
            kept = {name: snapshot for name, snapshot in self._projection.refs().items() if snapshot in snapshots}
            self._projection.rebuild(self._all_objects(), kept)
        for name, snapshot in (refs or {}).items():
            self.point(name, snapshot)
        return rebuild

    def _project_one(self, git: Projection, row: _Row, files: Mapping[str, bytes], objects: "list[ShaFile]") -> None:
        blobs = (_blob(files[path]) for path, digest in row["files"].items() if not git.has(self._git_id(digest)))
        git.write(_packed(item) for item in (*blobs, *objects))

    # ------------------------------------------------------------------------------------------ rows

    def _row(self, snapshot: str) -> _Row:
        row = self._journal.get(_path(snapshot), KIND)
        if row is None:
            raise InstrumentFault("snapshots", f"no snapshot {snapshot!r} in this journal; ids are given by `put`")
        return cast(_Row, row)

    def _rows(self) -> Iterator[tuple[str, _Row]]:
        for fact in self._journal.facts(under=KIND, kind=KIND):
            yield fact.path.removeprefix(f"{KIND}/"), cast(_Row, fact.value)

    def _remember(self, snapshot: str, files: dict[str, bytes]) -> None:
        self._states.pop(snapshot, None)
        self._states[snapshot] = files
        if len(self._states) > KNOWN_STATES:
            del self._states[next(iter(self._states))]

    # ------------------------------------------------------------------------------------------ git objects

    def _objects(self, row: _Row, files: Mapping[str, bytes] | None = None) -> "tuple[list[Tree], Commit]":
        """The trees and the commit of a snapshot; its blobs are only named."""
        known = files or {}
        trees = _trees({path: self._git_id(digest, known.get(path)) for path, digest in row["files"].items()})
        return trees, _commit(trees[-1].id, row["parent"], row["message"])

    def _git_id(self, digest: str, data: bytes | None = None) -> "ObjectID":
        """What git calls the blob that we call `digest`."""
        name = self._git_ids.get(digest)
        if name is None:
            name = _blob(self._journal.read_blob(digest) if data is None else data).id
            self._git_ids[digest] = name
            if len(self._git_ids) > KNOWN_BLOBS:
                del self._git_ids[next(iter(self._git_ids))]
        return name

    def _all_objects(self) -> Iterator[tuple[str, bytes]]:
        """Every object of every snapshot, once, what is named before what names it."""
        seen: set[str] = set()
        for _, row in self._rows():
            for digest in row["files"].values():
                if digest not in seen:
                    seen.add(digest)
                    yield _packed(_blob(self._journal.read_blob(digest)))
            trees, commit = self._objects(row)
            for item in (*trees, commit):
                if item.id.decode() not in seen:
                    seen.add(item.id.decode())
                    yield _packed(item)


def _path(snapshot: str) -> str:
    return f"{KIND}/{snapshot}"


def _text(path: str) -> str:
    return path if path.isascii() else whole_pairs(path)  # as the journal will spell it


def _message(text: str) -> str:
    """What a commit can hold: no NUL, and no half of a surrogate pair."""
    return whole_pairs(text).replace("\0", "?").encode("utf-8", "replace").decode()


def _packed(item: "ShaFile") -> tuple[str, bytes]:
    return item.id.decode(), item.as_legacy_object()


def _blob(data: bytes) -> "Blob":
    from dulwich.objects import Blob

    return Blob.from_string(data)


def _trees(files: "Mapping[str, ObjectID]") -> "list[Tree]":
    """The trees of these files, what is named before what names it, so the root comes last.

    Without recursion: an agent may nest folders deeper than Python nests calls.
    """
    from dulwich.objects import Tree

    folders: dict[str, Tree] = {"": Tree()}
    for path in files:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders[folder] = Tree()
            folder = folder.rpartition("/")[0]
    for path, name in files.items():
        if path in folders:
            raise UsageError(f"a state cannot hold {path!r} both as a file and as a folder; rename one")
        folder, _, file = path.rpartition("/")
        folders[folder].add(file.encode("utf-8", "surrogatepass"), FILE, name)
    deepest_first = sorted(folders, key=lambda folder: -folder.count("/") if folder else 1)
    for folder in deepest_first[:-1]:
        above, _, last = folder.rpartition("/")
        folders[above].add(last.encode("utf-8", "surrogatepass"), FOLDER, folders[folder].id)
    return [folders[folder] for folder in deepest_first]


def _commit(tree: "ObjectID", parent: str | None, message: str) -> "Commit":
    from dulwich.objects import Commit, ObjectID

    commit = Commit()
    commit.tree = tree
    commit.parents = [] if parent is None else [ObjectID(parent.encode())]
    commit.author = commit.committer = AUTHOR
    commit.author_time = commit.commit_time = 0
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = message.encode()
    return commit
