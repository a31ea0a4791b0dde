"""`states.git`: a bare repository in which a reader with plain `git` finds every snapshot.

It is a projection of the journal and holds nothing of its own but the refs. Objects are written loose and whole, by a
rename, so that a crash leaves no torn file and no lock behind; they are not synced, because what a power loss takes
is rebuilt from the journal. The folder's skeleton is written here and not by `git init`, whose result depends on the
user's own configuration.
"""

import hashlib
import re
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rung.core.errors import StoreFault, UsageError
from rung.store.blobs import replace

CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[gc]
\tauto = 0
\tpruneExpire = never
"""
DESCRIPTION = "Snapshots of a rung run. Rebuilt from journal.sqlite when damaged; nothing here is needed to resume.\n"
HEADS = "refs/heads/"


class Projection:
    """One bare repository, written and never read except to see whether it is whole."""

    def __init__(self, git: Path) -> None:
        self._git = git
        self._written: set[str] = set()

    def exists(self) -> bool:
        """Whether there is a repository to add to."""
        return all((self._git / part).exists() for part in ("HEAD", "config", "objects", "refs/heads"))

    def write(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Add objects, given as id and compressed bytes; one that is there stays as it is."""
        try:
            for name, packed in objects:
                if name not in self._written:
                    _write_object(self._git, name, packed)
                    self._written.add(name)
        except OSError as error:
            raise self._fault(error) from error

    def has(self, name: bytes) -> bool:
        """Whether this process has written the object: then its bytes need not be made again."""
        return name.decode() in self._written

    def point(self, name: str, snapshot: str) -> None:
        """Move the branch `name`. The first one becomes what `git log` shows without a name."""
        try:
            _write_ref(self._git, name, snapshot)
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            raise UsageError(f"git cannot hold the ref {name!r} beside those there; choose another name") from error
        except OSError as error:
            raise self._fault(error) from error

    def holds(self, names: set[str]) -> bool:
        """Whether exactly these objects are there, and each is undamaged."""
        if not self.exists():
            return False
        found = set()
        for file in (file for file in (self._git / "objects").rglob("*") if not file.is_dir()):
            name = file.parent.name + file.name
            if name not in names or not _undamaged(file, name):
                return False
            found.add(name)
        return found == names

    def rebuild(self, objects: Iterable[tuple[str, bytes]], refs: Mapping[str, str]) -> None:
        """Make the repository anew beside the old one and put it in its place."""
        new, old = self._beside("new"), self._beside("old")
        try:
            _remove(new)
            _remove(old)
            _write_skeleton(new)
            for name, packed in objects:
                _write_object(new, name, packed)
            for name, snapshot in sorted(refs.items()):
                _write_ref(new, name, snapshot)
            if self._git.exists():
                self._git.rename(old)
            new.rename(self._git)
            _remove(old)
        except OSError as error:
            raise self._fault(error) from error

    def refs(self) -> dict[str, str]:
        """The branches that can be read, also from a rebuild that was cut short."""
        places = (self._beside("new"), self._beside("old"), self._git)
        return {name: snapshot for place in places for name, snapshot in _refs(place)}

    def _beside(self, suffix: str) -> Path:
        return self._git.with_name(f"{self._git.name}.{suffix}")

    def _fault(self, error: OSError) -> StoreFault:
        return StoreFault("disk", f"{self._git.name} cannot be written ({error}); mend the disk, and run again")


def check_ref(name: str) -> None:
    """Refuse a name that git would not take as a branch."""
    from dulwich.refs import Ref, check_ref_format

    try:
        legal = check_ref_format(Ref(f"{HEADS}{name}".encode()))
    except UnicodeEncodeError:
        legal = False
    if not legal:
        raise UsageError(f"a ref is named like a git branch, as in 'narrow/L3', got {name!r}")


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _write_skeleton(git: Path) -> None:
    for folder in ("objects", "refs/heads", "refs/tags"):
        (git / folder).mkdir(parents=True)
    (git / "config").write_text(CONFIG)
    (git / "description").write_text(DESCRIPTION)
    (git / "HEAD").write_text(f"ref: {HEADS}main\n")


def _write_object(git: Path, name: str, packed: bytes) -> None:
    path = git / "objects" / name[:2] / name[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        replace(path, packed, mode=0o444, through=git)


def _write_ref(git: Path, name: str, snapshot: str) -> None:
    path = git / HEADS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, f"{snapshot}\n".encode(), through=git)
    head = git / "HEAD"
    if not (git / head.read_text().removeprefix("ref: ").strip()).exists():
        replace(head, f"ref: {HEADS}{name}\n".encode(), through=git)


def _refs(git: Path) -> Iterator[tuple[str, str]]:
    packed = git / "packed-refs"  # a user's own `git pack-refs` or `git gc`
    if packed.is_file():
        lines = packed.read_text("utf-8", "replace")
        for found in re.finditer(rf"^([0-9a-f]{{40}}) {HEADS}(\S+)$", lines, re.MULTILINE):
            yield found[2], found[1]
    for file in (git / HEADS).rglob("*"):
        text = file.read_text("utf-8", "replace").strip() if file.is_file() else ""
        if re.fullmatch(r"[0-9a-f]{40}", text):
            yield file.relative_to(git / HEADS).as_posix(), text


def _undamaged(file: Path, name: str) -> bool:
    try:
        raw = zlib.decompress(file.read_bytes())
    except (OSError, zlib.error):
        return False
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest() == name
