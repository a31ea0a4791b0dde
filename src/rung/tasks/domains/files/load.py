"""From the path of a user's file to the family and the key that are made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rung.tasks.domains.files import lines
from rung.tasks.domains.files.game import FilesFamily, id_of
from rung.tasks.domains.files.key import FilesKey

ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file of tasks as the instrument has it. `files` are it and all that its checks need from beside it."""

    family: FilesFamily
    key: FilesKey
    files: Sequence[Path]


def load(path: Path) -> Loaded:
    """Read a file of tasks; raises `UsageError` with all that is wrong in it."""
    id_of(path.name)
    book = lines.read(path)
    return Loaded(FilesFamily(path.name, book.items), FilesKey(book), (path, *book.files))
