"""Checks that are commands: which files they need, and that these are there before anything is run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rung.tasks.domains.files.bad import Bad, brief, legible
from rung.tasks.domains.files.checks import ANSWER_FILE, Command

SECONDS = 10
MOST_SECONDS = 600
LARGEST = 1 << 24
MOST_WORDS = 100

_SCRIPT = re.compile(r"[^-].*\.(py|sh|bash|js|mjs|ts|rb|pl|r|R|jl|lua|php)")


def read(value: Mapping[str, Any], folder: Path) -> Command:
    """The command of a check, with the files beside the user's file that it names."""
    argv = _words("command", value["command"])
    if not argv:
        raise Bad('command is a list of words, seen []; write it as ["python3", "check.py"]')
    named = [*(word for word in argv if _is_file(word, folder)), *_named(value.get("files", []), folder)]
    plain = dict.fromkeys(name.removeprefix("./") for name in named)
    files = {name: _content(folder / name) for name in plain if name != ANSWER_FILE}
    size = sum(map(len, files.values()))
    if size > LARGEST:
        raise Bad(f"command: its files are {size:,} bytes, and {LARGEST:,} are carried; make them smaller")
    return Command(tuple(argv), _seconds(value.get("seconds", SECONDS)), files)


def _words(name: str, value: Any) -> Sequence[str]:
    if not isinstance(value, list) or len(value) > MOST_WORDS or not all(map(_is_word, value)):
        raise Bad(f'{name} is a list of words, seen {brief(value)}; write it as ["python3", "check.py"]')
    return value


def _is_word(word: Any) -> bool:
    return isinstance(word, str) and bool(word) and "\0" not in word and legible(word)


def _is_file(word: str, folder: Path) -> bool:
    """Whether a word of a command names a file that is carried along; a script that is not there is a mistake."""
    plain = _is_plain(word)
    if plain and _exists(folder / word):
        return True
    looks = word != ANSWER_FILE and (_SCRIPT.fullmatch(word) is not None or word.startswith("./"))
    if looks and not plain:
        raise Bad(
            f"command names {brief(word)}, which is carried from no other folder; put it beside the file of tasks"
        )
    if looks:
        raise Bad(f"command names {brief(word)}, and no such file lies beside the file of tasks; put it there")
    return False


def _is_plain(word: str) -> bool:
    pieces = word.removeprefix("./").split("/")
    return all(piece and piece not in (".", "..") for piece in pieces)


def _exists(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a word may be longer than any name of a file
        return False


def _named(value: Any, folder: Path) -> Iterator[str]:
    for name in _words("files", value):
        if not _is_plain(name) or not _exists(folder / name):
            raise Bad(f"files names {brief(name)}, and no such file lies beside the file of tasks; put it there")
        yield name


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Bad(f"command: {brief(file.name)} cannot be read ({error.strerror})") from None


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 < value <= MOST_SECONDS:
        raise Bad(f"seconds is a number above 0 and up to {MOST_SECONDS}, seen {brief(value)}")
    return float(value)
