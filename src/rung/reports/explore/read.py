"""The report of an exploring study as values: from the journal to curves, words, judging, and what weakens them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Any, cast

import numpy as np

from rung.core.ports import Journal
from rung.core.values import Estimate
from rung.findings.judging import Judged, judged, judgings, span
from rung.findings.self_testing import self_testings
from rung.findings.semantics.counts import semantics
from rung.findings.transitions import Course
from rung.reports import books, models, tables
from rung.reports.books import Books, Place
from rung.reports.explore import decisions, shuffles
from rung.reports.explore.couplings import coupled
from rung.reports.explore.record import Record, record
from rung.reports.explore.scores import Scores, left_out
from rung.reports.explore.values import ArmRow, CurveRow, ExploreReport, Point, Standing, Versus
from rung.reports.explore.weaknesses import weaknesses
from rung.reports.values import Cost, Pool, Quote
from rung.reports.wording import UNCONFINED
from rung.stats.multiplicity import planned
from rung.stats.verdict import ALPHA, evidence, judge

HOW = {
    "Avg., Max., AUC+, NABA and their nulls": "rung.reports.explore.shuffles.described",
    "signed gain": "rung.reports.explore.decisions.found_in",
    "p by swapping attempts with those of A_0": "rung.reports.explore.decisions.swapped",
    "word": "rung.reports.explore.decisions.verdict",
    "Holm's p": "rung.stats.multiplicity.planned",
    "slope": "rung.reports.explore.decisions.rising",
    "Delta_Final": "rung.reports.explore.decisions.final",
    "agreement, over, under, kappa, NMAE": "rung.stats.judging.judging",
    "self-testing": "rung.findings.self_testing.self_testings",
    "coupling, gaps of thirds": "rung.reports.explore.couplings.coupled",
    "reliability of steps": "rung.reports.explore.couplings.reliability",
    "proposals: recorded, retained, rates": "rung.findings.semantics.counts.by_arm",
    "agreement of labels, kappa": "rung.findings.semantics.agreement.agreement",
    "digest": "rung.core.ports.Journal.digest",
}
"""Each printed number and the function that makes it, whose docstring has formula, unit and source."""


def read(journal: Journal, *, provenance: Mapping[str, Any] | None = None) -> ExploreReport:
    """The report of an exploring study, finished or not; what is missing is named."""
    found = record(journal)
    noted = books.read(journal, found.rows, modelled=_modelled(found))
    curves = _judged_together([_curve(found, arm, game) for arm in found.arm_names for game in found.games])
    versus = _versus(found)
    explored = [
        found.courses[arm, game, lineage]
        for arm in found.arm_names
        for game in found.games
        for lineage in found.lineages
        if (arm, game, lineage) in found.courses
    ]
    report = ExploreReport(
        name=found.config["name"],
        incomplete=tuple(_incomplete(found)),
        weaknesses=(),
        lineages=len(found.lineages),
        episodes=found.how.episodes,
        every=found.how.checkpoint_every,
        checkpoint_episodes=found.how.checkpoint_episodes,
        baseline_episodes=found.how.sealed * int(found.about_exam["baseline_repeats"]),
        games=tuple(found.games),
        settings={game.family: (game.explore, game.evaluate) for game in found.how.games},
        arms=tuple(_arm(journal, found, noted, name) for name in found.arm_names),
        curves=tuple(curves),
        family=len(curves),
        judging=judgings(journal, explored),
        judging_by_game=tuple(_by_game(found, explored)),
        testing=self_testings(journal, explored),
        coupling=coupled(
            found.courses,
            found.scores,
            every=found.how.checkpoint_every,
            scales={game: found.scale(game) for game in found.games},
            spans={game: span(found.families[game].get("reward")) for game in found.games},
        ),
        versus=tuple(versus),
        standing=tuple(_standing(found, curves, versus)),
        baseline_cost=_cost(noted, found, lambda who: who.startswith("A0.")),
        pools=tuple(Pool(**pool) for pool in tables.plan_fact(journal, "freshness")),
        exam_id=found.about_exam["id"],
        digest=journal.digest(),
        secret_fixed=bool(found.config["secret_fixed"]),
        how=HOW,
        config=found.config,
        provenance=dict(provenance or {}),
        changes=semantics(journal),
    )
    return replace(report, weaknesses=tuple(weaknesses(report)))


def _modelled(found: Record) -> bool:
    parts = [part for arm in found.config["arms"] for part in (arm["agent"], arm["method"])]
    return any(part.get("model") for part in parts) or bool(found.how.judge)


# --------------------------------------------------------------------------------------------- one curve


def _curve(found: Record, arm: str, game: str) -> CurveRow:
    scores, scale = found.scores[arm, game], found.scale(game)
    weight = decisions.found_in(scores)
    word = decisions.verdict(scores, weight, scale=scale)
    slope = decisions.rising(scores)
    points = tuple(_points(scores))
    later = [point for point in points if point.mean is not None]
    return CurveRow(
        arm=arm,
        game=game,
        unit=scale.unit,
        lineages=scores.lineages,
        tasks=weight.estimate.n_tasks,
        baseline=_known(scores.start),
        baseline_attempts=int((~np.isnan(scores.baseline)).sum()),
        points=points,
        left_out=left_out(scores),
        described=shuffles.described(scores, step=found.step(game), seed=decisions.SEED.child(arm, game)),
        gain=_flagged(weight.estimate, found.arms[arm]),
        lineage_gains=decisions.lineage_gains(scores),
        p=decisions.p_of(scores, weight),
        holm=None,
        alone=word,
        verdict=word,
        slope=slope,
        slope_word=decisions.words(slope),
        final=decisions.final(scores),
        post_mean=sum(cast(float, point.mean) for point in later) / len(later) if later else None,
        above=sum(point.start is not None and cast(float, point.mean) > point.start for point in later),
        points_n=len(later),
    )


def _points(scores: Scores) -> list[Point]:
    points = []
    for each in scores.checkpoints:
        measured = ~np.isnan(each.after)
        own = [
            float(row[there].mean()) if there.any() else None for row, there in zip(each.after, measured, strict=True)
        ]
        known = [value for value in own if value is not None]
        scored = int((~np.isnan(each.attempts)).sum())
        starts = scores.start_means[list(each.places)]
        start = starts[~np.isnan(starts)]
        mean = sum(known) / len(known) if known else None
        points.append(Point(each.x, mean, tuple(own), float(start.mean()) if len(start) else None, scored))
    return points


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def _judged_together(rows: Sequence[CurveRow]) -> list[CurveRow]:
    """The words that stand after Holm's correction over every arm and game."""
    p = {row.name: None if row.verdict.word in ("incomplete", "not estimable") else row.p for row in rows}
    holm = planned(p, list(p))
    return [replace(row, holm=holm[row.name], verdict=decisions.carried(row.alone, holm[row.name])) for row in rows]


# --------------------------------------------------------------------------------------------- over curves


def _by_game(found: Record, explored: Sequence[Course]) -> list[Judged]:
    """The agents' own judging in each game over all pathways, as the paper's Table 5 has it."""
    rows = []
    for game in found.games:
        mine = [each for each in explored if each.game == game]
        if mine:
            rows.append(replace(judged(mine, scale=span(found.families[game].get("reward"))), arm="all pathways"))
    return rows


def _versus(found: Record) -> list[Versus]:
    """Every two pathways in every game."""
    rows = []
    for one, other in combinations(found.arm_names, 2):
        for game in found.games:
            rows.append(_against(found, one, other, game))
    return rows


def _against(found: Record, one: str, other: str, game: str) -> Versus:
    first, second = found.scores[one, game], found.scores[other, game]
    pairs = [
        (a, b)
        for lineage in range(first.lineages)
        if (a := shuffles.naba_of(first, lineage, step=found.step(game))) is not None
        and (b := shuffles.naba_of(second, lineage, step=found.step(game))) is not None
    ]
    apart = [round(a - b, 12) for a, b in pairs]
    difference = decisions.weighed(first) - decisions.weighed(second)
    weight = evidence(difference, binary=False, shared_before=False, seed=decisions.SEED.child(one, other, game))
    return Versus(
        one=one,
        other=other,
        game=game,
        pairs=len(pairs),
        wins=sum(each > 0 for each in apart),
        losses=sum(each < 0 for each in apart),
        ties=sum(each == 0 for each in apart),
        naba=sum(apart) / len(apart) if apart else None,
        difference=weight.estimate,
        p=weight.p,
        verdict=judge(weight),
    )


def _standing(found: Record, curves: Sequence[CurveRow], versus: Sequence[Versus]) -> list[Standing]:
    games = {
        game: ([row for row in curves if row.game == game], [pair for pair in versus if pair.game == game])
        for game in found.games
    }
    return [
        Standing(
            arm,
            {game: _ranks(arm, rows, pairs) for game, (rows, pairs) in games.items()},
            sum(row.arm == arm and row.verdict.word == "improved" for row in curves),
            sum(row.arm == arm and row.verdict.word == "regressed" for row in curves),
            len(found.games),
        )
        for arm in found.arm_names
    ]


def _ranks(arm: str, rows: Sequence[CurveRow], pairs: Sequence[Versus]) -> tuple[int, int] | None:
    """From 1 and the number that surely gained more, to all but those that surely gained less."""
    known = [row.arm for row in rows if row.gain.value is not None]
    if arm not in known:
        return None
    signs = [_sign(arm, pair, len(pairs)) for pair in pairs if arm in (pair.one, pair.other)]
    return 1 + signs.count(-1), len(known) - signs.count(1)


def _sign(arm: str, pair: Versus, pairs: int) -> int:
    """1 where the arm surely gained more than the other, -1 where surely less, else 0: 5% are shared among the pairs of
    a game, so that all ranks of it hold together (as in `rung.reports.compare.ranks`)."""
    value = pair.difference.value
    if pair.verdict.word not in ("improved", "regressed") or value is None or pair.p is None or pair.p > ALPHA / pairs:
        return 0
    return 1 if (value > 0) == (arm == pair.one) else -1


# --------------------------------------------------------------------------------------------- arms and costs


def _flagged(gain: Estimate, about: Mapping[str, Any]) -> Estimate:
    """A gain of an arm in which a model's code was confined by nothing says so."""
    return replace(gain, flags=(*gain.flags, UNCONFINED)) if about.get("confined") == "unsafe" else gain


def _arm(journal: Journal, found: Record, noted: Books, name: str) -> ArmRow:
    about = found.about(name)
    acting, refining = models.named(about)
    accepted, refused = 0, list[Quote]()
    for game in found.games:
        for kind in ("refined", "selected"):
            for fact in journal.facts(under=f"{name}.{game}", kind=kind):
                value = cast("Mapping[str, Any]", fact.value)
                accepted += value.get("chosen") is not None
                why = value.get("skipped") or (value.get("fault") or {}).get("detail") or value.get("limit")
                refused += [Quote(fact.path, str(why))] if why else []
    mine = [row for row in found.rows if _belongs(row.who, name)]
    return ArmRow(
        name=name,
        agent=about["agent"]["kind"],
        method=about["method"]["name"],
        model=acting,
        improver=refining,
        judge=str(found.arms[name].get("judge", "itself")),
        of=about.get("of"),
        unconfined=found.arms[name].get("confined") == "unsafe",
        accepted=accepted,
        refused=len(refused),
        first_refused=refused[0] if refused else None,
        faults=dict(Counter(row.fault for row in mine if row.fault)),
        exploring=_cost(noted, found, lambda who: _belongs(who, name), stage="improving"),
        examining=_cost(noted, found, lambda who: _belongs(who, name), stage="examining"),
    )


def _belongs(who: str, name: str) -> bool:
    """Whether a course (`history.trust-v1`) or an examinee (`history.trust-v1.L1.x0003`) is of this arm."""
    return who.partition(".")[0] == name


def _cost(noted: Books, found: Record, of: Any, *, stage: str | None = None) -> Cost:
    def wanted(place: Place) -> bool:
        return of(place.who) and stage in (None, place.stage)

    rows = [row for row in found.rows if of(row.who) and stage in (None, row.stage)]
    return Cost(len(rows), sum(row.steps for row in rows), noted.seconds_of(wanted), noted.calls(wanted))


# --------------------------------------------------------------------------------------------- what is missing


def _incomplete(found: Record) -> list[str]:
    """What is missing, by name."""
    lines = []
    for (arm, game), scores in found.scores.items():
        for lineage in found.lineages:
            reached = found.reached.get((arm, game, lineage), 0)
            cut = found.cuts.get((arm, game, lineage))
            if reached < found.how.checkpoints:
                why = f"ended by a budget: {cut}" if cut else "not there yet"
                lines.append(f"{arm} on {game} L{lineage}: {reached} of {found.how.checkpoints} checkpoints ({why})")
        after = np.concatenate([each.after for each in scores.checkpoints], axis=1)
        holes = int(np.isnan(after).sum())
        if holes:
            lines.append(f"{arm} on {game}: {holes} of {after.size} scores of checkpoints not measured")
    for game in found.games:
        baseline = found.scores[found.arm_names[0], game].baseline
        holes = int(np.isnan(baseline).sum())
        if holes:
            lines.append(f"baseline on {game}: {holes} of {baseline.size} scores not measured")
    return lines
