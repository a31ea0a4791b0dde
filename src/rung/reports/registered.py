"""A run held against the plan that was registered for it, where one was (see `rung.protocols.registered`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from rung.core.canonical import fingerprint
from rung.reports import rungs, shares
from rung.reports.record import Record
from rung.reports.values import ArmReport, Claim, Cost, Kept, Registered, Rung
from rung.reports.wording import EARLY, MORE, UNREGISTERED, brief, counted
from rung.stats.multiplicity import holm

LEVEL = 0.05

QUANTITIES = ("attempts", "actions", "calls", "tokens", "usd")
"""What a report knows the use of, by the names of a plan."""


def held(found: Record, arms: Sequence[ArmReport], totals: Mapping[str, Cost]) -> Registered | None:
    """The registered plan and what became of it; None where none was registered."""
    if found.registered is None:
        return None
    plan = cast("Mapping[str, Any]", found.registered["plan"])
    kept = (
        _whole(found, plan),
        *_size(found, plan),
        _family(plan, arms),
        *_use(found, plan, totals),
    )
    return Registered(found.registered["sha256"], kept, tuple(_adjusted(found, plan, arms)))


# --------------------------------------------------------------------------------------------- what was promised


def _whole(found: Record, plan: Mapping[str, Any]) -> Kept:
    """Whether the plan is the one that was hashed, and its config the one that was run."""
    left_out = ("secret_sha256", "secret_fixed")
    config = fingerprint({key: value for key, value in found.config.items() if key not in left_out})
    is_whole = fingerprint(cast(Any, plan)) == cast("Mapping[str, Any]", found.registered)["sha256"]
    same = is_whole and plan["config"] == config
    run = "the same" if same else "another plan than was hashed" if not is_whole else "another config"
    return Kept("config", str(plan["config"])[:12], run, same)


def _size(found: Record, plan: Mapping[str, Any]) -> Iterator[Kept]:
    wanted, ended = int(plan["lineages"]), finished(found)
    yield Kept("lineages", f"{wanted}", f"{ended} of {len(found.lineages)} to their end", ended == wanted)
    tasks: dict[str, int] = {}
    for task in found.exam:
        tasks[task.cell] = tasks.get(task.cell, 0) + 1
    promised, about = plan["exam"], found.about_exam
    yield Kept("exam tasks", _cells(promised["tasks"]), _cells(tasks), promised["tasks"] == tasks)
    for name, what in (("repeats", "attempts of A_T"), ("baseline_repeats", "attempts of A_0")):
        yield Kept(what, f"{promised[name]}", f"{about[name]}", promised[name] == about[name])


def _cells(tasks: Mapping[str, int]) -> str:
    return ", ".join(f"{cell}: {count}" for cell, count in sorted(tasks.items()))


def finished(found: Record) -> int:
    """How many lineages came to the end of their sequence, in every arm and in the static arms."""
    names = (*found.arm_names, *found.controls)
    return sum(
        all((name, number, entry.place) in found.work for name in names for entry in sequence)
        for number, sequence in zip(found.lineages, found.sequences, strict=True)
    )


def _family(plan: Mapping[str, Any], arms: Sequence[ArmReport]) -> Kept:
    promised, claimed = _promised(plan), [_row(rung) for arm in arms for rung in arm.rungs]
    beside = len(set(claimed) - promised)
    missing = len(promised - set(claimed))
    said = [f"{missing} not reported"] if missing else []
    said += [f"{counted(beside, 'row')} beside it"] if beside else []
    run = ", ".join([f"{len(claimed)} reported", *said])
    return Kept("family of claims", counted(len(promised), "row"), run, not beside and not missing)


def _promised(plan: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (claim["arm"], claim["level"], "" if claim["level"] == "G0" else claim["target"]) for claim in plan["family"]
    }


def _row(rung: Rung) -> tuple[str, str, str]:
    return rung.arm, rung.level, "" if rung.level == "G0" else rung.target


def _use(found: Record, plan: Mapping[str, Any], totals: Mapping[str, Cost]) -> Iterator[Kept]:
    """What was used beside what was foreseen. A guess without a pilot promises nothing, and neither does a part."""
    used, attempts = _used(totals), shares.attempts(found)
    binding = plan["range"] is not None and attempts.done >= attempts.planned
    for quantity in QUANTITIES:
        foreseen, spent = plan["forecast"].get(quantity), used.get(quantity)
        if foreseen is None or spent is None:
            continue
        slack = 0.0 if quantity == "usd" else 0.5  # counts are whole, and their ranges are not
        inside = foreseen["low"] - slack <= spent <= foreseen["high"] + slack
        sort = "" if plan["range"] is not None else ", a guess"
        span = f"{_number(foreseen['low'])} to {_number(foreseen['high'])}{sort}"
        yield Kept(quantity if quantity != "usd" else "dollars", span, _number(spent), inside or not binding)


def _used(totals: Mapping[str, Cost]) -> Mapping[str, float | None]:
    costs = list(totals.values())
    calls = [cost.calls for cost in costs if cost.calls is not None]
    tokens, usd = [each.tokens for each in calls], [each.usd for each in calls]
    found: dict[str, float | None] = {
        "attempts": sum(cost.attempts for cost in costs),
        "actions": sum(cost.steps for cost in costs),
    }
    if calls:
        found["calls"] = sum(each.made for each in calls)
        found["tokens"] = None if None in tokens else sum(each or 0 for each in tokens)
        found["usd"] = None if None in usd else sum(each or 0.0 for each in usd)
    return found


def _number(value: float) -> str:
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"


# --------------------------------------------------------------------------------------------- the family together


def _adjusted(found: Record, plan: Mapping[str, Any], arms: Sequence[ArmReport]) -> Iterator[Claim]:
    """Holm's p of every registered row from G1 up; one that has none enters with p = 1, so that no row is left out."""
    rows = {_row(rung): rung for arm in arms for rung in arm.rungs}
    family = [key for key in sorted(_promised(plan)) if key[1] != "G0"]
    plain = [_p(found, rows[key]) if key in rows else None for key in family]
    adjusted = holm([1.0 if p is None else p for p in plain])
    for (arm, level, target), p in zip(family, adjusted, strict=True):
        word = rows[arm, level, target].verdict.word if (arm, level, target) in rows else "not reported"
        yield Claim(arm, level, target, p, word, p <= LEVEL)


def _p(found: Record, rung: Rung) -> float | None:
    """The two-sided p of a row by the law of its interval; None where a verdict may not rest on it."""
    if rung.verdict.word in ("contaminated", "incomplete", "not estimable"):
        return None
    return rungs.p_value(found, rung)


# --------------------------------------------------------------------------------------------- where the number stands


def flagged(found: Record, arms: Sequence[ArmReport]) -> tuple[ArmReport, ...]:
    """The arms, with a flag on every gain that is not what was registered."""
    if found.registered is None:
        return tuple(arms)
    plan = cast("Mapping[str, Any]", found.registered["plan"])
    promised, wanted = _promised(plan), int(plan["lineages"])
    of_all = (MORE,) if len(found.lineages) > wanted else (EARLY,) if finished(found) < wanted else ()

    def told(rung: Rung) -> Rung:
        flags = (*rung.gain.flags, *of_all, *(() if _row(rung) in promised else (UNREGISTERED,)))
        return replace(rung, gain=replace(rung.gain, flags=flags))

    return tuple(replace(arm, rungs=tuple(map(told, arm.rungs))) for arm in arms)


# --------------------------------------------------------------------------------------------- in words


def line(registered: Registered | None) -> str:
    """One line of how far a registered plan was kept; empty where none was registered."""
    if registered is None:
        return ""
    broken = [each.what for each in registered.kept if not each.kept]
    far = f"not kept in {', '.join(broken)}" if broken else "kept"
    return f"registered beforehand: yes ({registered.sha256[:16]}...), {far}"


def of_family(registered: Registered | None) -> str:
    """What holds of the registered family together; empty where nothing was registered."""
    if registered is None or not registered.claims:
        return ""
    holds = [f"{each.arm} {each.level} on {each.target}" for each in registered.claims if each.holds]
    among = counted(len(registered.claims), "registered row")
    return f"Holm over {among} at 5%: not zero are {', '.join(map(brief, holds)) if holds else 'none'}"
