"""What the methods changed, in words, for every renderer (SelfImprove-Bench, Tables 3, 6, 7 and 9)."""

from collections.abc import Iterator, Sequence

from rung.core.values import Estimate
from rung.findings.semantics.counts import GROUPS, Changes, Group, Semantics, Tally
from rung.findings.semantics.failures import NONE, Pattern
from rung.findings.semantics.validation import cited
from rung.reports.wording import clean, counted, number, percent, short

INTRODUCED = (
    "Every change is cut into proposals, the smallest pieces that could be taken over or left out by themselves. "
    "Recorded are all that a method made, also in candidates that were not taken over; retained are those that stand "
    "in A_T as they were written. A proposal is held against what stood before it: it is new, revises or contradicts "
    "something, or says it again. What each label means: docs/guide/annotating.md."
)
SHOWN = 30
"""Failure patterns that are printed; the JSON has them all."""
QUOTED = 160
"""Characters of a proposal that are quoted."""

ARM_HEADS = (
    "arm",
    "game",
    "recorded",
    "taken over",
    "retained",
    "in other words",
    "revised",
    "contradicting",
    "duplicate",
    "half gone after",
)
LABEL_HEADS = ("arm", "game", "question", "label", "recorded", "retained", "share of retained")
CHECK_HEADS = ("labelled by", "and by", "question", "proposals", "same", "any in common", "Jaccard", "kappa")
LABELER_HEADS = ("labelled by", "proposals", "answers not read", "model calls", "tokens", "US dollars")
PATTERN_HEADS = ("game", "attempts", "ended", "refused with", "last reply", "answered by")


def validated() -> str:
    """How far the rules can be believed."""
    return cited()


# --------------------------------------------------------------------------------------------- Tables 3 and 6


def arm_rows(found: Semantics) -> list[tuple[str, ...]]:
    """Recorded and retained, and rates of all recorded, for each arm in all games and in each."""
    rows = []
    for arm in found.arms:
        for game, tally in _games(arm):
            recorded, *rest = _counts(tally)
            over = arm.passed_over if tally is arm.all else 0
            rows.append((arm.arm, game, f"{recorded}{f', and {over:,} not looked at' if over else ''}", *rest))
    return rows


def _games(arm: Changes) -> Iterator[tuple[str, Tally]]:
    yield "all games" if len(arm.games) > 1 else next(iter(arm.games), ""), arm.all
    yield from arm.games.items() if len(arm.games) > 1 else ()


def _counts(tally: Tally) -> tuple[str, ...]:
    relation = tally.by_label["relation"]
    rates = (_share(relation[word][0], tally.recorded) for word in ("revise", "contradict", "duplicate"))
    age = tally.median_lifetime
    gone = "never half" if age is None else counted(int(age), "refinement")
    counts = (tally.recorded, tally.adopted, tally.retained, tally.reworded)
    return (*map(str, counts), *rates, gone if tally.adopted else "none stood")


def _share(n: int, total: int) -> str:
    return percent(n, total) if n else f"0 of {total:,}"


def label_rows(found: Semantics, *, games: bool = True) -> list[tuple[str, ...]]:
    """Recorded and retained by label, and each label's share of what is retained; of arms that proposed something."""
    return [
        (arm.arm, game, group, word, str(recorded), str(retained), _share(retained, tally.retained))
        for arm in found.arms
        for game, tally in (list(_games(arm)) if games else [next(_games(arm))])
        if tally.recorded
        for group in _SHOWN_GROUPS
        for word, (recorded, retained) in tally.by_label[group].items()
    ]


_SHOWN_GROUPS: Sequence[Group] = tuple(group for group in GROUPS if group != "relation")


# --------------------------------------------------------------------------------------------- Table 7


def check_rows(found: Semantics) -> list[tuple[str, ...]]:
    """The agreement of every two labelers on each question."""
    return [
        (
            check.one.name,
            check.other.name,
            each.question,
            str(check.proposals),
            *(_estimate(part) for part in (each.exact, each.any_label, each.jaccard, each.kappa)),
        )
        for check in found.checks
        for each in check.questions
    ]


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "·"
    if estimate.value is None:
        return "not estimable"
    if estimate.lo is None or estimate.hi is None:
        return f"{short(estimate.value)} [no interval]"
    return f"{short(estimate.value)} [{short(estimate.lo)}, {short(estimate.hi)}]"


def labeler_rows(found: Semantics) -> list[tuple[str, ...]]:
    """Who labelled, and what asking a model took: a cost of the instrument, in no arm's account."""
    rows: list[tuple[str, ...]] = []
    for each in found.labelers:
        spent = "unknown" if each.usd is None else number(each.usd)
        asked = (str(each.unread), str(each.calls), f"{each.tokens:,}", spent) if each.kind == "model" else ("·",) * 4
        rows.append((f"{each.name} ({each.kind})", str(each.labelled), *asked))
    return rows


# --------------------------------------------------------------------------------------------- Table 9


def pattern_rows(found: Semantics) -> list[tuple[str, ...]]:
    """What failing attempts have in common, and the first proposal of each arm in answer."""
    return [
        (each.game, str(each.attempts), each.status, _reply(each.refused), _reply(each.last), _answered(each, found))
        for each in found.patterns[:SHOWN]
    ]


def _reply(text: str) -> str:
    return "·" if text == NONE else text


def _answered(pattern: Pattern, found: Semantics) -> str:
    said = []
    for arm, ids in pattern.answers.items():
        first = found.quoted[ids[0]]
        text = " ".join(first.text.split())
        cut = text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…"
        said.append(f"{arm}, {counted(len(ids), 'proposal')}: {cut} [{first.surface}]")
    return "; ".join(said) or "nothing was proposed"


# --------------------------------------------------------------------------------------------- a terminal


def lines(found: Semantics | None) -> Iterator[str]:
    """A line of each arm, for the short report."""
    for arm in found.arms if found is not None else ():
        yield f"{clean(arm.arm)} changed: {summary(arm)}"


def summary(arm: Changes) -> str:
    """An arm's changes in a line."""
    tally = arm.all
    if not tally.recorded:
        return "nothing was proposed"
    rates = ", ".join(
        f"{_share(tally.by_label['relation'][word][0], tally.recorded)} {said}"
        for word, said in (("revise", "revised"), ("duplicate", "duplicate"))
    )
    most = max(GROUPS["surface"], key=lambda word: tally.by_label["surface"][word][0])
    return f"{counted(tally.recorded, 'proposal')}, {tally.retained} retained; {rates}; mostly {most}"
