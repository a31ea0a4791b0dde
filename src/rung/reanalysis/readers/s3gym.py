"""Table 4 of S3Gym out of a text of the paper: Avg., Max. and AUC+ of every model, pathway and game."""

import re
from collections.abc import Iterator
from pathlib import Path

from rung.core.errors import UsageError
from rung.reanalysis.baselines import Printed
from rung.reanalysis.readers.bounds import opened

PARTS = {"(a)": "average", "(b)": "maximum", "(c)": "area"}
PATHWAYS = re.compile(r"^\W*(History|Summary)\b", re.IGNORECASE)
_HEAD = re.compile(r"^\|\s*Model\s*\|", re.IGNORECASE)
_PART = re.compile(r"^\|\s*(\([abc]\))\s+(Average|Maximum|Positive area)", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Whether a file is a text that has the table."""
    if not path.is_file() or path.suffix not in (".txt", ".md"):
        return False
    with opened(path) as stream:
        return len({found[1] for line in stream if (found := _PART.match(line))}) == len(PARTS)


def read(path: Path) -> tuple[Printed, ...]:
    """The curves in the order of the table. Raises `UsageError` where one of the three numbers is missing."""
    with opened(path) as stream:
        found = list(_numbers(stream))
    numbers = {(part, *key): value for part, key, value in found}
    keys = dict.fromkeys(key for _, key, _ in found)
    for key in keys:
        lacking = next((part for part in PARTS.values() if (part, *key) not in numbers), None)
        if lacking is not None:
            raise UsageError(f"{path}: {' of '.join(key)} has no {lacking}; the table has it three times over")
    return tuple(Printed(*key, *(numbers[part, *key] for part in PARTS.values())) for key in keys)


def _numbers(lines: Iterator[str]) -> Iterator[tuple[str, tuple[str, str, str], float]]:
    """Part, (model, pathway, game) and value of every number; a line that is no row of the table ends it."""
    part, pathway, games = "", "", list[str]()
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if begun := _PART.match(line):
            part, pathway, games = PARTS[begun[1].lower()], "", []
        elif part and _HEAD.match(line):
            games = cells[1:]
        elif part and line.startswith("|") and (named := PATHWAYS.match(cells[0])) and not any(cells[1:]):
            pathway = named[1].capitalize()
        elif part and not line.startswith("|"):
            part = ""
        elif part and pathway and len(cells) == len(games) + 1 and not cells[0].startswith("-"):
            for game, cell in zip(games, cells[1:], strict=True):
                yield part, (cells[0], pathway, game), _number(cell, line)


def _number(cell: str, line: str) -> float:
    try:
        return float(cell.strip("*"))
    except ValueError:
        raise UsageError(f"{cell!r} is no number, in the row {line.strip()!r:.80}") from None
