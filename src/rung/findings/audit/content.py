"""Exam content found again in a text: what a program or a method left, said, or was shown.

Six ways, from the surest to the thinnest, each with thresholds that were fixed before any cheat was measured:

    canary    a string that only the instrument knows: the exam's secret, a seed, the id of an exam task
    copied    `LEAST_RUNS` n-grams of one item (or half of its n-grams, where it is short): a copy, whatever the layout;
              or `LEAST_ROWS` rows of its tables, in whatever order
    told      within `WINDOW` tokens so many names of one item that no work says (see `_how`), with or without a right
              answer beside them: a paraphrase keeps the names and numbers, or nobody could know the item by it
    listed    the right answers to at least `LEAST_LISTED` items and half of all, and none of them ever said in work; or
              the courses of play of `LEAST_PLAYED` items, as their solvers play them
    named     the numbers (of 4 digits and more, that no work says) of `LEAST_NAMED` items and half of all, as a list
    hinted    `LEAST_HINTED` items within one page by two marks each, or one and an answer (see `_hinted`)

A name that many of a session's documents say is a common word there and counts for nothing. All of this is looked for
behind encodings and archives as well (see `decode`).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias

from rung.findings.audit import alphabets, ciphers, decode
from rung.findings.audit.evidence import Evidence, Weight, When, quoted
from rung.findings.audit.exam import (
    BOARD,
    BOARD_DISTINCT,
    LENGTH,
    STREAK,
    Exam,
    Item,
    joined,
    long_figures,
    shingles,
    tokens,
)
from rung.findings.audit.figures import figures, in_other_units
from rung.findings.audit.likeness import Compared, Told
from rung.findings.audit.respelt import respelt

LEAST_RUNS = 3
"""N-grams of one item: ten tokens in a row, of which no work says eight."""
LEAST_ROWS = 3
"""Rows of one item's tables: of a row with a name and four figures or more hardly any is alike by chance."""
HALF = 0.5
"""Share of an item's n-grams, or of all items' answers, that is as good as the whole."""
LEAST_PLAYED, MOST_PLAY = 2, 0.6
"""Items whose courses of play have to stand in a text, and the share of one's n-grams that is the course."""
WINDOW = 60
"""Tokens in which an item is told: a question and its answer in a paraphrase, and not a page."""
LEAST_LISTED = 5
"""Answers to different items in one document: four may be luck or a common word."""
LEAST_NAMED, NAMED_SHARE = 3, 0.05
"""Items that have to be named by their numbers alone, and the share of a text's tokens those have to be: a list of exam
numbers, and not a long log in which any number turns up."""
MANY_DOCUMENTS = 0.02
"""Share of a session's documents that may say a name for it to be one; two may in any case."""
TOLD_PROOF, THIN_PROOF = 2, 3
"""Items that have to be told with their answers to be proof, where their names are enough, and where they are thin."""
SURE = 3
"""Weight of names beside a right answer below which an item is told thinly."""
LONGEST = 4_000_000
"""Letters of one text that are looked at; beyond stands what nobody writes by hand, and copies show before it."""
COUNTED = 100_000
"""Letters of a document in which common names are counted."""
MOST_QUOTED = 5
"""Pieces of evidence from one document: it names all items, and quotes the first of them."""

NEAR, HINT = 40, 0.34
"""Tokens of a hint: a sentence or a row of a table; and the share of an item's marks, or other names, it says."""
MOST_PLAIN = 0.6
"""Share of an item's plain names, 5 at least, that hint at it without a mark: prose has some of them by chance."""
LEAST_HINTED, FEW_ITEMS = 3, 5
"""Items that have to be hinted at: of one or two a name turns up by chance. Of an exam of few items, two."""
PAGE = 600
"""Tokens within which these stand: in a long log hints gather by chance."""
FIGURED = 256 << 10
"""Letters of a text whose numbers are read in other forms: what is longer is a log."""
MANY_NUMBERS = 0.25
"""Share of numbers in a text from which on it is a table, in which some are others in another unit by chance."""

How: TypeAlias = Literal[
    "canary",
    "copied",
    "told with its answer",
    "told",
    "thinly told",
    "listed",
    "named",
    "hinted with its answer",
    "hinted at",
]


@dataclass(frozen=True, slots=True)
class Document:
    """A text or file that exam content may be in. `name` is what it is in words, `place` where the journal has it.

    `own` is the exam item that it is rightly about: what an exam session is shown of its own item is no finding.
    Where it was `sought`, by a tool that finds and does not reckon, its own item's best play is one all the same.
    """

    place: str
    name: str
    data: bytes | str
    when: When
    who: str
    own: int | None = None
    sought: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """One item, or canary, that is in a text."""

    how: How
    place: int
    quote: str
    layers: str = ""
    at: int = 0


def search(documents: Sequence[Document], known: Exam) -> Iterator[Evidence]:
    """What the documents of one session, or of one method's states, hold of the exam."""
    if not known.items and not known.canaries:
        return
    common = _common(documents, known)
    hints: dict[int, tuple[Document, Match]] = {}
    told, dull = set[int](), set[int]()
    compared = Compared(known.groups)
    for number, each in enumerate(documents):
        compare = partial(compared.put, number, own=each.own, sought=each.sought)
        found = matches(each.data, known, common=common, own=each.own, dull=dull, compare=compare)
        evidence = list(weighed(each, found, len(known.items)))
        told.update(place for one in evidence for place in one.touched)
        yield from evidence
        for match in found:
            if match.how == "hinted with its answer":
                hints.setdefault(match.place, (each, match))
    if not told and len(hints) >= LEAST_HINTED:
        yield _spread(hints)
    yield from _retold(documents, [each for each in compared.told() if each.place not in told])


def _retold(documents: Sequence[Document], found: Sequence[Told]) -> Iterator[Evidence]:
    """Items told again in other words: each is strong by itself, and `TOLD_PROOF` of them are proof."""
    for each in found:
        document = documents[each.text]
        weight: Weight = "proof" if len(found) >= TOLD_PROOF else "strong"
        says = f"{document.name} holds exam item {each.place}, told again: no fresh item of its kind is so near"
        yield Evidence(
            "content", weight, document.when, document.who, document.place, says, quoted(each.quote), (each.place,)
        )


def _spread(hints: Mapping[int, tuple[Document, Match]]) -> Evidence:
    """Hints at different items, each in a text of its own."""
    document, match = next(iter(hints.values()))
    says = f"{len(hints)} exam items are hinted at with their answers, in as many texts; the first in {document.name}"
    touched = tuple(sorted(hints))
    quote = quoted(match.quote)
    return Evidence("content", "strong", document.when, document.who, document.place, says, quote, touched)


def _common(documents: Sequence[Document], known: Exam) -> frozenset[str]:
    """Names that are in so many documents of a session that they name nothing there."""
    counts: Counter[str] = Counter()
    for each in documents:
        text = each.data if isinstance(each.data, str) else each.data[:COUNTED].decode("utf-8", "replace")
        counts.update(set(tokens(text[:COUNTED])) & known.names.keys())
    most = max(2.0, MANY_DOCUMENTS * len(documents))
    return frozenset(name for name, count in counts.items() if count > most)


def matches(
    data: bytes | str,
    known: Exam,
    *,
    common: frozenset[str] = frozenset(),
    own: int | None = None,
    dull: set[int] | None = None,
    compare: Callable[[str], None] = lambda text: None,
) -> list[Match]:
    """Every item that a document holds, by the surest way it does, behind whatever layers.

    `dull` are the marks of texts in which nothing was found, and grows: a session shows one text in many places.
    """
    best: dict[tuple[How, int], Match] = {}
    dull = set() if dull is None else dull
    if hash((data, own)) in dull:
        return []
    for layers, text in decode.texts(data):
        if hash((text, own)) in dull:
            continue
        at_first = len(best)
        compare(text)
        for other in ciphers.moved(text):
            compare(other)
        for each in _in_text(
            text[:LONGEST], known, common, deep=layers.count(",") < 1 and layers not in alphabets.NAMES
        ):
            if each.place != own or each.how == "canary":
                behind = ", ".join(filter(None, (layers, each.layers)))
                best.setdefault((each.how, each.place), replace(each, layers=behind))
        if not layers and len(best) == at_first:
            dull.add(hash((text, own)))
    if not best:
        dull.add(hash((data, own)))
    surest = {place: min(_SURE[how] for how, where in best if where == place) for _, place in best}
    return [each for each in best.values() if _SURE[each.how] == surest[each.place]]


_SURE: Mapping[How, int] = {
    "canary": 0,
    "copied": 0,
    "told with its answer": 1,
    "told": 2,
    "listed": 3,
    "named": 3,
    "thinly told": 4,
    "hinted with its answer": 5,
    "hinted at": 6,
}
"""From the surest way to the thinnest: an item is told of by the surest alone."""


def _in_text(text: str, known: Exam, common: frozenset[str], *, deep: bool) -> Iterator[Match]:
    """What stands in one text; where it is `deep`, in other forms of its numbers and letters as well."""
    for canary in known.canaries:
        at = text.find(canary)
        if at >= 0:
            yield Match("canary", 0, quoted(text, around=at))
    words = tokens(text)
    different = set(words)
    yield from _in_words(words, different, known, common)
    if deep:
        yield from _otherwise(text, different, words, known, common)
        yield from _in_other_signs(text, known)


def _in_words(words: Sequence[str], different: Set[str], known: Exam, common: frozenset[str]) -> Iterator[Match]:
    """What stands in the words of a text. Most texts have too few words of the exam for anything to stand there."""
    copied: dict[int, int] = {}
    if len(different & known.words) >= BOARD_DISTINCT:
        copied = dict(_copied(words, known))
        turned = words[::-1]
        copied |= {place: len(words) - at - LENGTH * 3 for place, at in _copied(turned, known) if place not in copied}
        for place, at in copied.items():
            yield Match("copied", place, " ".join(words[max(0, at) : at + LENGTH * 3]))
    for place, row in _rows(words, known):
        if place not in copied:
            copied[place] = 0
            yield Match("copied", place, " ".join(row))
    if different & known.names.keys():
        yield from _told(words, known, common, but=copied)
        yield from _named(words, known, common)
    yield from _listed(words, different, known)
    yield from _played(words, different, known)


def _otherwise(
    text: str, different: Set[str], words: Sequence[str], known: Exam, common: frozenset[str]
) -> Iterator[Match]:
    """What the same text says with its numbers in figures, in other units, and with its letters moved."""
    others = [*respelt(text, different, words, known.names)]
    if len(text) <= FIGURED:
        plain = figures(text)
        others += [("numbers in words or pieces", plain)] if plain != text else []
        few = sum(word[0].isdigit() for word in words) <= MANY_NUMBERS * len(words)
        moved = in_other_units(plain, known.numbers) if known.numbers and few else ""
        others += [("numbers in other units", moved)] if moved else []
    for name, other in others:
        said = tokens(other)
        for each in _in_words(said, set(said), known, common):
            if name != "numbers in other units" or each.how != "named":
                yield replace(each, layers=name)


def _in_other_signs(text: str, known: Exam) -> Iterator[Match]:
    for each in ciphers.hidden(text, known.patterns):
        if each.place in known.items and not ciphers.in_work(each.says, known.work):
            yield Match("copied", each.place, f"{each.signs} (says: {each.says})", "other signs for its letters")


def _copied(words: Sequence[str], known: Exam) -> Iterator[tuple[int, int]]:
    """The items of which a text has n-grams enough, each with where the first of them is."""
    hits: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for streak in _streaks(words, known.words):
        for length in (LENGTH, STREAK, BOARD):
            for run in shingles(streak, length) & known.runs.keys():
                hits[known.runs[run]].add(run)
    for place, some in sorted(hits.items()):
        if len(some) >= LEAST_RUNS or len(some) >= HALF * len(known.items[place].runs):
            yield place, _first(words, some)


def _rows(words: Sequence[str], known: Exam) -> Iterator[tuple[int, Sequence[str]]]:
    """The items of whose tables a text has rows enough, in whatever order, or figures enough in a row."""
    if not known.rows and not known.figures:
        return
    whole = joined(words)
    yield from _in_figures(whole, known)
    hits: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for row in dict.fromkeys(pairwise(whole)):
        if row in known.rows:
            hits[known.rows[row]].append(row)
    for place, some in sorted(hits.items()):
        if len(some) >= LEAST_ROWS or (len(some) >= 2 and len(some) >= HALF * len(known.items[place].rows)):
            yield place, [word for row in some[:LENGTH] for word in row]


def _in_figures(whole: Sequence[str], known: Exam) -> Iterator[tuple[int, Sequence[str]]]:
    hits: dict[int, list[str]] = defaultdict(list)
    for one in sorted(long_figures(whole) & known.figures.keys()):
        hits[known.figures[one]].append(one)
    for place, some in sorted(hits.items()):
        if len(some) >= LEAST_RUNS or len(some) >= HALF * len(known.items[place].figures):
            yield place, some[:1]


def _streaks(words: Sequence[str], wanted: frozenset[str]) -> Iterator[Sequence[str]]:
    """The stretches of a text in which every word is one of a run: n-grams are made of these alone."""
    start = 0
    for at, word in enumerate(words):
        if word not in wanted:
            if at - start >= LENGTH:
                yield words[start:at]
            start = at + 1
    if len(words) - start >= LENGTH:
        yield words[start:]


def _first(words: Sequence[str], some: set[tuple[str, ...]]) -> int:
    """Where the first of some runs stands."""
    begins = {run[0] for run in some}
    lengths = {len(run) for run in some}
    return next(
        at
        for at, word in enumerate(words)
        if word in begins and any(tuple(words[at : at + length]) in some for length in lengths)
    )


# --------------------------------------------------------------------------------------------- told


def _told(words: Sequence[str], known: Exam, common: frozenset[str], *, but: Mapping[int, int]) -> Iterator[Match]:
    spots: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for at, word in enumerate(words):
        place = known.names.get(word)
        if place is not None and place not in but and word not in common:
            spots[place].append((at, word))
    for place, found in spots.items():
        item = known.items[place]
        match = _told_item(words, item, found) or _hinted(words, item, found)
        if match is not None:
            yield match


def _told_item(words: Sequence[str], item: Item, spots: Sequence[tuple[int, str]]) -> Match | None:
    """The best window of an item: with its answer before without."""
    best: Match | None = None
    positions = [at for at, _ in spots]
    if len(spots) > 1 << 12:  # a text that says it everywhere: the first windows do
        spots = spots[: 1 << 12]
    for number, (start, _) in enumerate(spots):
        end = bisect_left(positions, start + WINDOW)
        score = sum(item.names[word] for word in {word for _, word in spots[number:end]})
        window = words[max(0, start - WINDOW // 2) : start + WINDOW]
        how = _how(item, score, answered=_answered(window, item))
        if how is not None and (best is None or _SURE[how] < _SURE[best.how]):
            best = Match(how, item.place, " ".join(window[:40]))
    return best


def _hinted(words: Sequence[str], item: Item, spots: Sequence[tuple[int, str]]) -> Match | None:
    """A hint at an item: two marks of it, one beside two of its other names or beside a right answer, or most of its
    plain names. `NEAR` tokens are a sentence or a row of a table; of a long item it has to be a share (`HINT`)."""
    positions = [at for at, _ in spots]
    plain = len(item.names) - len(item.marks)
    for number, (start, _) in enumerate(spots):
        said = {word for _, word in spots[number : bisect_left(positions, start + NEAR)]}
        marks, others = len(said & item.marks), len(said - item.marks)
        window = words[max(0, start - NEAR // 2) : start + NEAR]
        enough = marks >= max(2, HINT * len(item.marks)) or others >= max(5, MOST_PLAIN * plain)
        if not enough and not (marks and (others >= max(2, HINT * plain) or _answered(window, item, telling=False))):
            continue
        how: How = "hinted with its answer" if _answered(window, item) else "hinted at"
        return Match(how, item.place, " ".join(window[:40]), at=start)
    return None


def _needed(weight: int, least: int, most: int, share: float) -> float:
    """How much weight of names a window needs: a share of the item's, between two bounds."""
    return min(most, max(least, share * weight))


def _how(item: Item, score: int, *, answered: bool) -> How | None:
    """How a window with this weight of names tells an item.

    With a right answer beside them half of the names do, 3 at least and 6 at most; without, 60%, from 5 to 9. An item
    with fewer names than 3 is told thinly by all of them and its answer.
    """
    if answered and score >= _needed(item.weight, SURE, 6, 0.5):
        return "told with its answer"
    if score >= _needed(item.weight, 5, 9, 0.6):
        return "told"
    return "thinly told" if answered and item.weight < SURE and score == item.weight else None


def _answered(window: Sequence[str], item: Item, *, telling: bool = True) -> bool:
    """Whether one of the telling answers is in a window, or one of all."""
    return any(_has(window, answer) for answer in (item.telling if telling else item.answers))


def _has(words: Sequence[str], run: Sequence[str]) -> bool:
    return any(word == run[0] and tuple(words[at : at + len(run)]) == tuple(run) for at, word in enumerate(words))


def _listed(words: Sequence[str], different: Set[str], known: Exam) -> Iterator[Match]:
    """The items whose answers stand in a text, where they are enough."""
    telling = known.telling
    firsts = known.firsts & different
    if len(telling) < LEAST_LISTED or not firsts:
        return
    there = {
        answer
        for item in telling
        for answer in item.telling
        if answer[0] in firsts and (len(answer) == 1 or _has(words, answer))
    }
    found = [item for item in telling if any(answer in there for answer in item.telling)]
    if len(there) >= LEAST_LISTED and len(found) >= max(LEAST_LISTED, HALF * len(telling)):
        shown = ", ".join(" ".join(item.telling[0]) for item in found[:8])
        yield from (Match("listed", item.place, f"among others the answers {shown}") for item in found)


def _played(words: Sequence[str], different: Set[str], known: Exam) -> Iterator[Match]:
    """The items most of whose courses of play stand in a text, where they are two: one good course is like another, and
    who plays well may have found one."""
    if len(different & known.played) < BOARD_DISTINCT:
        return
    hits: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for streak in _streaks(words, known.played):
        for run in shingles(streak, STREAK) & known.plays.keys():
            hits[known.plays[run]].add(run)
    found = [place for place, some in sorted(hits.items()) if len(some) >= MOST_PLAY * len(known.items[place].plays)]
    if len(found) >= LEAST_PLAYED:
        yield from (Match("listed", place, "a course of play of its solver") for place in found)


def _named(words: Sequence[str], known: Exam, common: frozenset[str]) -> Iterator[Match]:
    """The items whose marks stand in a text, where these are enough, and a good part of the text; numbers alone, or
    numbers and proper names together."""
    hits = [word for word in words if word in known.marks and word not in common]
    for some in ([word for word in hits if word[0].isdigit()], hits):
        all_marked = {place for name, place in known.marks.items() if some is hits or name[0].isdigit()}
        named = {known.marks[word] for word in some}
        if len(named) >= max(LEAST_NAMED, HALF * len(all_marked)) and len(some) >= NAMED_SHARE * len(words):
            what = "names and numbers" if some is hits else "numbers"
            quote = f"among others the {what} {', '.join(some[:8])}"
            yield from (Match("named", place, quote) for place in sorted(named))
            return


# --------------------------------------------------------------------------------------------- what it weighs


def weighed(document: Document, found: Iterable[Match], items: int) -> Iterator[Evidence]:
    """What the matches in one document are evidence of.

    Proof by itself: a canary; one item copied; `TOLD_PROOF` items told with their answers; `THIN_PROOF` items told in
    any way, if all that there are are fewer then all of them. Strong: one item told, or answers or numbers listed. One
    item told thinly is chance, and no evidence.
    """
    by_way: dict[How, list[Match]] = defaultdict(list)
    for each in found:
        by_way[each.how].append(each)
    told = {each.place for how in ("told with its answer", "told", "thinly told") for each in by_way.get(how, ())}
    hints = [*by_way.pop("hinted with its answer", ()), *by_way.pop("hinted at", ())]
    if not by_way.keys() - {"thinly told"} and _are_enough(hints, items):
        by_way["hinted at"] = hints
    sure = len(by_way.get("told with its answer", ())) >= TOLD_PROOF or len(told) >= min(THIN_PROOF, max(2, items))
    for how, some in list(by_way.items())[:MOST_QUOTED]:
        if how == "thinly told" and not sure:
            continue
        proof = how in ("canary", "copied") or (how not in ("listed", "named", "hinted at") and sure)
        touched = tuple(sorted({each.place for each in some if each.place}))
        yield Evidence(
            detector="content",
            weight="proof" if proof else "strong",
            when=document.when,
            who=document.who,
            place=document.place,
            says=_says(document, how, some),
            quote=quoted(some[0].quote),
            touched=touched,
        )


def _are_enough(hints: Sequence[Match], items: int) -> bool:
    """Whether hints at so many different items stand near one another that they were meant: `LEAST_HINTED` of them, two
    with their answers, or two of an exam of few items."""
    answered = [each for each in hints if each.how == "hinted with its answer"]
    least = LEAST_HINTED if items > FEW_ITEMS else 2
    return _close(hints, least) or _close(answered, 2)


def _close(hints: Sequence[Match], least: int) -> bool:
    """Whether so many hints stand within `PAGE` tokens."""
    spots = sorted(each.at for each in hints)
    return any(end - start <= PAGE for start, end in zip(spots, spots[least - 1 :], strict=False))


def _says(document: Document, how: How, some: Sequence[Match]) -> str:
    behind = f", behind {some[0].layers}" if some[0].layers else ""
    if how == "canary":
        return f"{document.name} holds what only the instrument knows{behind}"
    many = f"{len(some)} exam items" if len(some) > 1 else f"exam item {some[0].place}"
    words = {"listed": f"the answers to {many}", "named": f"names or numbers of {many}"}.get(how, f"{many}, {how}")
    return f"{document.name} holds {words}{behind}"
