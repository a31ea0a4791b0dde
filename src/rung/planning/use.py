"""What a study will use by a pilot's account: attempts, actions, model calls, tokens, dollars and hours, with ranges.

What is not known is named and stays unknown: a model without a price, answers that nobody counted, seconds that were
not recorded. It is about the plan itself; budgets that would end it earlier lower nothing here.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rung.backends.models.prices import MILLION
from rung.core.config import Config, PriceConfig
from rung.planning import predict
from rung.planning.pilot import Attempt, Pilot, Tokens
from rung.planning.predict import Group, Range, Wanted
from rung.protocols import forecast
from rung.protocols.study import Arm

QUANTITIES = ("attempts", "actions", "calls", "input_tokens", "output_tokens", "tokens", "usd", "hours")
"""What is foreseen. `input_tokens` are of all kinds, also those that a provider reads from its cache."""

OF_MODELS = QUANTITIES[2:7]

FAR = 4.0
"""How many times as long as in the pilot learning is taken to go on at most."""


@dataclass(frozen=True, slots=True)
class Amount:
    """One quantity: its range, or None and why it is not known."""

    quantity: str
    range: Range | None
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Arms:
    """The arms of a study, each with its static arm by name, and what they pay for a million tokens."""

    control: Mapping[str, str]
    prices: Mapping[tuple[str, str], PriceConfig | None]
    models: Mapping[tuple[str, str], str]

    @property
    def controls(self) -> tuple[str, ...]:
        """The static arms."""
        return tuple(dict.fromkeys(self.control.values()))

    @property
    def modelled(self) -> bool:
        """Whether a model is called."""
        return bool(self.models)


def arms(made: Sequence[Arm]) -> Arms:
    """What of the arms matters to their use."""
    names = {forecast.beginning(arm): name for name, arm in forecast.controls(made)}
    control: dict[str, str] = {}
    prices: dict[tuple[str, str], PriceConfig | None] = {}
    models: dict[tuple[str, str], str] = {}
    for arm in made:
        control[arm.name] = names[forecast.beginning(arm)]
        improver = None if arm.method.id == "static" else arm.improver
        for who, part, model in (
            (control[arm.name], "acting", arm.model),
            (arm.name, "acting", arm.model),
            (arm.name, "refining", improver),
        ):
            if model is not None:
                prices[who, part], models[who, part] = model.price, model.id
    return Arms(MappingProxyType(control), MappingProxyType(prices), MappingProxyType(models))


# --------------------------------------------------------------------------------------------- what is wanted


def wanted(config: Config, of: Arms) -> tuple[Wanted, ...]:
    """Every group of attempts of a study, with how many there will be."""
    k, exam = config.lineages, config.exam
    worked, replayed = forecast.places(config)
    groups = []
    for who in (*of.controls, *of.control):
        for kind, many in (("work", worked), ("replay", replayed)):
            groups += [Wanted(Group(who, kind, cell), k * count, k * count) for cell, count in many.items() if count]
    sat = Counter({block.label: block.count for block in config.tasks.holdout})
    for cell, count in sat.items():
        groups += [Wanted(Group(who, "exam", cell), config.baseline_repeats * count, count) for who in of.controls]
        groups += [Wanted(Group(who, "exam", cell), k * exam.repeats * count, count) for who in of.control]
    return tuple(groups)


def amounts(config: Config, of: Arms, pilots: Sequence[Pilot]) -> tuple[Amount, ...]:
    """What a study uses, quantity by quantity. Those of models are left out where no model is called."""
    groups = wanted(config, of)
    attempts = [attempt for pilot in pilots for attempt in pilot.attempts]
    relevant = [each for each in attempts if each.group.cell.split(" ")[0] in _families(groups)]
    return tuple(
        _amount(quantity, config, of, pilots, groups, relevant)
        for quantity in QUANTITIES
        if of.modelled or quantity not in OF_MODELS
    )


def _families(groups: Iterable[Wanted]) -> set[str]:
    return {want.group.cell.split(" ")[0] for want in groups}


def _amount(
    quantity: str,
    config: Config,
    of: Arms,
    pilots: Sequence[Pilot],
    groups: Sequence[Wanted],
    attempts: Sequence[Attempt],
) -> Amount:
    measure = _measure(quantity, config, of)
    seen = []
    for attempt in attempts:
        value = measure(attempt)
        if isinstance(value, str):
            return Amount(quantity, None, value)
        seen.append(predict.Seen(attempt.group, attempt.task, attempt.lineage, value))
    lent = predict.lent(groups, seen)
    alone = next((group for group, lender in lent.items() if lender is None), None)
    if alone is not None:
        return Amount(quantity, None, f"no pilot has worked {alone.cell.split(' ')[0]}")
    varies = quantity != "attempts" or len({one.value for one in seen}) > 1
    drift = _drift(groups, seen, config, pilots)
    return Amount(quantity, predict.total(groups, seen, lineages=config.lineages, drift=drift, rare=varies))


# --------------------------------------------------------------------------------------------- measures


def _measure(quantity: str, config: Config, of: Arms) -> Callable[[Attempt], float | str]:
    """What an attempt used of a quantity; a sentence where that is not known."""
    simple: Mapping[str, Callable[[Attempt], float | str]] = {
        "attempts": lambda attempt: float(attempt.attempts),
        "actions": lambda attempt: float(attempt.actions),
        "calls": lambda attempt: float(attempt.acting.calls + attempt.refining.calls),
        "input_tokens": lambda attempt: _tokens(attempt, _read),
        "output_tokens": lambda attempt: _tokens(attempt, lambda tokens: tokens.written),
        "tokens": lambda attempt: _tokens(attempt, _all),
        "usd": lambda attempt: _usd(attempt, of),
    }
    return simple.get(quantity) or _hours(config, of)


def _read(tokens: Tokens) -> int | None:
    return None if tokens.read is None or tokens.cached is None else tokens.read + tokens.cached


def _all(tokens: Tokens) -> int | None:
    read = _read(tokens)
    return None if read is None or tokens.written is None else read + tokens.written


def _tokens(attempt: Attempt, of: Callable[[Tokens], int | None]) -> float | str:
    acting, refining = of(attempt.acting), of(attempt.refining)
    if acting is None or refining is None:
        return "calls of the pilot were answered without a count of tokens"
    return float(acting + refining)


def _usd(attempt: Attempt, of: Arms) -> float | str:
    """Dollars by the prices of the study's own models, whatever the pilot paid."""
    usd = 0.0
    for part, tokens in (("acting", attempt.acting), ("refining", attempt.refining)):
        if not tokens.calls:
            continue
        place = _paying(attempt.group.who, part, of)
        price = of.prices.get(place) if place is not None else None
        if price is None:
            what = of.models.get(place, "") if place is not None else f"what {attempt.group.who} calls for {part}"
            return f"no price is known of {what}"
        if tokens.read is None or tokens.cached is None or tokens.written is None:
            return "calls of the pilot were answered without a count of tokens"
        for_cached = price.input if price.cached is None else price.cached
        usd += (tokens.read * price.input + tokens.cached * for_cached + tokens.written * price.output) / MILLION
    return usd


def _paying(who: str, part: str, of: Arms) -> tuple[str, str] | None:
    """Whose price counts: that of the same name in the study, else the only one there is."""
    if (who, part) in of.models:
        return who, part
    same = [place for place in of.models if place[1] == part]
    return same[0] if len({of.models[place] for place in same}) == 1 else None


def _hours(config: Config, of: Arms) -> Callable[[Attempt], float | str]:
    """Hours on the wall, where as many work at once as `[engine] concurrency` says; a lineage is worked in order."""
    at_once = config.engine.concurrency
    lineages = min(at_once, config.lineages * (len(of.controls) + len(of.control)))

    def hours(attempt: Attempt) -> float | str:
        if attempt.seconds is None:
            return "the pilot recorded no seconds"
        return attempt.seconds / (at_once if attempt.group.kind == "exam" else lineages) / 3600

    return hours


# --------------------------------------------------------------------------------------------- longer than the pilot


def longer(config: Config, pilots: Sequence[Pilot]) -> tuple[int, int]:
    """How many tasks a lineage of the study works, and how many a lineage of the pilots."""
    return sum(block.count for block in config.tasks.schedule), max((pilot.worked for pilot in pilots), default=0)


def _drift(groups: Sequence[Wanted], seen: Sequence[predict.Seen], config: Config, pilots: Sequence[Pilot]) -> float:
    """What learning would add, if it went on over a longer study at the pace of the pilot.

    The pace is how A_T differs from A_0 in the exam, by cell.
    """
    tasks, worked = longer(config, pilots)
    if not worked or tasks <= worked:
        return 0.0
    pace, further = _pace(seen), min(tasks / worked - 1, FAR - 1)
    drift = 0.0
    for want in groups:
        step = pace.get((want.group.who, want.group.cell), 0.0)
        if want.group.kind == "exam":
            drift += want.attempts * step * further
        else:
            drift += want.attempts * (1 - worked / tasks) * step * min(tasks / worked, FAR) / 2
    return drift


def _pace(seen: Sequence[predict.Seen]) -> Mapping[tuple[str, str], float]:
    """By arm and cell, how much more an attempt of A_T used than one of the A_0 that most resembles it."""
    values: dict[Group, list[float]] = defaultdict(list)
    learnt: set[str] = set()
    for one in seen:
        if one.group.kind == "exam":
            values[one.group].append(one.value)
        if one.lineage is not None:
            learnt.add(one.group.who)
    means = {group: sum(found) / len(found) for group, found in values.items()}
    static = {group.cell: mean for group, mean in means.items() if group.who not in learnt}
    return {
        (group.who, group.cell): mean - static[group.cell]
        for group, mean in means.items()
        if group.who in learnt and group.cell in static
    }


def borrowed(config: Config, of: Arms, pilots: Sequence[Pilot]) -> Iterator[tuple[Group, Group]]:
    """The groups that no pilot has shown, and whose means stand in for them."""
    seen = [predict.Seen(each.group, each.task, None, 0.0) for pilot in pilots for each in pilot.attempts]
    for group, lender in predict.lent(wanted(config, of), seen).items():
        if lender is not None:
            yield group, lender
