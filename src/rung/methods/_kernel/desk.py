"""A candidate on the desk: files that are edited, files that are only lent, and the record of every edit.

Nothing here touches a disk. Paths are those of the state (`agent/tools/count.py`); what is lent lies under other names
and is no part of the candidate.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from rung.core.canonical import JSON, sha256
from rung.core.surface import Surface, Violation, changed, modules

DIGEST = 16
"""Hex digits of a hash in an edit record."""


class Refused(Exception):
    """A tool was asked for something that is not done; the reason, in words for the model that asked."""


@dataclass(slots=True)
class Desk:
    """Files by path that may be read, and, where the surface allows it, changed.

    `files` are those of the candidate as they are now, `lent` texts that can only be read. `shown` are patterns of the
    files that are seen at all: the rest of the state goes along untouched and unseen. `most` bounds the bytes that all
    edits together may write.
    """

    files: dict[str, bytes]
    surface: Surface
    lent: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ("agent/**",)
    most: int = 1 << 20
    turn: int = 0
    records: list[JSON] = field(default_factory=list)
    refusals: list[JSON] = field(default_factory=list)
    _before: Mapping[str, bytes] = field(init=False)
    _written: int = 0

    def __post_init__(self) -> None:
        self._before = dict(self.files)

    # ----------------------------------------------------------------------------------------- reading

    def paths(self) -> list[str]:
        """What can be read, sorted: the files in sight and what is lent."""
        sight = Surface(write=self.shown)
        return sorted({path for path in self.files if sight.allows(path)} | set(self.lent))

    def text(self, path: str) -> str:
        """A file as text. Raises `Refused` for one that is not there, or is no text."""
        if path in self.lent:
            return self.lent[path]
        if path not in self.paths():
            raise Refused(f"there is no file {_named(path)}; list says which there are")
        try:
            return self.files[path].decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{path} is no text: {len(self.files[path])} bytes") from None

    def size(self, path: str) -> int:
        """Bytes of a file."""
        return len(self.lent[path].encode("utf-8", "replace")) if path in self.lent else len(self.files[path])

    # ----------------------------------------------------------------------------------------- changing

    def write(self, tool: str, path: str, data: bytes) -> None:
        """Make a file, or put another text in its place. Raises `Refused`, and notes that, for what is not allowed."""
        wrong = self._wrong(path, data)
        if wrong:
            self._refuse(tool, path, wrong)
        self._written += len(data)
        self._note(tool, path, data)
        self.files[path] = data

    def delete(self, path: str) -> None:
        """Take a file away. Raises `Refused` for one that is not there, or may not go."""
        misplaced = self._lent(path) or self.surface.misplaced(path)
        if misplaced is not None:
            self._refuse("delete", path, [misplaced])
        if path not in self.files:
            raise Refused(f"there is no file {_named(path)}")
        self._note("delete", path, None)
        del self.files[path]

    def _wrong(self, path: str, data: bytes) -> Sequence[Violation]:
        lent = self._lent(path)
        if lent is not None:
            return [lent]
        found = self.surface.unfit(path, data, modules([*self.files, path]))
        if not found and self._written + len(data) > self.most:
            told = f"edits may write {self.most} bytes in all, and {self._written} are written already"
            found = [Violation("total", path, told)]
        return found or self.surface.overfull({**self.files, path: data})

    def _lent(self, path: str) -> Violation | None:
        return Violation("path", path, "it can only be read") if path in self.lent else None

    def _refuse(self, tool: str, path: str, wrong: Sequence[Violation]) -> NoReturn:
        why = "; ".join(each.told() for each in wrong)[:300]
        self.refusals.append({"turn": self.turn, "tool": tool, "path": _named(path), "kind": wrong[0].kind, "why": why})
        raise Refused(why)

    def _note(self, tool: str, path: str, data: bytes | None) -> None:
        old = self.files.get(path)
        self.records.append(
            {
                "turn": self.turn,
                "tool": tool,
                "path": path,
                "before": _digest(old),
                "after": _digest(data),
                "bytes": (len(data) if data is not None else 0) - (len(old) if old is not None else 0),
            }
        )

    def restore(self, texts: Mapping[str, str | None]) -> None:
        """Put files back as they were, None for one that was not there: the method's own doing, before a session."""
        for path, text in texts.items():
            data = text.encode("utf-8") if text is not None else None
            if self.files.get(path) == data:
                continue
            self._note("restore", path, data)
            if data is None:
                del self.files[path]
            else:
                self.files[path] = data

    # ----------------------------------------------------------------------------------------- what came of it

    def changes(self) -> Mapping[str, bytes | None]:
        """What all edits together made of the files: new bytes by path, None for one that is gone."""
        return changed(self._before, self.files)

    def hunks(self) -> Iterator[Mapping[str, JSON]]:
        """The changed lines of each text, as opinions: what was added and what was retracted."""
        for path, data in self.changes().items():
            old, new = _lines(self._before.get(path)), _lines(data)
            kept_old, kept_new = set(old), set(new)
            yield from ({"op": "add", "id": path, "text": line} for line in new if line not in kept_old)
            yield from ({"op": "retract", "id": path, "text": line} for line in old if line not in kept_new)


def _lines(data: bytes | None) -> list[str]:
    """The lines of a text that say something, each once."""
    text = (data or b"").decode("utf-8", "replace")
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if len(line.strip()) > 2))


def _digest(data: bytes | None) -> str | None:
    return sha256(data)[:DIGEST] if data is not None else None


def _named(path: str) -> str:
    """A path that a model named, in a few characters that cannot break what they stand in."""
    return path if path.isprintable() and len(path) <= 120 else ascii(path)[:120]
