"""What an agent program is told: a standing instruction over its working session, another over an exam, and one word.

Ours have the content of shobench's and nothing more: get better; tasks come from a stream; pull one, use its tools, one
of them ends it; go on until the stream is exhausted. Not a word on how to improve.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rung.core.canonical import sha256
from rung.core.config import Config
from rung.core.errors import UsageError

TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True)
class Instructions:
    """The texts of a study."""

    work: str
    exam: str
    first: str

    @property
    def of_exam(self) -> tuple[str, ...]:
        """What makes an exam another exam."""
        return (f"instruction {sha256(self.exam)}", f"first {sha256(self.first)}")


def read(config: Config, *, base: Path = Path()) -> Instructions:
    """The texts of a study: the user's own where the config names a file, and else ours."""
    cell = config.cell
    return Instructions(
        _text("instruction", cell.instruction, base, "work.md"),
        _text("exam_instruction", cell.exam_instruction, base, "exam.md"),
        cell.first,
    )


def own_files(config: Config, *, base: Path = Path()) -> Mapping[str, str]:
    """The SHA-256 of every text that a config names itself; part of the study's identity."""
    texts = read(config, base=base)
    named = {config.cell.instruction: texts.work, config.cell.exam_instruction: texts.exam}
    return {name: sha256(text) for name, text in named.items() if name is not None}


def _text(key: str, name: str | None, base: Path, ours: str) -> str:
    place = TEXTS / ours if name is None else base / name
    try:
        text = place.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cell.{key}: {name!r} cannot be read ({error}); give the path of a text file") from None
    if not text:
        raise UsageError(f"cell.{key}: {name!r} is empty; write what the agent shall be told, or leave the key out")
    return text
