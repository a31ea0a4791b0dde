"""Sentences of an exploring report that several renderers share."""

from collections.abc import Mapping

from rung.core.explore_config import BASELINE_EPISODES
from rung.reports.explore.tables import JUDGES
from rung.reports.explore.values import ArmRow, CurveRow, ExploreReport
from rung.reports.terms import METHODS
from rung.reports.wording import FLAGS, MEANINGS, clean, counted, gain_text

SAID = {
    "improved": "gained on the curve",
    "regressed": "lost on the curve",
    "equivalent": "as good as unchanged",
    "inconclusive": "no gain and no loss is shown",
    "not estimable": "nothing can be said",
    "contaminated": "withheld",
    "incomplete": "too much is missing to say",
}


def size(report: ExploreReport) -> str:
    """What was done, in a line."""
    return (
        f"{counted(len(report.arms), 'pathway')}, {counted(len(report.games), 'game')}, "
        f"{counted(report.lineages, 'lineage')}; {report.episodes} exploration episodes each, "
        f"{report.checkpoint_episodes} strict ones every {report.every}, {report.baseline_episodes} of A_0"
    )


def about(arm: ArmRow) -> str:
    """What a pathway is."""
    over = f" over {arm.model}" if arm.model else ""
    by = f" over {arm.improver}" if arm.improver and arm.improver != arm.model else ""
    variant = f", a variant of {arm.of}" if arm.of else ""
    return (
        f"agent {arm.agent}{over}, method {arm.method}{by}; told the judgement of {JUDGES.get(arm.judge, arm.judge)}"
        f"{variant}; {counted(arm.accepted, 'change')} taken over"
    )


def sentence(row: CurveRow) -> str:
    """A curve in one sentence: the word, the number it rests on, and why not more."""
    why = "; ".join(dict.fromkeys((*row.verdict.reasons, *row.gain.flags)))
    tail = f" ({why})" if why else ""
    return f"{row.game}: {SAID[row.verdict.word]}, {gain_text(row.gain)} {row.unit}{tail}"


def explained(report: ExploreReport) -> Mapping[str, str]:
    """The words, methods and flags of this report, each once."""
    words: dict[str, str] = {word: MEANINGS[word] for word in dict.fromkeys(row.verdict.word for row in report.curves)}
    methods = {
        name: METHODS[name] for name in dict.fromkeys(row.gain.method for row in report.curves) if name in METHODS
    }
    flags = dict.fromkeys(flag for row in report.curves for flag in (*row.verdict.reasons, *row.gain.flags))
    return {**words, **methods, **{flag: FLAGS[flag] for flag in flags if flag in FLAGS}, **TERMS}


TERMS = {
    "A_0": f"the agent as shipped; its episodes are the baseline of every curve, {BASELINE_EPISODES} and more of them",
    "signed gain": "the mean of the curve over its length less its start, losses counted",
    "AUC+": "the area of the curve above its start, what lies below it not counted; above 0 for every noisy agent",
    "NABA": "AUC+ over the start, after S3Gym, whose formula is not printed",
    "by chance": "what an agent that never changes gets, by shuffling attempts and tasks of this very study",
}


def headline(report: ExploreReport) -> str:
    """Whether it is unfinished; nothing where it is whole."""
    return f"incomplete: {counted(len(report.incomplete), 'hole')}" if report.incomplete else ""


def title(report: ExploreReport) -> str:
    """The name, safe to print."""
    return clean(report.name)
