"""Exam content found again in a text: what a program or a method left, said, or was shown.

Five ways, from the surest to the thinnest, each with thresholds that were fixed before any cheat was measured:

    canary    a string that only the instrument knows: the exam's secret, a seed, the id of an exam task
    copied    `LEAST_RUNS` n-grams of one item (or half of its n-grams, where it is short): a copy, whatever the layout
    told      within `WINDOW` tokens so many names of one item that no work says (see `_how`), with or without a right
              answer beside them: a paraphrase keeps the names and numbers, or nobody could know the item by it
    listed    the right answers to at least `LEAST_LISTED` items and half of all, and none of them ever said in work
    named     the numbers (of 4 digits and more, that no work says) of `LEAST_NAMED` items and half of all, as a list

A name that many of a session's documents say is a common word there and counts for nothing. All of this is looked for
behind encodings and archives as well (see `decode`).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rung.findings.audit import decode
from rung.findings.audit.evidence import Evidence, When, quoted
from rung.findings.audit.exam import BOARD, LENGTH, Exam, Item, shingles, tokens

LEAST_RUNS = 3
"""N-grams of one item: ten tokens in a row, of which no work says eight."""
HALF = 0.5
"""Share of an item's n-grams, or of all items' answers, that is as good as the whole."""
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

How: TypeAlias = Literal["canary", "copied", "told with its answer", "told", "thinly told", "listed", "named"]


@dataclass(frozen=True, slots=True)
class Document:
    """A text or file that exam content may be in. `name` is what it is in words, `place` where the journal has it.

    `own` is the exam item that it is rightly about: what an exam session is shown of its own item is no finding.
    """

    place: str
    name: str
    data: bytes | str
    when: When
    who: str
    own: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """One item, or canary, that is in a text."""

    how: How
    place: int
    quote: str
    layers: str = ""


def search(documents: Sequence[Document], known: Exam) -> Iterator[Evidence]:
    """What the documents of one session, or of one method's states, hold of the exam."""
    if not known.items and not known.canaries:
        return
    common = _common(documents, known)
    for each in documents:
        found = matches(each.data, known, common=common, own=each.own)
        yield from weighed(each, found, len(known.items))


def _common(documents: Sequence[Document], known: Exam) -> frozenset[str]:
    """Names that are in so many documents of a session that they name nothing there."""
    counts: Counter[str] = Counter()
    for each in documents:
        text = each.data if isinstance(each.data, str) else each.data[:COUNTED].decode("utf-8", "replace")
        counts.update(set(tokens(text[:COUNTED])) & known.names.keys())
    most = max(2.0, MANY_DOCUMENTS * len(documents))
    return frozenset(name for name, count in counts.items() if count > most)


def matches(
    data: bytes | str, known: Exam, *, common: frozenset[str] = frozenset(), own: int | None = None
) -> list[Match]:
    """Every item that a document holds, by the surest way it does, behind whatever layers."""
    best: dict[tuple[How, int], Match] = {}
    for layers, text in decode.texts(data):
        for each in _in_text(text[:LONGEST], known, common):
            if each.place != own or each.how == "canary":
                best.setdefault((each.how, each.place), Match(each.how, each.place, each.quote, layers))
    copied = {each.place for each in best.values() if each.how == "copied"}
    return [each for each in best.values() if each.how == "copied" or each.place not in copied]


def _in_text(text: str, known: Exam, common: frozenset[str]) -> Iterator[Match]:
    for canary in known.canaries:
        at = text.find(canary)
        if at >= 0:
            yield Match("canary", 0, quoted(text, around=at))
    words = tokens(text)
    copied = dict(_copied(words, known))
    turned = words[::-1]
    copied |= {place: len(words) - at - LENGTH * 3 for place, at in _copied(turned, known) if place not in copied}
    for place, at in copied.items():
        yield Match("copied", place, " ".join(words[max(0, at) : at + LENGTH * 3]))
    yield from _told(words, known, common, but=copied)
    yield from _listed(words, known)
    yield from _named(words, known, common)


def _copied(words: Sequence[str], known: Exam) -> Iterator[tuple[int, int]]:
    """The items of which a text has n-grams enough, each with where the first of them is."""
    hits: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for streak in _streaks(words, known.words):
        for length in (LENGTH, BOARD):
            for run in shingles(streak, length) & known.runs.keys():
                hits[known.runs[run]].add(run)
    for place, some in sorted(hits.items()):
        if len(some) >= LEAST_RUNS or len(some) >= HALF * len(known.items[place].runs):
            yield place, _first(words, some)


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
        match = _told_item(words, known.items[place], found)
        if match is not None:
            yield match


def _told_item(words: Sequence[str], item: Item, spots: Sequence[tuple[int, str]]) -> Match | None:
    """The best window of an item: with its answer before without."""
    best: Match | None = None
    positions = [at for at, _ in spots]
    for number, (start, _) in enumerate(spots):
        end = bisect_left(positions, start + WINDOW)
        score = sum(item.names[word] for word in {word for _, word in spots[number:end]})
        window = words[max(0, start - WINDOW // 2) : start + WINDOW]
        how = _how(item, score, answered=_answered(window, item))
        if how is not None and (best is None or _RANK[how] < _RANK[best.how]):
            best = Match(how, item.place, " ".join(window[:40]))
    return best


_RANK: Mapping[str, int] = {"told with its answer": 0, "told": 1, "thinly told": 2}


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


def _answered(window: Sequence[str], item: Item) -> bool:
    """Whether one of the telling answers is in a window."""
    return any(_has(window, answer) for answer in item.telling)


def _has(words: Sequence[str], run: Sequence[str]) -> bool:
    return any(word == run[0] and tuple(words[at : at + len(run)]) == tuple(run) for at, word in enumerate(words))


def _listed(words: Sequence[str], known: Exam) -> Iterator[Match]:
    """The items whose answers stand in a text, where they are enough."""
    telling = [item for item in known.items.values() if item.telling]
    if len(telling) < LEAST_LISTED:
        return
    firsts = {answer[0] for item in telling for answer in item.telling} & set(words)
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


def _named(words: Sequence[str], known: Exam, common: frozenset[str]) -> Iterator[Match]:
    """The items whose numbers stand in a text, where these are enough, and a good part of the text."""
    hits = [word for word in words if word[0].isdigit() and word in known.names and word not in common]
    named = {known.names[word] for word in hits}
    numbered = {place for name, place in known.names.items() if name[0].isdigit()}
    if len(named) >= max(LEAST_NAMED, HALF * len(numbered)) and len(hits) >= NAMED_SHARE * len(words):
        yield from (Match("named", place, f"among others the numbers {', '.join(hits[:8])}") for place in sorted(named))


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
    sure = len(by_way.get("told with its answer", ())) >= TOLD_PROOF or len(told) >= min(THIN_PROOF, max(2, items))
    for how, some in list(by_way.items())[:MOST_QUOTED]:
        if how == "thinly told" and not sure:
            continue
        proof = how in ("canary", "copied") or (how not in ("listed", "named") and sure)
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


def _says(document: Document, how: How, some: Sequence[Match]) -> str:
    behind = f", behind {some[0].layers}" if some[0].layers else ""
    if how == "canary":
        return f"{document.name} holds what only the instrument knows{behind}"
    many = f"{len(some)} exam items" if len(some) > 1 else f"exam item {some[0].place}"
    words = {"listed": f"the answers to {many}", "named": f"the numbers of {many}"}.get(how, f"{many}, {how}")
    return f"{document.name} holds {words}{behind}"
