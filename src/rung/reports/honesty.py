"""Was it honest: what the audit found of each arm, and what is left of its gains without what was touched.

An arm is as honest as the worst of its lineages and of the A_0 they are held against. A contaminated one keeps its rows
and its place in every family of claims; its numbers stand in the finding alone, where three are set side by side: the
naive gain, the gain over the pairs that nothing touched, and the bounds it has whatever the touched scores would have
been (anything on the declared scale). Which pairs are touched follows from the evidence and from no score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan

from rung.findings.audit.verdict import Audit
from rung.reports import rungs, trust
from rung.reports.record import Record
from rung.reports.tables import Planned
from rung.reports.values import ArmReport, Corrected, Honesty, Rung
from rung.stats.missing import cover


def marked(found: Record, audit: Audit | None) -> Record:
    """The record, with why the numbers of an arm are none, for each arm that the audit calls contaminated."""
    if audit is None:
        return found
    reasons = {name: tuple(_reasons(found, audit, name)) for name in found.arm_names}
    return replace(found, tainted={name: why for name, why in reasons.items() if why})


def _reasons(found: Record, audit: Audit, name: str) -> Iterator[str]:
    for who in _whos(found, name):
        if audit.word(who) == "contaminated":
            mine = audit.of(who)
            first = next((each for each in mine if each.weight == "proof"), mine[0])
            yield f"{trust.NOT_HONEST}: {who} is contaminated: {first.says} ({first.place})"


def _whos(found: Record, name: str) -> list[str]:
    """The lineages of an arm, and the examinees that they are held against."""
    return [*(f"{name}.L{number}" for number in found.lineages), *found.baselines(name)]


def honesty(found: Record, audit: Audit | None, arms: Sequence[ArmReport]) -> tuple[Honesty, ...]:
    """What the audit says of every arm; nothing where there was none."""
    if audit is None:
        return ()
    return tuple(_of_arm(found, audit, arm) for arm in arms)


def _of_arm(found: Record, audit: Audit, arm: ArmReport) -> Honesty:
    whos = _whos(found, arm.name)
    evidence = audit.of(*whos)
    corrected = [_corrected(found, audit, rung) for rung in arm.rungs if rung.level != "G0"] if evidence else []
    return Honesty(arm.name, audit.word(*whos), {who: audit.word(who) for who in whos}, evidence, tuple(corrected))


def _corrected(found: Record, audit: Audit, rung: Rung) -> Corrected:
    """One row's gain as it came out, without touched pairs, and at worst and at best."""
    places = [task for task in found.exam if task.cell == rung.target]
    before, after = rungs.exams(found, rung.arm, places)
    baselines, numbers = found.baselines(rung.arm), [task.place for task in places]
    touched_before = [audit.touched(who, numbers) for who in baselines]
    touched_after = [audit.touched(f"{rung.arm}.L{number}", numbers) for number in found.lineages]
    early = [_without(row, places, touched) for row, touched in zip(before, touched_before, strict=True)]
    late = [_without(row, places, touched) for row, touched in zip(after, touched_after, strict=True)]
    shared = not found.fresh(rung.arm)
    once = found.about_exam["baseline_repeats"] == found.about_exam["repeats"] == 1
    scale = found.scale(places[0].family)
    left = cover(
        early[0] if shared else early, late, scale=scale, binary=once and scale.unit == "success", shared_before=shared
    )
    pairs = [
        bool({place} & (touched_before[0 if shared else row] | touched))
        for row, touched in enumerate(touched_after)
        for place in numbers
    ]
    return Corrected(rung.level, rung.target, rung.unit, rung.gain, left.dropped, left.bounds, sum(pairs), len(pairs))


def _without(scores: Sequence[float], places: Sequence[Planned], touched: frozenset[int]) -> list[float]:
    return [nan if task.place in touched else score for score, task in zip(scores, places, strict=True)]


def weaknesses(found: Sequence[Honesty]) -> Iterator[str]:
    """What a hostile reader would say of it first."""
    for word in ("contaminated", "suspicious"):
        for each in found:
            if each.word == word and each.evidence:
                first = next((one for one in each.evidence if one.weight == "proof"), each.evidence[0])
                numbers = "Its numbers are withheld. " if word == "contaminated" else ""
                yield (f"The audit finds {each.arm} {word}: {first.says} ({first.place}). {numbers}See: Was it honest?")
