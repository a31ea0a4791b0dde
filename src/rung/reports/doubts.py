"""What weakens a report because models acted in it: which they were, how their calls went, and what they cost."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from rung.reports import economy
from rung.reports.values import Actions, Calls, Failed, LadderReport, ModelUse
from rung.reports.wording import brief, counted, money, percent, quoted

UNREAD = 0.05
"""Share of answers that are no call, above which they are a weakness and not only a number in a table."""

_WORDS = MappingProxyType[Failed, str](
    {
        "EmptyReply": "came to nothing but empty replies",
        "ModelFault": "came to no usable reply",
        "ContextOverflow": "were too long for the model, which ended the attempt",
    }
)
"""What failed calls came to. One refused by a limit is said of its attempt and not of its call."""


def of_toys(report: LadderReport) -> Iterator[str]:
    """Models that are no players."""
    for model in report.models:
        what = {"local": "is no capable player", "scripted": "says what was written down beforehand"}
        provider = model.name.partition("/")[0]
        if provider in what:
            yield (
                f"{brief(model.name)} {what[provider]}: it exercises every code path; its scores say nothing of "
                "language models."
            )


def of_ids(report: LadderReport) -> Iterator[str]:
    """Models that were not one model throughout."""
    for model in report.models:
        if len(model.ids) > 1:
            ids = ", ".join(map(brief, model.ids[:4]))
            yield (
                f"{brief(model.name)} reported {len(model.ids)} ids ({ids}): it may have changed under the study, "
                "and a gain may be that change."
            )


def of_failed_calls(report: LadderReport) -> Iterator[str]:
    """Calls that brought no answer, by what they came to."""
    for name, calls in _callers(report):
        made = sum(each.made for each in calls)
        for error, words in _WORDS.items():
            found = [failure for each in calls for failure in each.failures if failure.error == error]
            if found:
                count = sum(failure.calls for failure in found)
                yield f"{percent(count, made)} model calls of {name} {words}.{quoted(found[0].first)}"


def of_answers(report: LadderReport) -> Iterator[str]:
    """Where a model often wrote what the game could not read: then skill and form cannot be told apart."""
    for name, stage, actions in _actors(report):
        if actions is not None and actions.unread > UNREAD * actions.total:
            yield (
                f"{percent(actions.unread, actions.total)} answers of {name} while {stage} could not be read: a gain "
                "may be in the form of its answers and not in skill."
            )


def of_spending(report: LadderReport) -> Iterator[str]:
    """Arms that had more to spend on improving than others."""
    found = economy.unmatched(report.arms, report.lineages)
    if found is None:
        return
    spelled = {
        name: money(amount) if found.resource == "US dollars" else f"{amount:,.0f}"
        for name, amount in found.amounts.items()
    }
    more = ", ".join(f"{name} {spelled[name]}" for name in found.more[:4])
    yield (
        f"Budgets are not matched: a lineage spent on improving, in {found.resource}: {more}, and {found.least} "
        f"{spelled[found.least]}; a better arm may only be a dearer one."
    )


def of_money(report: LadderReport) -> Iterator[str]:
    """What is not known of dollars and tokens, and by which prices they were counted."""
    for name, calls in _callers(report):
        unmetered, answered = sum(each.unmetered for each in calls), sum(each.answered for each in calls)
        if unmetered:
            yield (
                f"{percent(unmetered, answered)} model calls of {name} were answered without a count of tokens: what "
                "they cost is unknown."
            )
        told = sum(each.told for each in calls)
        if told:
            yield (
                f"{name} tells of {counted(told, 'model call')} made by its own means: they stand outside every "
                "budget, and what they cost is unknown."
            )
    if report.spending is None and any(each.usd is None for _, calls in _callers(report) for each in calls):
        yield "Models were answered for by a recording: what their calls had cost is not known here."
        return
    unpriced = [model for model in report.models if model.priced and model.price is None]
    if unpriced:
        yield f"No price is known of {_named(unpriced)}: dollars are unknown, and tokens alone are counted."
    dates = sorted({model.price.date for model in report.models if model.price is not None})
    if any((each.usd_at_most or 0.0) > 0.0 for _, calls in _callers(report) for each in calls):
        yield (
            f"Dollars are counted by prices as of {', '.join(dates) or 'a day that was not recorded'}; providers "
            "change prices, and may charge for more than tokens."
        )


def _named(models: Sequence[ModelUse]) -> str:
    return ", ".join(brief(model.name) for model in models)


def _callers(report: LadderReport) -> Iterator[tuple[str, list[Calls]]]:
    """Whose model calls there are: those of each arm, then what arms share."""
    costs = [(arm.name, [arm.improving.calls, arm.examining.calls]) for arm in report.arms]
    costs += [(shared_name(one.name, one.stage), [one.cost.calls]) for one in report.shared]
    for name, calls in costs:
        found = [each for each in calls if each is not None]
        if found:
            yield name, found


def _actors(report: LadderReport) -> Iterator[tuple[str, str, Actions | None]]:
    for arm in report.arms:
        yield arm.name, "improving", arm.actions_improving
        yield arm.name, "examining", arm.actions_examining
    for one in report.shared:
        yield shared_name(one.name, one.stage), "working" if one.stage == "improving" else "examining", one.actions


def shared_name(name: str, stage: str) -> str:
    """What arms share, by name and by what it is."""
    return f"{name} (the frozen control)" if stage == "improving" else f"{name} (the agent as shipped)"
