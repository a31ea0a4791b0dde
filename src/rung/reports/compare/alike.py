"""Whether runs may be held against each other: what is refused, what the caller may go past, and what is flagged.

Scores are comparable where the freeze record is equal: tasks, model as reported, decoding, limits, tools, references.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rung.core.errors import UsageError
from rung.reports.compare import drift as drifting
from rung.reports.compare.exams import Measured
from rung.reports.compare.runs import Arm, Run
from rung.reports.compare.values import Drift, Entrant
from rung.reports.economy import MATCHED, Resource, Unmatched
from rung.reports.wording import brief, money
from rung.stats import flags as say

MEND = (
    "Examine both in one run ([[arms]]), which interleaves its exam; --despite-drift prints the comparison all the "
    "same, stamped"
)


@dataclass(frozen=True, slots=True)
class Unlike:
    """One thing that is not the same in two runs: the topic in a word or two, and the whole of it in a sentence."""

    topic: str
    runs: tuple[str, str]
    text: str


# --------------------------------------------------------------------------------------------- the exam


def shared_cells(runs: Sequence[Run]) -> list[str]:
    """The cells whose tasks are the same in all runs; raises `UsageError` where there is none.

    A task's id is a hash of its family, setting, seed and constants, and exam seeds hang under a secret: equal ids are
    equal tasks.
    """
    first = runs[0]
    cells = [cell for cell in first.cells if all(_tasks(run, cell) == _tasks(first, cell) for run in runs[1:])]
    if not cells:
        other = next(
            run for run in runs[1:] if not any(_tasks(run, cell) == _tasks(first, cell) for cell in first.cells)
        )
        raise UsageError(
            f"{first.label} and {other.label} sat different exams, and have no row in common: "
            f"{'; '.join(unlike_exams(first, other))}. To sit the exam of another run: rung run CONFIG --exam-of RUN, "
            "with the same [exam] and tasks.holdout"
        )
    return cells


def _tasks(run: Run, cell: str) -> list[str]:
    return [task.task for task in run.cell(cell)]


def unlike_exams(one: Run, two: Run) -> Iterator[str]:
    """In what two exams differ."""
    only = sorted({*one.cells} ^ {*two.cells})
    if only:
        yield f"one alone examines {', '.join(only)}"
    for cell in sorted({*one.cells} & {*two.cells}):
        mine, other = {*_tasks(one, cell)}, {*_tasks(two, cell)}
        if mine != other:
            yield f"{len(mine & other)} tasks of {cell} are in both, of {len(mine)} and {len(other)}"
    for key in ("repeats", "baseline_repeats"):
        if one.found.about_exam[key] != two.found.about_exam[key]:
            yield f"{key} are {one.found.about_exam[key]} and {two.found.about_exam[key]}"
    for key in ("order", "reruns"):
        if one.found.config["exam"][key] != two.found.config["exam"][key]:
            yield f"{key} is {one.found.config['exam'][key]} and {two.found.config['exam'][key]}"


# --------------------------------------------------------------------------------------------- refused


def refusals(runs: Sequence[Run], drifts: Sequence[Drift]) -> list[Unlike]:
    """What forbids a comparison across runs: one declared A_0 that is not one agent, or did not score as one."""
    found = [
        Unlike("drift", (each.earlier, each.later), drifting.said(each)) for each in drifts if each.word == "drifted"
    ]
    for one, other in combinations(runs, 2):
        found += [Unlike("another model", (one.label, other.label), text) for text in _renamed(one, other)]
        found += [Unlike("isolation", (one.label, other.label), text) for text in _freed(one, other)]
    return found


def _freed(one: Run, other: Run) -> Iterator[str]:
    """Programs that ran in no sandbox, against programs that did."""
    for loose, held in ((one, other), (other, one)):
        if "unsafe" in loose.confined and held.confined and "unsafe" not in held.confined:
            yield (
                f"programs of {loose.label} ran in no sandbox, where the exam lay open to them, and those of "
                f"{held.label} in {', '.join(held.confined)}: the scores are not of one thing"
            )


def refuse(found: Sequence[Unlike]) -> None:
    """Refuse to go on; raises `UsageError` with everything that was found."""
    if found:
        loose = " Run both in a sandbox." if any(each.topic == "isolation" for each in found) else ""
        raise UsageError(f"{'; '.join(each.text for each in found)}.{loose} {MEND}")


def _renamed(one: Run, other: Run) -> Iterator[str]:
    """Models of an A_0 that both declare alike, which reported other ids."""
    shared = {*one.found.exams} & {*other.found.exams}
    acting = {arm.report.model for arm in _arms(one) if arm.beginning in shared} - {None}
    ids = [{model.name: model.ids for model in run.report.models} for run in (one, other)]
    for name in sorted(model for model in acting if model is not None):
        mine, theirs = (set(each.get(name, ())) for each in ids)
        if mine and theirs and mine != theirs:
            yield (
                f"{one.label} and {other.label} declare the same A_0 over {brief(name)}, which reported "
                f"{_listed(mine)} in {one.label} and {_listed(theirs)} in {other.label}: two models are not one agent"
            )


def _listed(ids: set[str]) -> str:
    return ", ".join(map(brief, sorted(ids)))


def _arms(run: Run) -> list[Arm]:
    return [Arm(run, name) for name in run.found.arm_names]


# --------------------------------------------------------------------------------------------- flagged


def unlike(runs: Sequence[Run], cells: Sequence[str]) -> list[Unlike]:
    """What is not the same in two runs and stands beside their rows."""
    found = []
    for one, other in combinations(runs, 2):
        names = (one.label, other.label)
        texts = [*_freeze(one, other), *_made(one, other, cells)]
        found += [Unlike(topic, names, f"{one.label} and {other.label}: {text}.") for topic, text in texts]
    return found


_FREEZE: Mapping[str, re.Pattern[str]] = {
    "limits differ": re.compile(r"budget\.(task|session)\."),
    "self-scoring differs": re.compile(r"tasks\.self_score$"),
    "decoding differs": re.compile(r"models\..*\.body(\.|$)"),
}


def _freeze(one: Run, other: Run) -> Iterator[tuple[str, str]]:
    if one.report.exam_id != other.report.exam_id:
        told = "; ".join(unlike_exams(one, other))
        yield "exams differ", f"different exams, held against each other where tasks are the same ({told})"
    leaves = [dict(flat("", run.found.config)) for run in (one, other)]
    for topic, pattern in _FREEZE.items():
        keys = [key for key in dict.fromkeys([*leaves[0], *leaves[1]]) if pattern.match(key)]
        said = [_values(key, leaves) for key in keys if leaves[0].get(key) != leaves[1].get(key)]
        if said:
            yield topic, f"{topic}: {'; '.join(said)}"
    yield from (("decoding differs", text) for text in _decoding(one, other))


def _values(key: str, leaves: Sequence[Mapping[str, Any]]) -> str:
    return f"{key} {' and '.join(str(each.get(key, 'not given')) for each in leaves)}"


def _decoding(one: Run, other: Run) -> Iterator[str]:
    """Options of agents that act with one model, where they are not the same in both runs."""
    options = [_options(run) for run in (one, other)]
    for model in sorted({*options[0]} & {*options[1]}):
        mine, theirs = options[0][model], options[1][model]
        if mine != theirs:
            yield f"options of agents over {brief(model)} differ: {_spelled(mine)} and {_spelled(theirs)}"


def _options(run: Run) -> Mapping[str, set[tuple[str, ...]]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for about in run.found.config["arms"]:
        agent = about["agent"]
        if agent.get("model"):
            given = tuple(f"{key} = {agent[key]}" for key in sorted(agent) if key not in ("kind", "model"))
            found.setdefault(str(agent["model"]), set()).add(given)
    return found


def _spelled(options: set[tuple[str, ...]]) -> str:
    return " or ".join(", ".join(each) or "the usual" for each in sorted(options))


def _made(one: Run, other: Run, cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    if one.version != other.version:
        yield "versions differ", f"made by different versions, {one.version} and {other.version}"
    families = sorted({task.family for cell in cells for task in one.cell(cell)})
    edited = [name for name in families if one.code.get(f"families {name}") != other.code.get(f"families {name}")]
    if edited:
        yield "code differs", f"the code of {', '.join(edited)} differs; scores may not mean the same"
    apart = [cell for cell in cells if _references(one, cell) != _references(other, cell)]
    if apart:
        yield (
            "references differ",
            f"references of {', '.join(apart)} differ; differences of gains do not use them, HCI does",
        )
    if one.sandboxes != other.sandboxes:
        told = " and ".join(", ".join(run.sandboxes) or "nothing" for run in (one, other))
        yield "isolation differs", f"commands that judge ran under {told}"
    if one.confined != other.confined:
        told = " and ".join(", ".join(run.confined) or "no sandbox, for they were none" for run in (one, other))
        yield "isolation differs", f"programs ran under {told}"


def _references(run: Run, cell: str) -> list[tuple[Any, ...]]:
    keys = ("score", "certificate", "solver")
    return [tuple(task.reference.get(key) for key in keys) for task in run.cell(cell)]


def flags(found: Measured, differences: Sequence[Unlike], spent: Unmatched | None) -> tuple[str, ...]:
    """What stands beside one row."""
    earlier, later = found.arms
    runs = {earlier.run.label, later.run.label}
    topics = [each.topic for each in differences if len(runs) == 2 and {*each.runs} == runs]
    said = ["DESPITE DRIFT" if topic in ("drift", "another model", "isolation") else topic for topic in topics]
    if earlier.beginning != later.beginning:
        said.append("different A_0")
    said += [f"{arm.label}: {flag}" for arm in found.arms if (flag := spent.flag(arm.label) if spent else "")]
    if found.bounds is not None and (found.bounds.lo is None or found.bounds.hi is None):
        said.append(say.NO_BOUND)
    return tuple(dict.fromkeys(said))


# --------------------------------------------------------------------------------------------- budgets


def unmatched(entrants: Sequence[Entrant]) -> Unmatched | None:
    """Whether one arm spent much more on improving than another, in dollars, or in tokens where no dollar was known."""
    resources: Mapping[Resource, list[float | None]] = {
        "US dollars": [each.improving_usd if each.called else 0.0 for each in entrants],
        "tokens": [each.improving_tokens if each.called else 0.0 for each in entrants],
    }
    for resource, amounts in resources.items():
        known = {each.label: amount for each, amount in zip(entrants, amounts, strict=True) if amount is not None}
        if len(known) < len(entrants) or not any(known.values()):
            continue
        found = Unmatched(resource, min(known, key=known.__getitem__), known)
        return found if found.more else None
    return None


def budgets(entrants: Sequence[Entrant]) -> Iterator[str]:
    """Budgets that do not match, and costs that are not known, in sentences."""
    attempts = {each.label: each.improving_attempts for each in entrants}
    if max(attempts.values()) > MATCHED * min(attempts.values()):
        told = ", ".join(f"{label} {amount:g}" for label, amount in attempts.items())
        yield f"Unmatched budgets: attempts a lineage while improving are {told}."
    found = unmatched(entrants)
    if found is not None:
        spelled = (
            f"{label} {f'${money(amount)}' if found.resource == 'US dollars' else f'{amount:,.0f}'}"
            for label, amount in found.amounts.items()
        )
        yield f"Unmatched budgets: a lineage spent on improving, in {found.resource}: {', '.join(spelled)}."
    unknown = [each.label for each in entrants if each.called and each.improving_usd is None]
    if unknown:
        yield f"What improving cost in dollars is unknown of {', '.join(unknown)}."


# --------------------------------------------------------------------------------------------- configs


def differs(runs: Sequence[Run]) -> dict[str, dict[str, str]]:
    """The keys of the configs that are not the same in all runs."""
    leaves = {run.label: dict(flat("", run.found.config)) for run in runs}
    keys = dict.fromkeys(key for each in leaves.values() for key in each)
    told = {key: {label: str(each.get(key, "not given")) for label, each in leaves.items()} for key in keys}
    return {key: values for key, values in told.items() if len(set(values.values())) > 1}


def flat(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of a config by dotted key."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from flat(f"{where}.{key}".lstrip("."), item)
    elif isinstance(value, list | tuple) and value:
        for place, item in enumerate(value):
            yield from flat(f"{where}[{place}]", item)
    else:
        yield where, value
