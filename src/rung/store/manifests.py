"""A folder tree as a value: what lies at each path, by content. Its id is the SHA-256 of its canonical JSON.

    {"entries": {".": {"mode": "755"}, "a.txt": {"mode": "644", "sha256": "...", "size": 3},
                 "b.txt": {..., "same": "a.txt"}, "c": {"to": "a.txt"}}, "format": 1}

Paths and link texts are spelled as `core.paths` does. Of a mode, what owner, group and others may do is kept. Times,
owners and extended attributes are not: equal work has an equal id, whoever ran it and whenever. `same` names the file
of which this one is another name (a hard link). A symbolic link is its text, and leads nowhere.
"""

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from rung.core.canonical import JSON, canonical, sha256
from rung.core.errors import UsageError
from rung.core.paths import raw
from rung.store.blobs import is_digest

ROOT = "."
FORMAT = 1


@dataclass(frozen=True, slots=True)
class File:
    """A regular file: its mode, size in bytes and SHA-256; and the first name of it, where this is another."""

    mode: int
    size: int
    digest: str
    same: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory."""

    mode: int


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link: the text in it, spelled."""

    to: str


Entry: TypeAlias = File | Folder | Link


@dataclass(frozen=True)
class Manifest:
    """What lies at each path of a tree, the tree itself at `.`; parents before children in `ordered`."""

    entries: Mapping[str, Entry] = field(hash=False)
    text: str = field(init=False, repr=False, compare=False)
    id: str = field(init=False)

    def __post_init__(self) -> None:
        entries: dict[str, JSON] = {path: _json(entry) for path, entry in self.entries.items()}
        object.__setattr__(self, "text", canonical({"format": FORMAT, "entries": entries}))
        object.__setattr__(self, "id", sha256(self.text))

    def ordered(self) -> list[str]:
        """The paths without the root's: each folder, then all that it holds, then the next."""
        return sorted((path for path in self.entries if path != ROOT), key=_order)

    @property
    def leaves(self) -> list[str]:
        """The paths of all that is no folder."""
        return [path for path in self.ordered() if not isinstance(self.entries[path], Folder)]


def parse(text: str) -> Manifest:
    """The manifest of this text. Raises `UsageError` unless it can be laid out and keeps within its folder."""
    try:
        value = json.loads(text)
        if value.keys() != {"format", "entries"} or value["format"] != FORMAT:
            raise ValueError(f"a format that is not {FORMAT}")
        manifest = Manifest({path: _entry(entry) for path, entry in value["entries"].items()})
        _check(manifest)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"this is no manifest of a home: {error}; take the text that was kept") from error
    return manifest


# --------------------------------------------------------------------------------------------- what became of it


@dataclass(frozen=True, slots=True)
class Difference:
    """The paths of files and links that are new, that are otherwise than before, and that are gone."""

    written: tuple[str, ...]
    revised: tuple[str, ...]
    deleted: tuple[str, ...]


def difference(before: Manifest, after: Manifest) -> Difference:
    """What was written, revised and deleted from one manifest to another. That a file has another name is no change."""
    old, new = before.leaves, after.leaves
    was, is_now = set(old), set(new)
    return Difference(
        written=tuple(path for path in new if path not in was),
        revised=tuple(path for path in new if path in was and _alone(before, path) != _alone(after, path)),
        deleted=tuple(path for path in old if path not in is_now),
    )


def _alone(manifest: Manifest, path: str) -> Entry:
    entry = manifest.entries[path]
    return replace(entry, same=None) if isinstance(entry, File) else entry


# --------------------------------------------------------------------------------------------- an upper on a lower


@dataclass(frozen=True, slots=True)
class Change:
    """What an overlay's upper folder says of a path. No entry: it was deleted. `opaque`: nothing below it remains."""

    path: str
    entry: Entry | None
    opaque: bool = False


def overlaid(base: Manifest, changes: Iterable[Change]) -> Manifest:
    """What a reader sees when these changes, parents before children, lie over a manifest."""
    entries = dict(base.entries)
    order = sorted((_order(path), path) for path in base.entries if path != ROOT)
    upper: set[str] = set()
    for change in changes:
        if not isinstance(change.entry, Folder) or change.opaque or not isinstance(entries.get(change.path), Folder):
            for path in _below(order, change.path):
                entries.pop(path, None)
        if change.entry is None:
            entries.pop(change.path, None)
        else:
            entries[change.path] = change.entry
            upper.add(change.path)
    return Manifest(named_once(entries, lambda path: path in upper))


def named_once(entries: Mapping[str, Entry], side: Callable[[str], bool] = lambda _: True) -> dict[str, Entry]:
    """The entries with each file's names led by the first of those that are left.

    Names on different sides are of different files, whatever they say.
    """
    files: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for path, entry in entries.items():
        if isinstance(entry, File):
            files[side(path), entry.same or path].append(path)
    named = dict(entries)
    for names in files.values():
        first = min(names, key=_order)
        for path in names:
            entry = entries[path]
            assert isinstance(entry, File)
            same = None if path == first else first
            if entry.same != same:
                named[path] = replace(entry, same=same)
    return named


def _below(order: Sequence[tuple[str, str]], path: str) -> list[str]:
    start = f"{_order(path)}\0" if path != ROOT else ""
    first = bisect_left(order, (start, ""))
    last = bisect_left(order, (f"{start[:-1]}\1", "")) if start else len(order)
    return [found for _, found in order[first:last]]


def _order(path: str) -> str:
    return path.replace("/", "\0")  # no spelled path holds a NUL


# --------------------------------------------------------------------------------------------- pieces taken out


def without(manifest: Manifest, gone: Callable[[str], bool]) -> Manifest:
    """The manifest without the files, links and empty folders for which `gone` says so, nor the folders that held only
    them.

    With a program's rules a class of files goes: `without(home, lambda path: rules.of(path) == "conversation")`.
    """
    full = {_above(path) for path in manifest.entries if path != ROOT}
    return _less(manifest, [path for path in manifest.entries if path not in full and path != ROOT and gone(path)])


def _less(manifest: Manifest, gone: Iterable[str]) -> Manifest:
    kept = dict(manifest.entries)
    held = Counter(_above(path) for path in kept if path != ROOT)
    going = list(gone)
    while going:
        path = going.pop()
        del kept[path]
        above = _above(path)
        held[above] -= 1
        if not held[above] and above != ROOT:
            going.append(above)
    return Manifest(named_once(kept))


def _above(path: str) -> str:
    return path.rpartition("/")[0] or ROOT


# --------------------------------------------------------------------------------------------- JSON


def _json(entry: Entry) -> JSON:
    match entry:
        case Link(to):
            return {"to": to}
        case Folder(mode):
            return {"mode": f"{mode:o}"}
        case File(mode, size, digest, same):
            file: dict[str, JSON] = {"mode": f"{mode:o}", "size": size, "sha256": digest}
            return file if same is None else {**file, "same": same}


def _entry(value: Mapping[str, Any]) -> Entry:
    match value:
        case {"to": str(to), **rest} if not rest:
            if b"\0" in raw(to):
                raise ValueError(f"a link to {to!r}")
            return Link(to)
        case {"mode": str(mode), "size": int(size), "sha256": str(digest), **rest} if is_digest(digest) and size >= 0:
            if rest.keys() - {"same"} or not isinstance(rest.get("same", ""), str):
                raise ValueError(f"a file with {sorted(rest)}")
            return File(_mode(mode), size, digest, rest.get("same"))
        case {"mode": str(mode), **rest} if not rest:
            return Folder(_mode(mode))
        case _:
            raise ValueError(f"an entry {value!r}")


def _mode(text: str) -> int:
    mode = int(text, 8)
    if f"{mode:o}" != text or not 0 <= mode <= 0o777:
        raise ValueError(f"a mode {text!r}")
    return mode


def _check(manifest: Manifest) -> None:
    entries = manifest.entries
    if not isinstance(entries.get(ROOT), Folder):
        raise ValueError("no folder at '.'")
    for path, entry in entries.items():
        if path != ROOT:
            if {"", ".", ".."} & set(path.split("/")) or b"\0" in raw(path):
                raise ValueError(f"a path {path!r} that could lead out of its folder")
            if not isinstance(entries.get(_above(path)), Folder):
                raise ValueError(f"{path!r} lies in no folder")
        if isinstance(entry, File) and entry.same is not None:
            first = entries.get(entry.same)
            if first != replace(entry, same=None) or _order(entry.same) >= _order(path):
                raise ValueError(f"{path!r} is another name of {entry.same!r}, which is not that file")


EMPTY = Manifest({ROOT: Folder(0o755)})
"""A home with nothing in it, whatever the umask of whoever makes one."""
