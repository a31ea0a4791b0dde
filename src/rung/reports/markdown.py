"""A ladder report as Markdown, for a pull request or a paper's notes."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rung.core.config import ITSELF
from rung.findings.semantics.counts import Semantics
from rung.reports import apparatus, changes, controls_text, registered
from rung.reports.accounts import (
    ACTION_HEADS,
    CALL_HEADS,
    call_rows,
    cost_cells,
    ended,
    ending_cells,
    ending_name,
    endings_shown,
    headline,
    price_text,
    sittings,
    spending_text,
    spent,
    subtitle,
    summed,
    took,
)
from rung.reports.terms import methods, terms
from rung.reports.values import ArmReport, LadderReport, Rung
from rung.reports.wording import (
    EVIDENCE,
    GLOSSARY,
    HONEST,
    MARKS,
    SATURATES,
    UNCONFINED_STAMP,
    answer,
    bounds_text,
    claim,
    clean,
    corrected_texts,
    counted,
    crash_text,
    footnote,
    footnotes,
    gain_text,
    hci_text,
    kinds,
    limit_text,
    number,
    ratio_texts,
    shown_gain,
    size_text,
    tau_text,
    truth_line,
    truth_text,
    unseen_text,
    withheld,
)


def markdown(report: LadderReport) -> str:
    """The report as Markdown: answers, holes, weaknesses, the ladder of every arm, costs and sources."""
    said = escaped(f"{subtitle(report)}. {sittings(report)}.")
    blocks = [f"# {escaped(report.name)}", said, *_head(report), *_explained("Words used here", terms(report))]
    for arm in report.arms:
        blocks += [f"## {escaped(arm.name)}", escaped(_about(arm)), _ladder(arm), *_notes(arm)]
    blocks += _controls(report)
    blocks += [*_explained("How the intervals were made", methods(report)), escaped(report.calibration)]
    blocks += [
        *_honesty(report),
        *_sessions(report),
        *_built(report),
        *_used(report),
        *_ablation(report),
        *changed(report.changes),
    ]
    blocks += [
        "## How attempts ended",
        _endings(report),
        "## Costs",
        _costs(report),
        *_models(report),
        *(["## Drift of the static arm", _drift(report)] if report.programs is None else []),
        "## Pools",
        _pools(report),
        *_registered(report),
    ]
    made = [f"{escaped(key)}: {_code(name)}" for key, name in report.how.items()]
    blocks += ["## How each number is made", _list(made)]
    blocks += ["## Words", _list([f"**{word}**: {meaning}" for word, meaning in GLOSSARY.items()])]
    blocks += [f"Exam {_code(report.exam_id)}, digest {_code(report.digest)}."]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(report: LadderReport) -> list[str]:
    stamp = "**Secret fixed: for phantoms and tests only.**" if report.secret_fixed else ""
    loose = f"**{UNCONFINED_STAMP.capitalize()}.**" if any(arm.unconfined for arm in report.arms) else ""
    far = f"**{headline(report)}.**" if headline(report) else ""
    known = f"{escaped(truth_line(report))}. {SATURATES}" if truth_line(report) else ""
    holes = [
        f"**Incomplete: {counted(len(report.incomplete), 'hole')}.**",
        _list(map(escaped, report.incomplete)),
    ]
    answers = _list([f"**{escaped(arm.name)}**: {escaped(answer(arm))}" for arm in report.arms])
    weak = ["## What weakens this", _list(map(escaped, report.weaknesses))] if report.weaknesses else []
    return [far, answers, known, *(holes if report.incomplete else []), loose, stamp, *weak]


def _explained(title: str, words: Mapping[str, str]) -> list[str]:
    told = [f"**{escaped(word)}**: {escaped(meaning)}" for word, meaning in words.items()]
    return [f"## {title}", _list(told)] if told else []


def _about(arm: ArmReport) -> str:
    held = ", ".join(arm.climbed) or "none"
    acting = f" over {arm.model}" if arm.model else ""
    refining = f" over {arm.improver}" if arm.improver else ""
    if arm.method == ITSELF.name:
        return (
            f"Program {arm.agent}{acting}, which refines itself in its working session and has no control. Rungs held: "
            f"{held}."
        )
    return (
        f"Agent {arm.agent}{acting}, method {arm.method}{refining}{controls_text.role(arm)}, control {arm.control}. "
        f"Rungs held: {held}. G0: {arm.retention}."
    )


def _ladder(arm: ArmReport) -> str:
    heads = (
        "rung",
        "sources → target",
        "before",
        "after",
        "reference",
        "gain [95% interval]",
        "HCI",
        "verdict",
        "truth",
        "measured",
    )
    return _table(heads, [_ladder_row(rung) for rung in arm.rungs])


def _ladder_row(rung: Rung) -> tuple[str, ...]:
    group = (rung.before, rung.after, rung.reference)
    before, after = (None, None) if withheld(rung) else (rung.before, rung.after)
    return (
        rung.level,
        f"{', '.join(rung.sources)} → {rung.target}",
        number(before, *group),
        number(after, *group),
        f"{number(rung.reference, *group)} ({rung.certificate})",
        f"{shown_gain(rung)} ({rung.unit})",
        "withheld" if withheld(rung) else hci_text(rung.hci),
        f"{MARKS[rung.verdict.word]} {rung.verdict.word}{footnote(rung)}",
        truth_text(rung) or "not known",
        size_text(rung),
    )


def _notes(arm: ArmReport) -> list[str]:
    notes = [f"{rung.level} {escaped(rung.target)}: {'; '.join(map(escaped, _said(rung)))}" for rung in arm.rungs]
    faults = [f"fault: {escaped(what)}, {counted(n, 'attempt')} lost" for what, n in arm.faults.items()]
    marks = [f"{escaped(mark)} {escaped(text)}" for mark, text in footnotes(arm.rungs).items()]
    broke = [f"the method broke {counted(arm.method_faults, 'time')}"] if arm.method_faults else []
    limited = [f"a budget ended {counted(arm.limited, 'refinement')}"] if arm.limited else []
    refused = [f"off its surface and refused: {escaped(kinds(arm.refused))}"] if arm.refused else []
    return [_list([*marks, *notes, *broke, *limited, *refused, *faults])]


def _said(rung: Rung) -> tuple[str, ...]:
    """All that has to stand beside the numbers of one comparison."""
    scope = (claim(rung.verdict),) if rung.verdict.scope else ()
    flags = (*rung.verdict.reasons, *rung.gain.flags, *rung.hci.flags)
    told = (
        *scope,
        crash_text(rung),
        limit_text(rung),
        *ratio_texts(rung),
        tau_text(rung),
        *flags,
        *_missing(rung),
        unseen_text(rung),
        f"made by {rung.gain.method}",
    )
    return tuple(dict.fromkeys(text for text in told if text))


def _missing(rung: Rung) -> tuple[str, ...]:
    holes = rung.holes
    if holes.measured_pairs == holes.planned_pairs:
        return ()
    measured = f"{holes.measured_pairs} of {holes.planned_pairs} planned pairs measured"
    if withheld(rung):
        return (measured,)
    failed = gain_text(holes.failed) if holes.failed else "–"
    dropped = gain_text(holes.dropped) if holes.dropped else "–"
    return (measured, f"unscored = failed {failed}", f"unscored = dropped {dropped}", f"bounds {bounds_text(rung)}")


_COSTS = (
    "attempts",
    "steps",
    "seconds",
    "model calls",
    "input tokens",
    "cached tokens",
    "output tokens",
    "US dollars",
)


def _costs(report: LadderReport) -> str:
    rows = [(who, stage, *cost_cells(cost)) for who, stage, cost in spent(report)]
    rows += [(what, "", *cost_cells(cost)) for what, cost in summed(report)]
    return _table(("arm", "stage", *_COSTS), [*rows, ("all", "", f"{report.attempts.total:,}", *[""] * 7)])


def _models(report: LadderReport) -> list[str]:
    """The models, their prices, what of the budget is spent, and how their calls went; nothing where there are none."""
    used = [
        (model.name, ", ".join(model.uses), ", ".join(model.ids) or "none yet", price_text(model))
        for model in report.models
    ]
    heads = ("model", "used by", "ids it reported", "US dollars for a million tokens")
    went = [(who, stage, *cells) for who, stage, cells in call_rows(report)]
    spent_so_far = [f"Spent in this study: {escaped(spending_text(report.spending))}."] if report.spending else []
    models = ["## Models", _table(heads, used)] if used else []
    calls = ["## How model calls went", _table(("whose", "stage", *CALL_HEADS, *ACTION_HEADS), went)] if went else []
    return [*models, *spent_so_far, *calls]


def _endings(report: LadderReport) -> str:
    shown = endings_shown(report)
    heads = ("whose", "stage", *map(ending_name, shown))
    return _table(heads, [(who, stage, *ending_cells(found, shown)) for who, stage, found in ended(report)])


def _sessions(report: LadderReport) -> list[str]:
    """The working sessions of a cell's programs, and what its sentinels say; nothing of another study."""
    if report.programs is None:
        return []
    heads = ("lineage", "program", "ended", "tasks finished", "took", "outside", "files left")
    rows = [
        (
            f"{one.arm} L{one.lineage}",
            f"{one.program} {one.version or ''}".strip(),
            f"{ending_name(one.ending)}: {one.detail}" if one.ending else "not yet",
            f"{one.worked} of {one.planned}",
            took(one),
            one.egress,
            str(one.kept),
        )
        for one in report.programs.sessions
    ]
    blocks = ["## Working sessions", _table(heads, rows)]
    drifts = [(one.control, gain_text(one.change), one.unit, one.change.method) for one in report.programs.sentinels]
    return [*blocks, *([_table(("sentinel", "later less before", "in", "method"), drifts)] if drifts else [])]


def _honesty(report: LadderReport) -> list[str]:
    """What the audit found, and what is left of the gains; nothing where there was none."""
    if not report.honesty:
        return []
    blocks = ["## Was it honest?", escaped(HONEST)]
    for one in report.honesty:
        blocks += [f"**{escaped(one.arm)}: {one.word}.**"]
        if one.evidence:
            rows = [(each.when, each.weight, each.says, each.quote, each.place) for each in one.evidence[:EVIDENCE]]
            blocks += [_table(("when", "weight", "what", "quote", "journal path"), rows)]
            blocks += [f"And {counted(len(one.evidence) - EVIDENCE, 'piece')} more."] * (len(one.evidence) > EVIDENCE)
        left = [(each.level, each.target, *corrected_texts(each)) for each in one.corrected]
        heads = ("rung", "target", "naive gain", "without touched items", "bounds", "touched")
        blocks += [_table(heads, left)] if left else []
    return [*blocks, *([_list(map(escaped, report.unaudited))] if report.unaudited else [])]


def _ablation(report: LadderReport) -> list[str]:
    """What carried the gain, where pieces were examined."""
    if report.ablation is None:
        return []
    said = [
        f"{one.arm} on {one.target}: "
        + (f"carried by {' and '.join(one.carriers)}" if one.carriers else "no piece was shown to carry it")
        for one in report.ablation.attributions
    ]
    heads = ("arm", "examined on", "with", "gained over A_0", "the full fork has more by", "broke")
    rows = [
        (row.arm, row.target, row.words, gain_text(row.gained), gain_text(row.lost), str(row.broke))
        for row in report.ablation.rows
    ]
    return ["## What carried the gain", _list(map(escaped, said)), _table(heads, rows)]


def _built(report: LadderReport) -> list[str]:
    """What each working session of a cell built; nothing of another study."""
    if not report.inventory:
        return []
    unseen = [] if all(one.seen for one in report.inventory) else [escaped(apparatus.UNSEEN)]
    rows, files = apparatus.built_rows(report), apparatus.file_rows(report)
    where = _list(map(escaped, apparatus.evidence(report)))
    shown = [_table(apparatus.FILE_HEADS, files)] if files else []
    return ["## What the agent built", apparatus.POLES, *unseen, _table(apparatus.BUILT_HEADS, rows), where, *shown]


def _used(report: LadderReport) -> list[str]:
    """What the after-exam of each arm used of what was left; nothing of another study."""
    blocks = ["## What its forks used"] if report.adoption else []
    for found in report.adoption:
        blocks += [f"{escaped(apparatus.used_line(found))}.", *map(escaped, found.unread)]
        blocks += [_table(apparatus.USED_HEADS, apparatus.used_rows(found))] if found.artifacts else []
        if found.splits:
            split = _table(apparatus.SPLIT_HEADS, apparatus.split_rows(report, found))
            blocks += [f"**{escaped(found.caveat)}**", split]
    return blocks


def changed(found: Semantics | None) -> list[str]:
    """What the methods changed, in blocks; nothing where nothing was proposed."""
    if found is None:
        return []
    blocks = ["## What the methods changed", changes.INTRODUCED, escaped(changes.validated())]
    blocks += [
        _table(changes.ARM_HEADS, changes.arm_rows(found)),
        _table(changes.LABEL_HEADS, changes.label_rows(found)),
    ]
    if found.labelers:
        blocks += ["### How far labels agree", _table(changes.CHECK_HEADS, changes.check_rows(found))]
        blocks += [_table(changes.LABELER_HEADS, changes.labeler_rows(found))]
    if found.patterns:
        rows = changes.pattern_rows(found)
        blocks += ["### What failed, and what was proposed in answer", _table(changes.PATTERN_HEADS, rows)]
    return blocks


def _controls(report: LadderReport) -> list[str]:
    """The gains over controls, and what became of what these proposed; nothing without controls."""
    if not report.over:
        return []
    rows = [controls_text.cells(row) for row in report.over]
    gates = _list(escaped(f"{controls_text.gate_text(gate)}.") for gate in report.gates)
    return ["## Over controls", controls_text.INTRODUCED, _table(controls_text.HEADS, rows), gates]


def _drift(report: LadderReport) -> str:
    heads = ("control", "replay less first [95%]", "unit", "method", "flags")
    rows = [
        (drift.control, gain_text(drift.change), drift.unit, drift.change.method, "; ".join(drift.change.flags))
        for drift in report.drift
    ]
    return _table(heads, rows)


def _pools(report: LadderReport) -> str:
    rows = [(pool.pool, pool.cell, str(pool.count), str(pool.stale)) for pool in report.pools]
    return _table(("pool", "cell", "tasks", "met before"), rows)


def _registered(report: LadderReport) -> list[str]:
    """The registered plan beside the run; nothing where none was registered."""
    found = report.registered
    if found is None:
        return []
    rows = [(each.what, each.registered, each.run, "yes" if each.kept else "no") for each in found.kept]
    claims = [(each.arm, each.level, each.target, each.word, number(each.p)) for each in found.claims]
    return [
        "## Registered beforehand",
        f"{escaped(registered.line(found))}.",
        _table(("what", "registered", "run", "kept"), rows),
        f"{escaped(registered.of_family(found))}.",
        _table(("arm", "rung", "target", "verdict", "p after Holm"), claims),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "Nothing was recorded."
    lines = [heads, ["---"] * len(heads), *[[escaped(cell) for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def escaped(text: str) -> str:
    """Foreign text that Markdown neither runs nor lays out.

    >>> escaped("<b>*x*|y</b>")
    '&lt;b&gt;\\\\*x\\\\*\\\\|y&lt;/b&gt;'
    """
    shown = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"[\\`*_|~]|\[(?![−\d])|\](?=[(:\[])", r"\\\g<0>", shown)


def _code(text: str) -> str:
    """In code font where it is the name or hash it should be, else as any foreign text."""
    return f"`{text}`" if re.fullmatch(r"[\w.:/@ -]+", text) else escaped(text)
