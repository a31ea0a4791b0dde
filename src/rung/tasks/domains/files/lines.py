"""From a JSONL file to tasks: every line is read before any is believed, and all that is wrong is said at once.

A file is the user's own, so what is wrong in it is a `UsageError` that names the line, the key, what was seen and how
to mend it.
"""

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias, cast

from rung.core.canonical import fingerprint, sha256
from rung.core.errors import InstrumentFault, UsageError
from rung.tasks.domains.files import commands
from rung.tasks.domains.files.bad import Bad, brief, legible
from rung.tasks.domains.files.checks import Check, Command, Exact, Number, Pattern, compiled, passes, spelt

LONGEST_LINE = 1 << 20
LARGEST_FILE = 1 << 28
LONGEST_PATTERN = 10_000
LONGEST_NAME = 200
MOST_FAULTS = 20
HIGHEST_LEVEL = 100
LARGEST_EXPONENT = 300
EXAMPLE = '{"id": "capital-1", "prompt": "The capital of France?", "check": {"exact": "Paris"}}'

KEYS = ("id", "prompt", "check", "level", "split", "feedback", "answer")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "exact": ("ignore_case",),
    "regex": (),
    "number": ("tolerance",),
    "command": ("seconds", "files"),
}

Split: TypeAlias = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Item:
    """One task of a file. `digest` is the hash of prompt and check: two tasks with one are one task."""

    line: int
    name: str
    prompt: str
    check: Check
    level: int
    split: Split
    feedback: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class Book:
    """A whole file: its name, its tasks, the answers known by a task's digest, and the files that its checks need."""

    name: str
    items: tuple[Item, ...]
    answers: Mapping[str, str]
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """One line that was read, before the others are known."""

    line: int
    id: str
    prompt: str
    check: Check
    level: int
    split: Split | None
    feedback: str | None
    answer: str | None

    @property
    def digest(self) -> str:
        return fingerprint(["files", 1, self.prompt, spelt(self.check)])


_Fault: TypeAlias = tuple[int, str]


def read(path: Path) -> Book:
    """The tasks of a file; raises `UsageError` with all that is wrong in it, the first twenty word for word."""
    faults: list[_Fault] = []
    drafts: list[_Draft] = []
    for number, raw in _lines(path):
        draft, wrong = _draft(number, raw, path.parent)
        faults += [(number, text) for text in wrong]
        drafts += [draft] if draft is not None else []
    faults += _across(drafts)
    if faults:
        raise UsageError(_told(path.name, sorted(faults, key=lambda fault: fault[0])))
    if not drafts:
        raise UsageError(f"{path.name} holds no tasks; write one a line, such as {EXAMPLE}")
    needed = {name for draft in drafts if isinstance(draft.check, Command) for name in draft.check.files}
    return Book(
        path.name, tuple(_items(drafts)), _answers(drafts), tuple(path.parent / name for name in sorted(needed))
    )


def _told(name: str, faults: Sequence[_Fault]) -> str:
    more = len(faults) - MOST_FAULTS
    said = [f"{name}, line {line}: {text}" for line, text in faults[:MOST_FAULTS]]
    return "\n".join([*said, f"{name}: and {more} more like these"] if more > 0 else said)


# --------------------------------------------------------------------------------------------- the file


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers. A mark at the beginning that says UTF-8 is no part of them."""
    data = _bytes(path).removeprefix(b"\xef\xbb\xbf")
    return ((number, raw) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UsageError(f"{str(path)!r} is larger than {LARGEST_FILE >> 20} MiB; split it into several files")
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"no file {str(path)!r}; give the path of a JSONL file with a task a line") from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read ({error.strerror}); give a file that you may read") from None


def _object(raw: bytes) -> Mapping[str, Any]:
    """The object in a line; a line without one is wrong as a whole."""
    if len(raw) > LONGEST_LINE:
        raise Bad(f"is {len(raw):,} bytes long, and the longest is {LONGEST_LINE:,}; shorten the prompt")
    try:
        found = json.loads(
            raw.decode(),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_fraction,
            parse_int=_whole,
        )
    except UnicodeDecodeError as error:
        raise Bad(f"is not UTF-8 text (see byte {error.start + 1}); save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise Bad(f"is not JSON: {error.msg} (column {error.colno}); write one object a line, as {EXAMPLE}") from None
    except RecursionError:
        raise Bad("is nested too deeply; write one flat object a line") from None
    if not isinstance(found, dict):
        raise Bad(f"is no object, seen {brief(found)}; write one a line, such as {EXAMPLE}")
    return found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Bad(f"{brief(twice)} stands twice in one object; keep one")
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise Bad(f"holds {name}, which is no number; write a finite one")


def _whole(digits: str) -> int:
    return int(_short(digits))


def _fraction(digits: str) -> Decimal:
    try:
        return Decimal(_short(digits))
    except InvalidOperation:
        raise Bad(f"holds {digits}, which is out of reach; write a number below 1e{LARGEST_EXPONENT}") from None


def _short(digits: str) -> str:
    if len(digits) > LARGEST_EXPONENT:
        raise Bad(f"holds a number of {len(digits):,} digits; write at most {LARGEST_EXPONENT}")
    return digits


# --------------------------------------------------------------------------------------------- one line


def _draft(number: int, raw: bytes, folder: Path) -> tuple[_Draft | None, Sequence[str]]:
    """A line as a draft, or what is wrong with it, key for key."""
    try:
        found = _object(raw)
    except Bad as bad:
        return None, [str(bad)]
    readers: Mapping[str, Callable[[Any], Any]] = {**_READERS, "check": partial(_check, folder)}
    values: dict[str, Any] = {"line": number}
    wrong = [_unknown(key, found[key], KEYS) for key in found if key not in KEYS]
    for key, reader in readers.items():
        try:
            values[key] = reader(found[key]) if key in found else _absent(key)
        except Bad as bad:
            wrong.append(f"{key}: {bad}")
    if wrong:
        return None, wrong
    draft = _Draft(**values)
    unlike = _unlike(draft)
    return (draft, []) if unlike is None else (None, [unlike])


def _absent(key: str) -> Any:
    if key in ("id", "prompt", "check"):
        raise Bad(f"is missing; add it, as in {EXAMPLE}")
    return 1 if key == "level" else None


def _text(value: Any, *, longest: int | None = None) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Bad(f"is a text that is not empty, seen {brief(value)}")
    if longest is not None and len(value) > longest:
        raise Bad(f"has at most {longest:,} letters, seen {len(value):,}")
    if not legible(value):
        raise Bad(f"holds half of a Unicode character, seen {brief(value)}; write the whole one")
    return value


def _level(value: Any) -> int:
    if type(value) is not int or not 1 <= value <= HIGHEST_LEVEL:
        raise Bad(f"is a whole number from 1 to {HIGHEST_LEVEL}, seen {brief(value)}; the easiest is 1")
    return value


def _split(value: Any) -> Split:
    if value not in ("train", "test"):
        near = difflib.get_close_matches(str(value).lower(), ("train", "test"), n=1, cutoff=0.5)
        raise Bad(f'is "train" or "test", seen {brief(value)}' + (f'; did you mean "{near[0]}"?' if near else ""))
    return cast(Split, value)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "id": partial(_text, longest=LONGEST_NAME),
    "prompt": _text,
    "level": _level,
    "split": _split,
    "feedback": _text,
    "answer": _text,
}


def _unlike(draft: _Draft) -> str | None:
    """Why the answer given is none, where that can be seen without running anything."""
    if draft.answer is None or isinstance(draft.check, Command):
        return None
    try:
        right = passes(draft.check, draft.answer)
    except InstrumentFault as broken:
        return f"check: {broken.detail}, the one in its own answer; write a simpler one"
    return None if right else f"answer: {brief(draft.answer)} does not pass the task's own check; mend one of the two"


# --------------------------------------------------------------------------------------------- checks


def _check(folder: Path, value: Any) -> Check:
    if not isinstance(value, dict):
        raise Bad(f"is an object with one of {', '.join(OPTIONS)}, seen {brief(value)}")
    kinds = [kind for kind in OPTIONS if kind in value]
    if len(kinds) != 1:
        raise Bad(_how_many(kinds, value))
    kind = kinds[0]
    for option in value:
        if option not in (kind, *OPTIONS[kind]):
            raise Bad(_misplaced(option, value[option], kind))
    made: Mapping[str, Callable[[], Check]] = {
        "exact": lambda: Exact(_named("exact", _text, value["exact"]), _flag(value.get("ignore_case", False))),
        "regex": lambda: Pattern(_pattern(value["regex"])),
        "number": lambda: Number(_number("number", value["number"]), _tolerance(value.get("tolerance", 0))),
        "command": lambda: commands.read(value, folder),
    }
    return made[kind]()


def _how_many(kinds: Sequence[str], value: Mapping[str, Any]) -> str:
    if kinds:
        return f"names {' and '.join(map(repr, kinds))}; a task has one check, so keep one"
    near = [close for name in value for close in difflib.get_close_matches(str(name), OPTIONS, n=1, cutoff=0.5)]
    hint = f"did you mean {near[0]!r}?" if near else f"give one of {', '.join(OPTIONS)}"
    return f"names no check that is known, seen {brief(value)}; {hint}"


def _misplaced(option: str, value: object, kind: str) -> str:
    home = next((other for other, options in OPTIONS.items() if option in options), None)
    if home is not None:
        return f"{option!r} goes with {home!r}, seen beside {kind!r}; remove it"
    return _unknown(option, value, OPTIONS[kind])


def _unknown(key: str, value: object, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known) or 'none'}"
    return f"unknown key {brief(key)} (seen: {brief(value)}); {hint}"


def _named(name: str, reader: Callable[[Any], str], value: Any) -> str:
    try:
        return reader(value)
    except Bad as bad:
        raise Bad(f"{name} {bad}") from None


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Bad(f"ignore_case is true or false, seen {brief(value)}")
    return value


def _pattern(value: Any) -> str:
    import regex

    pattern = _named("regex", partial(_text, longest=LONGEST_PATTERN), value)
    try:
        compiled(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise Bad(f"regex {brief(pattern)} is no regular expression ({error}); mend it") from None
    return pattern


def _number(name: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Bad(f"{name} is a number, seen {brief(value)}; write it without quotes")
    if value and abs(Decimal(value).adjusted()) > LARGEST_EXPONENT:
        raise Bad(f"{name} is out of reach, seen {brief(value)}; write one below 1e{LARGEST_EXPONENT}")
    return Fraction(value)


def _tolerance(value: Any) -> Fraction:
    tolerance = _number("tolerance", value)
    if tolerance < 0:
        raise Bad(f"tolerance is 0 or more, seen {brief(value)}")
    return tolerance


# --------------------------------------------------------------------------------------------- all lines together


def _across(drafts: Sequence[_Draft]) -> Iterator[_Fault]:
    """What is wrong between lines: two of one id, two of one content, and a split on some of them alone."""
    ids: dict[str, int] = {}
    contents: dict[str, int] = {}
    split = next((draft.line for draft in drafts if draft.split is not None), None)
    for draft in drafts:
        if (first := ids.setdefault(draft.id, draft.line)) != draft.line:
            yield draft.line, f"id: {brief(draft.id)} is that of line {first} too; give each task its own"
        elif (first := contents.setdefault(draft.digest, draft.line)) != draft.line:
            yield draft.line, f"prompt: is that of line {first} too, with the same check; keep one of the two"
        if split is not None and draft.split is None:
            yield draft.line, f"split: is missing, while line {split} has one; give it on every line, or on none"


def _items(drafts: Sequence[_Draft]) -> Iterator[Item]:
    halves = _halves(drafts)
    for one in drafts:
        split = one.split or halves[one.line]
        yield Item(one.line, one.id, one.prompt, one.check, one.level, split, one.feedback, one.digest)


def _halves(drafts: Sequence[_Draft]) -> Mapping[int, Split]:
    """Where no line says its split: half of each level by the hash of the id is for training, and of an odd number the
    smaller half, so that neither the order of the lines nor an edit of a task moves it to the other side."""
    halves: dict[int, Split] = {}
    for level in {draft.level for draft in drafts}:
        ranked = sorted((draft for draft in drafts if draft.level == level), key=lambda draft: sha256(draft.id))
        for place, draft in enumerate(ranked):
            halves[draft.line] = "train" if place < len(ranked) // 2 else "test"
    return halves


def _answers(drafts: Sequence[_Draft]) -> Mapping[str, str]:
    """The right answer by a task's digest: the one given, or the one that its check spells out."""
    known = ((draft.digest, draft.answer or _derived(draft.check)) for draft in drafts)
    return {digest: answer for digest, answer in known if answer is not None}


def _derived(check: Check) -> str | None:
    if isinstance(check, Exact):
        return check.text.strip()
    return decimal(check.value) if isinstance(check, Number) else None


def decimal(value: Fraction) -> str:
    """A number as JSON wrote it, in digits alone. What JSON writes has an end: its denominator is 2s and 5s.

    >>> decimal(Fraction(157, 50)), decimal(Fraction(-7)), decimal(Fraction(1, 10**20))
    ('3.14', '-7', '0.00000000000000000001')
    """
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    digits = str(abs(value * 10**places).numerator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
