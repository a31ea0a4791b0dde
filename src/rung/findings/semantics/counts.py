"""What a study's proposals come to: counts and rates by arm and game, and by label (SelfImprove-Bench, Tables 3, 6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rung.core.ports import Journal
from rung.findings.semantics.annotator import annotate
from rung.findings.semantics.checks import Check, Labeler, checks, kept
from rung.findings.semantics.failures import Pattern, patterns
from rung.findings.semantics.record import Line, Recorded, lines
from rung.findings.semantics.standing import Stood, median_lifetime, stood
from rung.findings.semantics.things import things
from rung.findings.semantics.values import FUNCTIONS, RELATIONS, SCOPES, SURFACES, Labels

MOST = 20_000
"""Proposals of one study that are looked at."""

Group: TypeAlias = Literal["relation", "function", "scope", "surface"]
GROUPS: Mapping[Group, Sequence[str]] = {
    "relation": RELATIONS,
    "function": FUNCTIONS,
    "scope": SCOPES,
    "surface": SURFACES,
}


@dataclass(frozen=True, slots=True)
class Annotated:
    """A proposal with its labels, and what became of it; `stood` is None for one that never stood."""

    recorded: Recorded
    labels: Labels
    stood: Stood | None

    @property
    def retained(self) -> bool:
        """Whether it stands in A_T as it was written."""
        return self.stood is not None and self.stood.retained


@dataclass(frozen=True, slots=True)
class Tally:
    """Some proposals counted. `adopted` were in a candidate that was taken over, `retained` stand in A_T as written,
    and `reworded` do in other words. `median_lifetime` is in refinements, None where half are never gone."""

    recorded: int
    adopted: int
    retained: int
    reworded: int
    median_lifetime: float | None
    by_label: Mapping[Group, Mapping[str, tuple[int, int]]] = field(hash=False)
    """Recorded and retained, by label. Functions may add up to more, for a proposal can have several."""

    def rate(self, word: str) -> float | None:
        """The share of all recorded proposals with this relation; None where there are none."""
        return self.by_label["relation"][word][0] / self.recorded if self.recorded else None


@dataclass(frozen=True, slots=True)
class Row:
    """One proposal in words: where it is from, what it says, its labels, and what became of it.

    `fate` is what became of it at once; `lifetime` the refinements through which it stood, None where it never did.
    """

    id: str
    arm: str
    lineage: int
    place: int
    game: str
    path: str | None
    operation: str
    text: str
    relation: str
    of: str | None
    scope: str
    function: tuple[str, ...]
    surface: str
    fate: str
    retained: bool
    lifetime: int | None


def row(found: Annotated) -> Row:
    """A proposal in words."""
    made, labels = found.recorded, found.labels
    return Row(
        id=made.proposal.id,
        arm=made.arm,
        lineage=made.lineage,
        place=made.place,
        game=made.proposal.game,
        path=made.proposal.path,
        operation=made.proposal.operation,
        text=made.proposal.text,
        relation=labels.relation,
        of=labels.of,
        scope=labels.scope,
        function=tuple(each for each in FUNCTIONS if each in labels.function),
        surface=labels.surface,
        fate=made.fate,
        retained=found.retained,
        lifetime=found.stood.lifetime if found.stood is not None else None,
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """What the methods of one arm changed: in all games together, and in each.

    `removed` pieces went without another in their place. `passed_over` proposals were too many to be looked at.
    """

    arm: str
    method: str
    lineages: int
    removed: int
    passed_over: int
    all: Tally
    games: Mapping[str, Tally] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Semantics:
    """The semantic analysis of a study by rules, and how far others who labelled it agree.

    `labelers` are these others. `quoted` are proposals that a report shows: of each failure pattern and arm the first
    that answers it.
    """

    arms: tuple[Changes, ...]
    patterns: tuple[Pattern, ...]
    labelers: tuple[Labeler, ...]
    checks: tuple[Check, ...]
    quoted: Mapping[str, Row] = field(hash=False)


def semantics(journal: Journal) -> Semantics | None:
    """The analysis of a study as it stands; None where nothing was ever proposed."""
    return analysis(journal, annotated(journal))


def analysis(journal: Journal, found: Sequence[tuple[Line, Sequence[Annotated]]]) -> Semantics | None:
    """The analysis of a study whose proposals have been annotated."""
    everything = [each for _, some in found for each in some]
    if not everything:
        return None
    alike = patterns(journal, [each.recorded for each in everything])
    first = {ids[0] for each in alike for ids in each.answers.values()}
    quoted = {each.recorded.proposal.id: row(each) for each in everything if each.recorded.proposal.id in first}
    rules = {each.recorded.proposal.id: each.labels for each in everything}
    others = tuple(labeler for labeler, _ in kept(journal).values())
    return Semantics(tuple(by_arm(found)), alike, others, checks(journal, rules), quoted)


def annotated(journal: Journal) -> list[tuple[Line, list[Annotated]]]:
    """Every proposal of a study with its labels, lineage by lineage."""
    read = _within(lines(journal))
    everything = [each for line in read for each in line.recorded]
    named = things(journal) if everything else {}
    labels = iter(annotate([each.proposal for each in everything], named))
    return [
        (line, [Annotated(each, next(labels), how) for each, how in zip(line.recorded, stood(line), strict=True)])
        for line in read
    ]


def _within(read: Sequence[Line]) -> list[Line]:
    """The lineages with as many proposals as are looked at in one study; the others are counted."""
    left, found = MOST, []
    for line in read:
        kept = line.recorded[:left]
        over = len(line.recorded) - len(kept)
        left -= len(kept)
        found.append(replace(line, recorded=kept, passed_over=line.passed_over + over))
    return found


def by_arm(found: Sequence[tuple[Line, Sequence[Annotated]]]) -> list[Changes]:
    """The proposals counted, arm by arm in the order of their first lineage."""
    made = []
    for arm in dict.fromkeys(line.arm for line, _ in found):
        mine = [(line, some) for line, some in found if line.arm == arm]
        everything = [each for _, some in mine for each in some]
        games = dict.fromkeys(each.recorded.proposal.game for each in everything)
        made.append(
            Changes(
                arm=arm,
                method=next((each.recorded.proposal.method for each in everything), ""),
                lineages=len(mine),
                removed=sum(line.removed for line, _ in mine),
                passed_over=sum(line.passed_over for line, _ in mine),
                all=tally(everything),
                games={
                    game: tally([each for each in everything if each.recorded.proposal.game == game]) for game in games
                },
            )
        )
    return made


def tally(found: Sequence[Annotated]) -> Tally:
    """Some proposals counted."""
    stayed = [each.stood for each in found if each.stood is not None]
    return Tally(
        recorded=len(found),
        adopted=sum(each.recorded.fate == "adopted" for each in found),
        retained=sum(each.retained for each in found),
        reworded=sum(how.reworded for how in stayed),
        median_lifetime=median_lifetime(stayed),
        by_label={group: {word: _counted(found, group, word) for word in words} for group, words in GROUPS.items()},
    )


_HAS: Mapping[Group, Callable[[Labels, str], bool]] = {
    "relation": lambda labels, word: labels.relation == word,
    "function": lambda labels, word: word in labels.function,
    "scope": lambda labels, word: labels.scope == word,
    "surface": lambda labels, word: labels.surface == word,
}


def _counted(found: Sequence[Annotated], group: Group, word: str) -> tuple[int, int]:
    some = [each for each in found if _HAS[group](each.labels, word)]
    return len(some), sum(each.retained for each in some)
