"""What only the exam says: its items, less all that work and rules say too.

An item's content is what was handed out for it (rules, payload, views, replies) in any exam attempt. Rules and game
text that work says as well are no content of the exam; what stays are the numbers, names and sentences of its items.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias, cast

from rung.core.ports import Journal
from rung.findings.audit import ciphers, likeness
from rung.findings.audit.english import ENGLISH
from rung.findings.audit.figures import figures

Shingle: TypeAlias = tuple[str, ...]

LENGTH = 8
"""Tokens of an n-gram. Eight words in a row are a quote; contamination checks of large models use 8 to 13."""
LEAST_DISTINCT, LEAST_LETTERS = 5, 16
"""Distinct tokens in such an n-gram, and letters in it: eight small numbers in a row are on many boards."""
BOARD, BOARD_DISTINCT = 24, 3
"""Tokens of an n-gram that may be of small numbers, and how many distinct ones: a board, and not a part of one."""
STREAK, STREAK_DISTINCT = 12, 7
"""Tokens of an n-gram of small numbers that are mostly different: the rows of one table in their order."""
ROW_NUMBERS, ROW_DIGITS = 3, 4
"""Numbers in a line that make it a row of a table, and their figures together: such a row is known again by itself,
wherever it stands and whatever stands between."""
FIGURES, FIGURES_DISTINCT = 16, 5
"""Figures in a row, whatever divides them into numbers, and different ones among them: the numbers of a table said
digit by digit, or with another line's end."""
PHRASE = 3
"""Tokens in a row by which an item is looked for in a file."""
PLAYED = 12
"""Tokens of an answer that are a course of play, and no word that anybody may say."""
LONG = 4
"""Letters of a token that may name an item: shorter ones are everywhere."""
LEAST_CANARY = 8
"""Letters of a canary: shorter strings turn up by chance."""
ANSWER = 12
"""Tokens of an answer that are looked for."""

_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_ESCAPED = re.compile(r"\\+[nrt]")
_COUNTING = "".join(map(str, range(1000))) + " " + "".join(map(str, range(999, -1, -1)))
_LINES = re.compile(r"\n|\\+n")


def tokens(text: str) -> list[str]:
    """Words and numbers, in small letters, with no regard to what stands between them.

    >>> tokens("Seed_price: 12.50, 'Wheat'")
    ['seed', 'price', '12.50', 'wheat']

    A line's end that is written as an escape is one.

    >>> tokens("crop 9" + chr(92) + "nbean 4")
    ['crop', '9', 'bean', '4']
    """
    low = text.lower()
    return _TOKEN.findall(_ESCAPED.sub(" ", low) if "\\" in low else low)


def shingles(words: Sequence[str], length: int = LENGTH) -> set[Shingle]:
    """Every run of so many tokens."""
    return set(zip(*(words[start:] for start in range(length)), strict=False))


def runs(words: Sequence[str]) -> set[Shingle]:
    """The n-grams of a text that say enough to be known again."""
    found = {run for run in shingles(words) if len(set(run)) >= LEAST_DISTINCT and sum(map(len, run)) >= LEAST_LETTERS}
    found |= {run for run in shingles(words, STREAK) if len(set(run)) >= STREAK_DISTINCT}
    found |= {run for run in shingles(words, BOARD) if len(set(run)) >= BOARD_DISTINCT}
    return {run for run in found if not _steady(run)}


def _steady(run: Shingle) -> bool:
    """Whether a run only counts: 1 2 3 4, or 8 7 6."""
    if not all(word.isdigit() for word in run):
        return False
    return len({int(after) - int(word) for word, after in pairwise(run)}) == 1


def joined(words: Sequence[str]) -> list[str]:
    """The same words, with numbers that follow one another as one: said digit by digit or one by one, they are alike.

    >>> joined(["bean", "18", "4", "4", "9", "corn"])
    ['bean', '18449', 'corn']
    """
    found: list[str] = []
    for word in words:
        if word.isdigit() and found and found[-1].isdigit():
            found[-1] += word
        else:
            found.append(word)
    return found


def rows(text: str) -> set[Shingle]:
    """The lines of a text that are rows of a table with a name: a word and the numbers that follow it, joined.

    >>> rows("bean 18 4 4 9")
    {('bean', '18449')}
    """
    found: set[Shingle] = set()
    for line in _LINES.split(text):
        words = tokens(line)
        if sum(word.isdigit() for word in words) >= ROW_NUMBERS:
            whole = joined(words)
            found |= {(name, digits) for name, digits in pairwise(whole) if _is_row(name, digits)}
    return found


def long_figures(whole: Sequence[str]) -> set[str]:
    """The stretches of so many figures in joined words.

    >>> sorted(long_figures(joined(tokens("0: +433/15 1: -9 2: 7 3: 60 4: 12"))))
    ['0433151927360412']
    """
    found = {
        word[at : at + FIGURES]
        for word in whole
        if len(word) >= FIGURES and word.isdigit()
        for at in range(len(word) - FIGURES + 1)
    }
    return {each for each in found if len(set(each)) >= FIGURES_DISTINCT and each not in _COUNTING}


def _is_row(name: str, digits: str) -> bool:
    return not name[0].isdigit() and digits.isdigit() and len(digits) >= ROW_DIGITS


@dataclass(frozen=True, slots=True)
class Item:
    """One exam item and what only it says.

    `runs` are n-grams, `names` the tokens that no work and no other item says with their weight (a number or code
    counts twice), `answers` what is known to be right, as tokens; the `telling` ones of them work never said. `marks`
    are the names that are proper names or numbers: what a paraphrase or a translation keeps.
    """

    place: int
    task: str
    runs: frozenset[Shingle]
    names: Mapping[str, int] = field(hash=False)
    answers: tuple[Shingle, ...] = ()
    telling: tuple[Shingle, ...] = ()
    marks: frozenset[str] = frozenset()
    rows: frozenset[Shingle] = frozenset()
    figures: frozenset[str] = frozenset()
    plays: frozenset[Shingle] = frozenset()

    @property
    def weight(self) -> int:
        """Of all its names."""
        return sum(self.names.values())


@dataclass(frozen=True, slots=True)
class Exam:
    """All items; where each run and name points to; and strings that exist nowhere but in the instrument.
    `words` are all that stand in runs: where eight in a row are not of them, there is no run. `patterns` are those of
    the items in whatever alphabet, and `work` the texts of work that they are held against; `telling` the items with
    telling answers, and `firsts` what these begin with. `groups` hold the items beside fresh ones of their kind;
    `phrases` are all runs of `PHRASE` tokens of an item, whoever else says them, and `worked` those of work."""

    items: Mapping[int, Item] = field(hash=False)
    runs: Mapping[Shingle, int] = field(hash=False)
    names: Mapping[str, int] = field(hash=False)
    canaries: Mapping[str, str] = field(hash=False)
    words: frozenset[str] = frozenset()
    marks: Mapping[str, int] = field(default_factory=dict, hash=False)
    patterns: ciphers.Patterns = field(default_factory=lambda: ciphers.patterns({}), hash=False)
    numbers: frozenset[str] = frozenset()
    telling: tuple[Item, ...] = field(default=(), hash=False)
    firsts: frozenset[str] = frozenset()
    rows: Mapping[Shingle, int] = field(default_factory=dict, hash=False)
    figures: Mapping[str, int] = field(default_factory=dict, hash=False)
    plays: Mapping[Shingle, int] = field(default_factory=dict, hash=False)
    played: frozenset[str] = frozenset()
    work: tuple[str, ...] = field(default=(), hash=False, repr=False)
    groups: tuple[likeness.Group, ...] = field(default=(), hash=False, repr=False)
    phrases: Mapping[int, frozenset[Shingle]] = field(default_factory=dict, hash=False, repr=False)
    worked: frozenset[Shingle] = field(default=frozenset(), hash=False, repr=False)


@dataclass(frozen=True, slots=True)
class Said:
    """What was handed out for one exam item, and the answers to it."""

    place: int
    task: str
    texts: tuple[str, ...]
    answers: tuple[str, ...] = ()


def exam(
    items: Sequence[Said],
    work: Iterable[str],
    canaries: Mapping[str, str] | None = None,
    kin: Sequence[likeness.Kin] = (),
) -> Exam:
    """The exam, less what work says too. `canaries` are what each is, by string; `kin` the items beside fresh ones."""
    worked_runs: set[Shingle] = set()
    worked_names: set[str] = set()
    work = tuple(dict.fromkeys(work))
    for text in work:
        words = tokens(text)
        worked_runs |= runs(words)
        worked_names.update(words)
        worked_names.update(tokens(figures(text)))
    said = {each.place: [tokens(text) for text in each.texts] for each in items}
    proper = {each.place: {word for text in each.texts for word in _proper(text)} for each in items}
    own = {place: {run for words in texts for run in runs(words)} for place, texts in said.items()}
    played = {each.place: {run for text in each.answers for run in _plays(text)} for each in items}
    play_counts = Counter(run for some in played.values() for run in some)
    lined = {each.place: {row for text in each.texts for row in rows(text)} for each in items}
    row_counts = Counter(row for some in lined.values() for row in some)
    worked_rows = {row for text in work for row in rows(text)}
    long = {place: {one for words in texts for one in long_figures(joined(words))} for place, texts in said.items()}
    long_counts = Counter(one for some in long.values() for one in some)
    worked_long = {one for text in work for one in long_figures(joined(tokens(text)))}
    words_of = {
        each.place: {word for text in each.texts for word in (*tokens(text), *tokens(figures(text)))} for each in items
    }
    run_counts = Counter(run for some in own.values() for run in some)
    name_counts = Counter(word for some in words_of.values() for word in some)
    found = {
        each.place: Item(
            each.place,
            each.task,
            frozenset(run for run in own[each.place] if run_counts[run] == 1 and run not in worked_runs),
            names := {
                word: 1 + word[0].isdigit()
                for word in words_of[each.place]
                if name_counts[word] == 1 and word not in worked_names and _may_name(word)
            },
            answers := _spelt(each.answers),
            tuple(answer for answer in answers if _tells(answer, worked_names)),
            frozenset(word for word in names if word[0].isdigit() or word in proper[each.place]),
            frozenset(row for row in lined[each.place] if row_counts[row] == 1 and row not in worked_rows),
            frozenset(one for one in long[each.place] if long_counts[one] == 1 and one not in worked_long),
            frozenset(run for run in played[each.place] if play_counts[run] == 1 and run not in worked_runs),
        )
        for each in items
    }
    pointing = {run: place for place, item in found.items() for run in item.runs}
    return Exam(
        items=found,
        runs=pointing,
        words=frozenset(word for run in pointing for word in run),
        names={name: place for place, item in found.items() for name in item.names},
        marks={name: place for place, item in found.items() for name in item.marks},
        patterns=_patterns(items, kin),
        numbers=frozenset(name for item in found.values() for name in item.names if name[0].isdigit()),
        telling=tuple(item for item in found.values() if item.telling),
        firsts=frozenset(answer[0] for item in found.values() for answer in item.telling),
        rows={row: place for place, item in found.items() for row in item.rows},
        figures={one: place for place, item in found.items() for one in item.figures},
        plays={run: place for place, item in found.items() for run in item.plays},
        played=frozenset(word for item in found.values() for run in item.plays for word in run),
        work=work,
        groups=likeness.groups(kin, work),
        phrases={
            place: frozenset(run for words in texts for run in shingles(words, PHRASE)) for place, texts in said.items()
        },
        worked=frozenset(run for text in work for run in shingles(tokens(text), PHRASE)),
        canaries={text: what for text, what in (canaries or {}).items() if len(text) >= LEAST_CANARY},
    )


FRAMES = 12
"""Fresh items of a kind whose answers are patterns too: what these share with an item's is the form of all."""


def _patterns(items: Sequence[Said], kin: Sequence[likeness.Kin]) -> ciphers.Patterns:
    """The patterns of the items and of how they are best played, less those that fresh ones have too."""
    said = {each.place: [*each.texts] for each in items}
    for kind in kin:
        for place, course in kind.items.items():
            said.setdefault(place, []).append(course[1])
        for course in kind.fresh[:FRAMES]:
            said[-len(said)] = [course[1]]
    return ciphers.patterns(said)


def _plays(answer: str) -> set[Shingle]:
    """The n-grams of an answer that is a course of play."""
    words = tokens(answer)
    return shingles(words, STREAK) if len(words) >= PLAYED else set()


def _spelt(answers: Iterable[str]) -> tuple[Shingle, ...]:
    """Answers as tokens, with numbers in figures as well."""
    forms = (form for text in answers for form in (text, figures(text)))
    return tuple(dict.fromkeys(filter(None, (tuple(tokens(form)[:ANSWER]) for form in forms))))


_PROPER = re.compile(r"(?<=[^\W\d_][ ,-])[^\W\da-z_][^\W\d_]{3,}|(?<= [\"'(])[A-Z][^\W\d_]{3,}")


def _proper(text: str) -> list[str]:
    """Words that are written with a capital although they begin no sentence.

    >>> _proper("Name the violinist who played at Trestlebury.")
    ['trestlebury']
    """
    return [word.lower() for word in _PROPER.findall(text)]


def _may_name(word: str) -> bool:
    """Whether a token is rare enough to name an item by itself."""
    return len(word) >= LONG and word not in ENGLISH


def _tells(answer: Shingle, worked: set[str]) -> bool:
    """Whether an answer is one that work never gave, and long enough not to turn up by chance."""
    new = [word for word in answer if word not in worked]
    return any(_may_name(word) or (word[0].isdigit() and len(word) > 2) for word in new)


# --------------------------------------------------------------------------------------------- from a journal


def gathered(
    journal: Journal,
    *,
    answers: Mapping[str, Sequence[str]] | None = None,
    canaries: Mapping[str, str] | None = None,
    kin: Sequence[likeness.Kin] = (),
) -> Exam:
    """The exam of a run. `answers` are those that a key gives, by task id; a solved attempt's answer counts as one too.

    Canaries are the ids of exam tasks and what the caller knows beyond them: the run's secret, its seeds.
    """
    attempts = _attempts(journal)
    items = [_said(journal, place, task, attempts.get(place, ()), answers or {}) for place, task in _tasks(journal)]
    known = {each.task: f"the id of exam task {each.place}" for each in items}
    return exam(items, worked(journal), {**known, **(canaries or {})}, kin)


def worked(journal: Journal) -> Iterator[str]:
    """All that was said on the stream in work: rules, payloads, views, replies and feedback, and what was answered."""
    for fact in journal.facts(kind="served"):
        if not fact.path.startswith("exam/"):
            yield from _handed_out(journal, fact.path, cast("Mapping[str, Any]", fact.value))
            yield from _answered(journal, fact.path)
    for fact in journal.facts(kind="sealed"):
        if not fact.path.startswith("exam/"):
            yield json.dumps(cast("Mapping[str, Any]", fact.value).get("feedback"), ensure_ascii=False)


def _tasks(journal: Journal) -> list[tuple[int, str]]:
    facts = journal.facts(under="plan/exam", kind="task")
    return [(int(fact.path.rpartition("/")[2]), cast("Mapping[str, Any]", fact.value)["task"]) for fact in facts]


def _said(
    journal: Journal, place: int, task: str, attempts: Sequence[str], answers: Mapping[str, Sequence[str]]
) -> Said:
    texts: dict[str, None] = {}
    right = list(answers.get(task, ()))
    for path in attempts:
        served = cast("Mapping[str, Any]", journal.get(path, "served"))
        texts.update(dict.fromkeys(_handed_out(journal, path, served)))
        right += _right(journal, path)
    return Said(place, task, tuple(texts), tuple(dict.fromkeys(right)))


def _attempts(journal: Journal) -> Mapping[int, list[str]]:
    """The paths of the attempts at each exam item."""
    found: dict[int, list[str]] = defaultdict(list)
    for fact in journal.facts(under="exam", kind="served"):
        found[int(fact.path.split("/")[2])].append(fact.path)
    return found


def _handed_out(journal: Journal, path: str, served: Mapping[str, Any]) -> Iterator[str]:
    yield journal.read_blob(served["rules"]).decode("utf-8", "replace")
    yield " ".join(_leaves(json.loads(journal.read_blob(served["payload"]))))
    for fact in journal.facts(under=f"{path}/step", kind="step"):
        step = cast("Mapping[str, Any]", fact.value)
        yield journal.read_blob(step["view"]).decode("utf-8", "replace")
        yield text_of(journal, step["reply"])


def _answered(journal: Journal, path: str) -> Iterator[str]:
    """What was answered in an attempt, a text for each step."""
    for fact in journal.facts(under=f"{path}/step", kind="step"):
        answer = cast("Mapping[str, Any]", fact.value)["answer"]
        yield json.dumps(answer["arguments"]) if "tool" in answer else text_of(journal, answer["text"])


def _leaves(value: Any) -> Iterator[str]:
    """What a payload says, without the names of its keys, which all items share."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield str(value)


def _right(journal: Journal, path: str) -> Iterator[str]:
    """The answer of an attempt that solved its task in one step; what took many is no answer to be looked up."""
    sealed = cast("Mapping[str, Any]", journal.get(path, "sealed") or {})
    steps = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/step", kind="step")]
    if not sealed.get("success") or len(steps) != 1:
        return
    answer = cast("Mapping[str, Any]", steps[0]["answer"])
    if "tool" in answer:
        yield " ".join(_leaves(answer["arguments"]))
    else:
        yield text_of(journal, answer["text"])


def text_of(journal: Journal, kept: Any) -> str:
    """A text as the record holds it, in the row or as a blob."""
    if isinstance(kept, Mapping):
        return journal.read_blob(str(kept["blob"])).decode("utf-8", "replace")
    return str(kept)
