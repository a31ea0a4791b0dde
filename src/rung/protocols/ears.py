"""What a program prints, kept in files as it comes, so that a death of the instrument loses none of it."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal, Self

from rung.agents.command.facts import Facts
from rung.core.errors import StoreFault

MOST_READ = 64 << 20
"""Bytes of a transcript that are read for its start and its end; of a longer one its first and last halves."""
LONGEST_LINE = 16 << 20
"""Bytes of a line that is looked at while it grows."""


class Ears:
    """Hears one leg of a program of these facts. `over` is whether a line was heard after which nothing follows.

    Raises `StoreFault` where what is printed can no longer be kept.
    """

    def __init__(self, folder: Path, number: int, facts: Facts) -> None:
        self._folder, self._number, self._facts = folder, number, facts
        self._files: dict[str, BinaryIO] = {}
        self._line = bytearray()
        self.over = False

    def __enter__(self) -> Self:
        for name in ("out", "err"):
            self._files[name] = _place(self._folder, self._number, name).open("wb")
        return self

    def __exit__(self, *error: object) -> None:
        for each in self._files.values():
            with suppress(OSError):  # what could not be written is tried once more, and is known to be lost
                each.close()

    def hear(self, where: Literal["out", "err"], data: bytes) -> None:
        """Take what was printed (see `rung.core.confined.Hear`)."""
        try:
            self._files[where].write(data)
            self._files[where].flush()
        except OSError as error:
            raise StoreFault("disk", f"what a program prints cannot be kept ({error}); free some space") from error
        if where == "out":
            self._listen(data)

    def _listen(self, data: bytes) -> None:
        *whole, rest = (bytes(self._line) + data).split(b"\n")
        self._line = bytearray(rest[-LONGEST_LINE:])
        for line in whole:
            said = line.decode("utf-8", "replace")
            self.over = self._facts.last(said) or (self.over and not self._facts.goes_on(said))

    def lines(self) -> list[str]:
        """All that was printed, as lines."""
        return self.printed(self._folder, self._number)

    def kept(self) -> Mapping[str, bytes]:
        """What was printed, for the record."""
        return {name: _read(_place(self._folder, self._number, name)) for name in ("out", "err")}

    @staticmethod
    def printed(folder: Path, number: int) -> list[str]:
        """What a leg printed, as lines; none where nothing is there."""
        return _read(_place(folder, number, "out")).decode("utf-8", "replace").split("\n")


def _place(folder: Path, number: int, name: str) -> Path:
    return folder / f"{name}-{number:04d}.txt"


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as found:
            size = file.stat().st_size
            if size <= MOST_READ:
                return found.read()
            head = found.read(MOST_READ // 2)
            found.seek(size - MOST_READ // 2)
            return head + b"\n" + found.read()
    except FileNotFoundError:
        return b""
