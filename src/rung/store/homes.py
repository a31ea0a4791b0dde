"""What agent programs leave behind, kept for ever and forked cheaply.

A home or a work folder is kept as a manifest (see `manifests`), whose files are blobs beside the journal's own. Before
a session it is forked: once laid out as a folder that nobody writes to, it is the lower one of any number of
overlays. What a session wrote is then the upper folder, and keeping it costs no more than that. Where there is no
overlay a fork is a copy, and all else is the same.

    laid/<key>/tree     a manifest as a folder           forks/<key>/about.json   what it is a fork of
    forks/<key>/upper   what was written to an overlay   forks/<key>/tree         a copy

A folder appears whole or not at all, and one left half-done by a death is never taken for another. What is laid out
can be made again from the blobs at any time; a fork holds what its session wrote, until that is kept.
"""

import json
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Literal

from rung.core.canonical import canonical, sha256
from rung.core.confined import Bind, Fork
from rung.core.crashpoints import reach
from rung.core.errors import StoreFault
from rung.store.blobs import LARGEST_IN_TABLE, BlobFiles, is_digest, sync_all
from rung.store.blobs import replace as put_in_place
from rung.store.manifests import File, Folder, Link, Manifest, named_once, overlaid, parse
from rung.store.mounts import file_system, read_mounts
from rung.store.trees import Gathered, build, gather, hashed, pour
from rung.store.walker import CAPS, Caps, Finding, remove

KNOWN = 8
"""Manifests that are held in memory."""
UPPERS = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs"})
"""File systems that an overlay takes as its upper one."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept of a tree: its manifest, the times beside it, how much it is, and what could not be kept.

    `manifest` and `times` are the names of blobs. `read_bytes` were read for it; of a fork, those it wrote. Findings
    beyond the first thousand are `more`.
    """

    manifest: str
    times: str
    files: int
    folders: int
    links: int
    bytes: int
    read_bytes: int
    findings: tuple[Finding, ...] = ()
    more: int = 0

    @property
    def complete(self) -> bool:
        """Whether all that lay there was kept."""
        return not self.more and all(finding.trouble == "privileged" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork of a kept home that a program may write to, by the name it was given; `mount` is for the confiner."""

    name: str
    base: str
    times: str | None
    place: Path
    mount: Fork | Bind


class Homes:
    """The homes of a run, below a folder of their own. One process may use it at a time, with any number of threads."""

    def __init__(self, root: Path, blobs: BlobFiles, *, caps: Caps = CAPS) -> None:
        self._root = root
        self._blobs = blobs
        self._caps = caps
        self._known: dict[str, Manifest] = {}
        self._sound: set[str] = set()
        self._lock = Lock()

    # ------------------------------------------------------------------------------------------ keeping

    def keep(self, source: Path | Forked) -> Kept:
        """Keep what lies in a folder or a fork whose programs have ended. It survives power loss when this returns.

        Nothing in it is run, followed or opened but its regular files. Raises `StoreFault` when the disk is full.
        """
        try:
            return self._keep(source)
        except OSError as error:
            raise StoreFault("homes", f"what the agent left cannot be kept ({error}); it still lies there") from error

    def manifest(self, manifest: str) -> Manifest:
        """A kept manifest by its id."""
        found = self._known.pop(manifest, None) or parse(self._blob(manifest).decode("utf-8", "replace"))
        return self._remember(found)

    def put(self, manifest: Manifest) -> str:
        """Keep a manifest that was made from kept ones; its id."""
        try:
            sync_all([self._write_text(manifest.text)], self._blobs.folder)
        except OSError as error:
            raise StoreFault("homes", f"a manifest cannot be kept ({error})") from error
        return manifest.id

    def times(self, times: str) -> Mapping[str, int]:
        """When each file was last written, in nanoseconds since 1970, as the program's own clock said."""
        return {str(path): int(time) for path, time in json.loads(self._blob(times)).items()}

    def _remember(self, manifest: Manifest) -> Manifest:
        """Most of what is kept is a fork of what was just kept, and reading that again would cost the most."""
        self._known[manifest.id] = manifest
        for oldest in list(self._known)[:-KNOWN]:
            self._known.pop(oldest, None)
        return manifest

    def _keep(self, source: Path | Forked) -> Kept:
        match source:
            case Forked(mount=Fork(upper=upper)):
                gathered = gather(upper, self._take, self._caps, overlay=True)
                manifest = overlaid(self.manifest(source.base), gathered.changes)
                before = self.times(source.times) if source.times else {}
                return self._commit(manifest, gathered, before)
            case Forked(mount=Bind(outside=folder)):
                return self._keep(folder)
            case _:
                assert isinstance(source, Path)
                gathered = gather(source, self._take, self._caps)
                return self._commit(Manifest(named_once(gathered.entries)), gathered, {})

    def _commit(self, manifest: Manifest, gathered: Gathered, before: Mapping[str, int]) -> Kept:
        files = {path: entry for path, entry in manifest.entries.items() if isinstance(entry, File)}
        times = {**before, **gathered.times}
        times_text = canonical({path: time for path, time in times.items() if path in files})
        reach("home.manifest.before")
        texts = [self._write_text(times_text), self._write_text(manifest.text)]
        sync_all(chain((self._blobs.path(file.digest) for file in files.values()), texts), self._blobs.folder)
        reach("home.manifest.after")
        self._remember(manifest)
        return Kept(
            manifest=manifest.id,
            times=sha256(times_text),
            files=len(files),
            folders=sum(isinstance(entry, Folder) for entry in manifest.entries.values()) - 1,
            links=sum(isinstance(entry, Link) for entry in manifest.entries.values()),
            bytes=sum(file.size for file in files.values() if file.same is None),
            read_bytes=gathered.bytes,
            findings=tuple(gathered.findings.named),
            more=gathered.findings.more,
        )

    def _take(self, handle: int, size: int) -> tuple[str, int]:
        """Make an open file a blob."""
        reach("home.blob.before")
        kept = self._take_small(handle, size) if size <= LARGEST_IN_TABLE else self._take_large(handle, size)
        reach("home.blob.after")
        return kept

    def _take_small(self, handle: int, size: int) -> tuple[str, int]:
        data = b""
        while piece := os.read(handle, size - len(data)):
            data += piece
        digest = sha256(data)
        self._blobs.write(digest, data)
        return digest, len(data)

    def _take_large(self, handle: int, size: int) -> tuple[str, int]:
        copy, name = tempfile.mkstemp(dir=self._blobs.folder, prefix=".new-")
        temporary = Path(name)
        try:
            digest, size = pour(handle, copy, most=size)
            if self._holds(digest, size):
                temporary.unlink()
            else:
                self._blobs.adopt(digest, temporary)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(copy)
        return digest, size

    def _holds(self, digest: str, size: int) -> bool:
        """Whether a blob is there and whole."""
        try:
            handle = os.open(self._blobs.path(digest), os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            return pour(handle, None, most=size + 1) == (digest, size)
        finally:
            os.close(handle)

    def _write_text(self, text: str) -> Path:
        return self._blobs.write(sha256(text), text.encode())

    def _blob(self, digest: str) -> bytes:
        data = self._blobs.read(digest) if is_digest(digest) else None
        if data is None or sha256(data) != digest:
            what = "is not kept here" if data is None else "is damaged"
            raise StoreFault("homes", f"{digest!r} {what}; restore blobs/ from a copy of this run")
        return data

    # ------------------------------------------------------------------------------------------ laying out

    def lay_out(self, manifest: str, *, times: str | None = None) -> Path:
        """A kept home as a folder that many forks may read, and nobody may write.

        It is made once and looked through, byte for byte, once in each process. All of it belongs to one user, so that
        a sandbox can let it seem its own user's: an overlay changes no file of a user whom it does not know.
        """
        key = _key(manifest, times or "")
        tree = self._root / "laid" / key / "tree"
        with self._lock:
            if key not in self._sound and not self._is(tree, manifest):
                self._lay(key, manifest, times)
            self._sound.add(key)
        return tree

    def forget(self, manifest: str, *, times: str | None = None) -> None:
        """Delete a laid out home that no fork reads any more; it stays kept, and can be laid out again."""
        key = _key(manifest, times or "")
        with self._lock:
            self._sound.discard(key)
            self._throw_away(self._root / "laid" / key)

    def _lay(self, key: str, manifest: str, times: str | None) -> None:
        place = self._root / "laid" / key
        self._throw_away(place)
        new = self._new_place("laid")
        self._build(manifest, new / "tree", times)
        if not self._is(new / "tree", manifest):
            raise StoreFault(
                "homes", f"the home {manifest} is not as it was kept once it is laid out: blobs/ or the disk is damaged"
            )
        reach("home.laid.before")
        new.rename(place)
        reach("home.laid.after")

    def _build(self, manifest: str, tree: Path, times: str | None) -> None:
        try:
            written = self.times(times) if times else None
            build(self.manifest(manifest), tree, self._blobs.path, times=written)
        except OSError as error:
            raise StoreFault("homes", f"the home {manifest} cannot be laid out ({error})") from error

    def _is(self, tree: Path, manifest: str) -> bool:
        """Whether a folder is there and holds, byte for byte, what a manifest says."""
        if not tree.exists():
            return False
        gathered = gather(tree, hashed, _NO_CAPS)
        return not gathered.findings.named and Manifest(named_once(gathered.entries)).id == manifest

    # ------------------------------------------------------------------------------------------ forking

    def fork(
        self,
        manifest: str,
        inside: str,
        *,
        name: str,
        times: str | None = None,
        how: Literal["overlay", "copy"] = "overlay",
    ) -> Forked:
        """A fork of a kept home for one session, to be mounted at the path `inside`; what had this name is discarded.

        A copy also where an overlay is asked for and the disk cannot hold one.
        """
        self.discard(name)
        new = self._new_place("forks")
        overlay = how == "overlay" and can_overlay(new)
        if overlay:
            upper = new / "upper"
            upper.mkdir()
            upper.chmod(stat.S_IMODE(self.lay_out(manifest, times=times).stat().st_mode))  # seen inside as the home's
        else:
            self._build(manifest, new / "tree", times)
        about = {"base": manifest, "times": times, "inside": inside, "overlay": overlay}
        put_in_place(new / "about.json", canonical(about).encode(), mode=0o600)
        reach("home.forked.before")
        new.rename(self._place(name))
        reach("home.forked.after")
        forked = self.forked(name)
        assert forked is not None
        return forked

    def forked(self, name: str) -> Forked | None:
        """The fork of this name with all that a session wrote to it, also one of a process that died; None if none.

        No program may run in it: what a sandbox that was cut off left beside it is deleted.
        """
        place = self._place(name)
        try:
            about = json.loads((place / "about.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):  # torn by a power loss: then what was written may be torn as well
            return None
        for beside in place.iterdir():
            if beside.name not in ("about.json", "upper", "tree"):
                remove(beside)
        mount: Fork | Bind = Bind(place / "tree", about["inside"], writable=True)
        if about["overlay"]:
            lower = self.lay_out(about["base"], times=about["times"])
            mount = Fork(lower, place / "upper", about["inside"])
        return Forked(name, about["base"], about["times"], place, mount)

    def discard(self, name: str) -> None:
        """Delete the fork of this name, if there is one. Its programs must have ended."""
        reach("home.discarded.before")
        self._throw_away(self._place(name))
        reach("home.discarded.after")

    def tidy(self) -> None:
        """Delete what deaths left half-made. Forks stay: who resumes a session still wants them."""
        for folder in (self._root / "laid", self._root / "forks"):
            for place in folder.iterdir() if folder.exists() else ():
                if place.name.startswith(_PASSING):
                    remove(place)
        for stray in self._blobs.folder.glob(".new-*"):
            stray.unlink()

    def _place(self, name: str) -> Path:
        return self._root / "forks" / _key(name)

    def _new_place(self, kind: Literal["laid", "forks"]) -> Path:
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)  # what agents left is nobody else's to read
        (self._root / kind).mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self._root / kind, prefix=".new-"))

    def _throw_away(self, place: Path) -> None:
        """Delete a folder so that a death on the way leaves it whole or gone."""
        going = place.with_name(f".old-{place.name}")
        remove(going)
        try:
            place.rename(going)
        except FileNotFoundError:
            return
        remove(going)


_PASSING = (".new-", ".old-")
_NO_CAPS = Caps(
    depth=sys.maxsize, entries=sys.maxsize, paths_bytes=sys.maxsize, file_bytes=sys.maxsize, bytes=sys.maxsize
)


def _key(*words: str) -> str:
    """A name for a folder that tells nothing to who sees it from inside a sandbox."""
    return sha256("\0".join(words))[:32]


def can_overlay(folder: Path, mounts: str | None = None) -> bool:
    """Whether an overlay's upper folder can lie here: Linux, a disk of a kind that takes it, and attributes on it."""
    kind = file_system(folder.resolve(), read_mounts() if mounts is None else mounts)[1]
    if sys.platform != "linux" or kind not in UPPERS:
        return False
    try:
        os.setxattr(folder, "user.overlay.tried", b"y")
    except OSError:
        return False
    os.removexattr(folder, "user.overlay.tried")
    return True
