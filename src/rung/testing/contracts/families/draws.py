"""Promises about settings, tasks, rules and fingerprints: nothing here plays an episode."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rung.core.canonical import canonical
from rung.core.errors import UsageError
from rung.core.ports import Pooled
from rung.core.values import Setting, Task
from rung.testing.contracts.families.case import FamilyCase
from rung.testing.contracts.promise import Check, into, require

CHECKS: list[Check[FamilyCase]] = []
promise = into(CHECKS)

DRAWS = 12
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-v[1-9][0-9]*")
_ID_OF_POOL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # what is in a fixed collection is its version


def _spelt(task: Task) -> str:
    return canonical([task.id, task.setting.name, task.seed, task.payload, task.constants, task.calls])


@promise
def settings_have_names_of_their_own(case: FamilyCase) -> None:
    """A family publishes at least one setting, and no two have the same name."""
    names = [setting.name for setting in case.family.settings()]
    require(names, seen="no settings", mend="publish at least one Setting")
    require(len(set(names)) == len(names), seen=names, mend="give each setting its own name")
    for setting in case.family.settings():
        again = case.family.setting(setting.name)
        require(again == setting, seen=f"{setting} and {again}", mend="setting(name) gives the published one back")


@promise
def a_difficulty_beyond_the_published_ones_is_legal(case: FamilyCase) -> None:
    """Where difficulties are published without end, setting("dN") is legal for any larger N and can be drawn."""
    endless = () if isinstance(case.family, Pooled) else case.family.settings()
    published = [n for setting in endless if (n := setting.difficulty) is not None]
    for n in [max(published) + 1, max(published) + 3] if published else []:
        setting = case.family.setting(f"d{n}")
        task = case.family.draw(setting, case.seed_of(setting, "beyond"))
        require(setting.difficulty == n, seen=f"{setting.name} for d{n}", mend="keep the name asked for")
        require(task.setting == setting, seen=task.setting, mend="draw from the setting given")
        case.family.rules(task)


@promise
def an_unknown_setting_is_a_usage_error(case: FamilyCase) -> None:
    """An unknown setting name raises UsageError, which names what was asked for."""
    for name in ("no-such-setting", "d0", "d-1", "D1", "d01", "", "d1 ", "d１"):
        try:
            found: object = case.family.setting(name)
        except UsageError as error:
            require(name.strip() in str(error), seen=error, mend="say which name was asked for, and what there is")
        else:
            require(False, seen=f"setting({name!r}) gave {found!r}", mend="raise UsageError for an unknown name")


@promise
def the_same_seed_draws_the_same_task(case: FamilyCase) -> None:
    """A draw is a function of setting and seed: not of the global random state, and not of earlier draws."""
    first = {setting.name: _spelt(_one(case, setting)) for setting in case.settings}
    before = random.getstate()
    try:
        random.setstate(random.Random(1).getstate())
        for index in range(3):
            for setting in case.settings:
                case.family.draw(setting, case.seed_of(setting, "in between", index))
        again = {setting.name: _spelt(_one(case, setting)) for setting in reversed(case.settings)}
    finally:
        random.setstate(before)
    differing = [name for name in first if first[name] != again[name]]
    require(not differing, seen=f"another task at {differing}", mend="draw from seed.child(...).rng() and nothing else")


def _one(case: FamilyCase, setting: Setting) -> Task:
    return case.family.draw(setting, case.seed_of(setting, "same"))


@promise
def drawing_leaves_the_global_random_alone(case: FamilyCase) -> None:
    """A draw, an admission and a fingerprint take nothing from the global random state."""
    before, known = random.getstate(), random.Random("contract").getstate()
    random.setstate(known)
    try:
        for setting in case.settings:
            task = _one(case, setting)
            case.key.admit(task)
            case.key.fingerprint(task)
        require(random.getstate() == known, seen="the global state moved", mend="use the seed's own generator")
    finally:
        random.setstate(before)


@promise
def another_seed_draws_another_task(case: FamilyCase) -> None:
    """Another seed gives another task id always, and mostly another problem, until a fixed collection is used up."""
    if isinstance(case.family, Pooled):
        return  # its draws are tried against its pools
    hardest = case.settings[-1]
    tasks = [case.family.draw(hardest, case.seed_of(hardest, "other", index)) for index in range(DRAWS)]
    ids = {task.id for task in tasks}
    require(len(ids) == DRAWS, seen=f"{len(ids)} ids for {DRAWS} seeds", mend="put the seed's path into Task.seed")
    problems = {canonical([task.payload, case.key.fingerprint(task)]) for task in tasks}
    require(2 * len(problems) >= DRAWS, seen=f"{len(problems)} problems for {DRAWS} seeds", mend="use the whole seed")


@promise
def a_task_says_what_it_is(case: FamilyCase) -> None:
    """A task carries its family's id, with a version where it is generated, its setting, and at least one call."""
    family = case.family
    legal = _ID_OF_POOL if isinstance(family, Pooled) else _ID
    require(legal.fullmatch(family.id), seen=family.id, mend="name it like farm-v1")
    require(family.capability, seen="no capability", mend="exploring, planning, reasoning, or a domain's own word")
    for setting in case.settings:
        task = _one(case, setting)
        require(task.family == family.id, seen=task.family, mend=f"the family is {family.id}")
        require(task.setting == setting, seen=task.setting, mend="keep the setting given")
        require(type(task.calls) is int and task.calls >= 1, seen=task.calls, mend="an episode takes at least one call")
        require(task.constants, seen="no constants", mend="hash the generator's numbers, so that changed ones show")


@promise
def a_payload_is_finite_json(case: FamilyCase) -> None:
    """A payload is JSON with text keys and finite numbers, and comes back from JSON as it was."""
    for setting in case.settings:
        payload = _one(case, setting).payload
        keys = [key for key in _keys(payload) if not isinstance(key, str)]
        require(not keys, seen=keys, mend="spell every key as text")
        text = canonical(payload)
        require(canonical(json.loads(text)) == text, seen=text, mend="hold only what JSON holds")


def _keys(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for inner in inside:
        yield from _keys(inner)


@promise
def every_setting_has_admitted_tasks(case: FamilyCase) -> None:
    """Some draw of every setting is admitted soon, and admission is a function of the task."""
    for task in case.tasks:
        require(case.key.admit(task), seen=f"{task.id} admitted and then not", mend="decide by the task alone")


@promise
def the_same_task_has_the_same_fingerprint(case: FamilyCase) -> None:
    """A task drawn twice has one fingerprint, whatever was looked at in between."""
    for setting in case.settings:
        first = case.key.fingerprint(_one(case, setting))
        case.key.fingerprint(case.family.draw(setting, case.seed_of(setting, "in between")))
        again = case.key.fingerprint(_one(case, setting))
        require(first == again, seen=f"{first} and {again}", mend="hash the underlying state and nothing else")


@promise
def another_problem_has_another_fingerprint(case: FamilyCase) -> None:
    """Different payloads mostly have different fingerprints."""
    hardest = case.settings[-1]
    tasks = [case.family.draw(hardest, case.seed_of(hardest, "other", index)) for index in range(DRAWS)]
    payloads = {canonical(task.payload) for task in tasks}
    prints = {case.key.fingerprint(task) for task in tasks}
    seen = f"{len(prints)} fingerprints for {len(payloads)} payloads"
    require(2 * len(prints) >= len(payloads), seen=seen, mend="hash all of the underlying state")


@promise
def a_fingerprint_is_blind_to_the_seed(case: FamilyCase) -> None:
    """A fingerprint does not contain the seed or the task id."""
    for setting in case.settings:
        task = _one(case, setting)
        seen = case.key.fingerprint(task)
        require(task.seed not in seen and task.id not in seen, seen=seen, mend="hash the state the seed led to")


@promise
def numbers_in_the_rules_come_from_the_task(case: FamilyCase) -> None:
    """Every whole number in the rules is in the payload, or is counted from it."""
    for task in case.tasks:
        allowed = _derived(task, case)
        stray = sorted({n for n in _literals(case.family.rules(task)) if n not in allowed})
        seen = f"{task.cell}: {stray} stand in the rules and nowhere in the payload"
        require(not stray, seen=seen, mend="write the rules from the payload, and put every constant they name into it")


@promise
def the_rules_follow_the_setting(case: FamilyCase) -> None:
    """Rules that name a number of one setting name another where another setting's number differs."""
    shown = [(task, case.family.rules(task)) for task in case.tasks]
    for one, rules in shown:
        for other, others in shown:
            stale = _stale(one, other, rules) if rules == others else []
            seen = f"{one.cell} and {other.cell} have the same rules, with {stale} in them"
            require(not stale, seen=seen, mend="write the rules from the payload of the task at hand")


def _stale(one: Task, other: Task, rules: str) -> list[int]:
    mine, theirs = _scalars(one.payload), _scalars(other.payload)
    changed = {value for key, value in mine.items() if key in theirs and theirs[key] != value}
    return sorted(changed & set(_literals(rules)) - set(theirs.values()) - {0, 1, 2})


def _scalars(payload: Mapping[str, Any]) -> Mapping[str, int]:
    return {key: value for key, value in payload.items() if type(value) is int}


def _literals(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"[0-9]{1,15}", text)]


def _derived(task: Task, case: FamilyCase) -> set[int]:
    """The numbers that rules may name: the payload's own, its counts, their neighbours, per cents, and the scale's."""
    scale = case.family.scale
    bounds = [value for value in (scale.low, scale.high, scale.floor) if value is not None]
    found = {0, 1, 2, task.calls}
    for value in (*_numbers(dict(task.payload)), *bounds):
        found.update(_literals(repr(value)), _literals(f"{value:.12g}"))
        found.update(round(abs(value) * factor) for factor in (1, 100, 1000) if abs(value) < 1e12)
    return found | {n + 1 for n in found} | {n - 1 for n in found}


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, str):
        yield from _literals(value)
        yield len(value)
    elif isinstance(value, Mapping):
        yield from _inside([*value.keys(), *value.values()])
    elif isinstance(value, Sequence):
        yield from _inside(value)


def _inside(values: Sequence[object]) -> Iterator[float]:
    yield len(values)
    for value in values:
        yield from _numbers(value)


@promise
def rules_are_a_function_of_the_task(case: FamilyCase) -> None:
    """The rules are written from the task alone: from its payload and setting, and never from its seed."""
    for task in case.tasks:
        rules = case.family.rules(task)
        require(rules.strip(), seen="empty rules", mend="say what the agent may do and what it is scored by")
        other = case.family.rules(replace(task, seed=task.seed[::-1]))
        require(case.family.rules(task) == rules == other, seen=other, mend="write them from the payload alone")
