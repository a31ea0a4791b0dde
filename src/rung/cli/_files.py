"""Files that the command line writes for its caller: whole or not at all, and a sentence when it cannot be."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rung.core.errors import InstrumentFault, UsageError


def create(file: Path, text: str) -> None:
    """Write a file that is not there yet, with the folders it lies in."""
    with _said(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)


def put(file: Path, text: str) -> None:
    """Write a file or replace it, so that a reader finds the old one or the new one."""
    new = file.with_name(f".new-{os.getpid()}-{file.name}")
    with _said(file):
        try:
            new.write_text(text, encoding="utf-8", errors="replace")
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)


@contextmanager
def _said(file: Path) -> Iterator[None]:
    """A place that cannot be written is the caller's to change; a disk that is full or broken is the instrument's."""
    try:
        yield
    except FileExistsError:
        raise UsageError(f"{file} is there already and is left as it is; choose another place") from None
    except (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise UsageError(f"{file} cannot be written ({error.strerror}); choose another place") from error
    except OSError as error:
        raise InstrumentFault("disk", f"{file} cannot be written ({error.strerror}); free some space") from error
