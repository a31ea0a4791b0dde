"""The words and numbers that every renderer shares, and the answer of an arm in one sentence.

Foreign text (names, faults, flags that quote them) passes `clean` before it is printed anywhere but in JSON.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import floor, isfinite, log10
from types import MappingProxyType

from rung.core.config import ITSELF
from rung.core.values import Estimate
from rung.reports import truth
from rung.reports.values import MIXED_UNITS, ArmReport, Calls, Corrected, Crashes, LadderReport, Quote, Rung, Sign
from rung.stats import flags as say
from rung.stats.verdict import Verdict, Word

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "G0": "tasks it met before",
        "G1": "new instances",
        "G2": "harder settings",
        "G3": "another family",
        "G4": "another capability",
    }
)
"""The five rungs, each in two or three words."""

MARKS: Mapping[Word, str] = MappingProxyType(
    {
        "improved": "▲",
        "regressed": "▼",
        "equivalent": "=",
        "inconclusive": "○",
        "not estimable": "×",
        "contaminated": "!",
        "incomplete": "◇",
    }
)
"""One sign per verdict, so that no reader depends on colour."""

MEANINGS: Mapping[Word, str] = MappingProxyType(
    {
        "improved": "the 95% interval lies above zero, and where tasks are few the exact test agrees",
        "regressed": "the 95% interval lies below zero, and where tasks are few the exact test agrees",
        "equivalent": "the gain is shown to be smaller than a margin declared before the run",
        "inconclusive": (
            "the interval holds zero, or tasks are few and the exact test does not back it: a gain, a loss or neither"
        ),
        "not estimable": "the data cannot carry a verdict",
        "contaminated": "something touched the numbers, so they stand inside the finding only",
        "incomplete": "too much is missing to say, or all of it",
    }
)

UNCONFINED = "code of a model ran in no sandbox"
"""The flag of every number of an arm whose method has a model write code, where nothing confined it."""

UNCONFINED_STAMP = "code that a model wrote ran in no sandbox"

CERTIFICATES: Mapping[str, str] = MappingProxyType(
    {
        "optimal": "proven best",
        "bound": "nothing can exceed it",
        "solver": "a stated solver reaches it; better may exist",
        "gold": "a person's answer",
    }
)

UNREGISTERED = "not in the registered family"
EARLY = "ended before the registered number of lineages"
MORE = "more lineages than were registered"
"""Flags of gains that are not what was registered beforehand."""

FLAGS: Mapping[str, str] = MappingProxyType(
    {
        say.SMALL: "fewer than 20 tasks, so the interval and an exact test have to agree",
        say.FEW_INFORMATIVE: "fewer than 10 tasks changed at all, so the interval and an exact test have to agree",
        say.END_STATE_ONLY: "one lineage: it covers variation between tasks, not between whole runs",
        say.TWO_LINEAGES: "two whole runs show that runs differ, and not by how much",
        say.SHARED_BEFORE: "all lineages are held against the same first exam, whose luck they share",
        say.IMPRECISE: "the headroom is poorly known; keep this ratio out of rankings and averages",
        say.NOT_A_BOUND: "an agent may exceed this reference, so the ratio may exceed 1",
        say.NO_BOUND: "the scale has no upper end, so missing scores could hide any gain or loss",
        say.NORMAL: "the interval takes differences between tasks to be roughly normal",
        say.IDENTICAL: "every lineage has the same result on every task",
        say.NO_VARIATION: "every task changed by the same amount, so there is no spread to measure",
        MIXED_UNITS: "the replays are scored in different units, so their mean has no size that can be read",
        UNREGISTERED: "nobody said beforehand that this row would be looked at, so it is for looking around",
        EARLY: "fewer lineages came to their end than were promised; when to stop must not depend on what was seen",
        MORE: "lineages added after looking make false words more frequent, and the interval does not allow for it",
        say.UNDER_SIX: "no exact 5% test exists with so few",
    }
)

GLOSSARY: Mapping[str, str] = MappingProxyType(
    {
        "task": "one problem, made by a seed, the same whoever works it",
        "episode": "a task being worked, from the first view to the score",
        "score": "a measurement of one episode, in the units of its family of tasks",
        "fault": "no measurement, because the instrument broke; never a zero, always counted",
        "state": "all that improvement may change: files the agent reads, its conversation, its method's archive",
        "lineage": "one whole run of self-improvement, from A_0 (the agent as shipped) to A_T (what it became)",
        "lens": "how much feedback is let through to the agent: none, the verdict hidden, or all",
        "exam": "sealed tasks, worked from a fixed state and without feedback, the same before and after",
        "control": "an arm that should not improve, run the same way, to show what chance and drift look like",
        "HCI": "headroom-capture index: the share of the way from A_0 to the reference that was gone",
    }
)
"""Ten words a newcomer needs."""

# --------------------------------------------------------------------------------------------- numbers and foreign text

_SPOOFS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: object) -> str:
    """Foreign text on one line, with control characters, lone surrogates and direction overrides made visible.

    >>> clean("a\\x1b[31m\\nb")
    'a\ufffd[31m b'
    """
    return "".join(_visible(sign) for sign in str(text))


def _visible(sign: str) -> str:
    if sign in "\n\t\r\u2028\u2029":
        return " "
    return "\ufffd" if sign in _SPOOFS or unicodedata.category(sign) in ("Cc", "Cs") else sign


def number(value: float | None, *beside: float | None, signed: bool = False) -> str:
    """A number with as many decimals as the largest of its group deserves, a true minus sign, and never a long tail.

    What is below the resolution of any unit prints as 0; from 100,000 on three digits and a power of ten stand.

    >>> number(-0.0521, 0.31), number(0.31234, signed=True), number(1234.6), number(14.19), number(None)
    ('−0.052', '+0.312', '1,235', '14.2', '–')
    >>> number(2.06e-17, signed=True), number(-0.0001, 0.31), number(-1234567890.0)
    ('0.000', '−0.000', '−1.23e9')
    """
    if value is None:
        return "–"
    largest = max(abs(other) for other in (value, *beside) if other is not None)
    if not isfinite(largest):
        return "not a number"
    return _signed(_spelled(abs(value), largest), value, signed=signed)


RESOLUTION = 0.0005
"""Numbers below this print as 0: no unit here is known more finely."""
_NOTHING = 1e-6  # and below this they have no sign either


def _spelled(size: float, largest: float) -> str:
    if size >= 1e5:
        mantissa, power = f"{size:.2e}".split("e")
        return f"{mantissa}e{int(power)}"
    return f"{size:,.{_decimals(largest)}f}"


def _signed(spelled: str, value: float, *, signed: bool) -> str:
    """With its sign, which a number that is nothing but rounding has not; `−0.000` is a little below zero."""
    if abs(value) < _NOTHING:
        return spelled
    return f"−{spelled}" if value < 0 else f"+{spelled}" if signed else spelled


def short(value: float, *beside: float, signed: bool = False) -> str:
    """A number for a narrow column: two decimals where the group is below ten, else as `number`.

    >>> short(0.3123, 0.9), short(-12.345), short(0.004, -0.002)
    ('0.31', '−12.3', '0.004')
    """
    largest = max(map(abs, (value, *beside)))
    if not 0.01 <= largest < 10:
        tiny = largest < 0.01
        return _signed(f"{abs(value):.3f}", value, signed=signed) if tiny else number(value, *beside, signed=signed)
    return _signed(f"{abs(value):.2f}", value, signed=signed)


def _decimals(largest: float) -> int:
    """Three for shares and the like; three significant digits outside [0.01, 10)."""
    return 3 if largest < RESOLUTION or 0.01 <= largest < 10 else max(0, 2 - floor(log10(largest)))


def counted(n: int, noun: str) -> str:
    """How many of something.

    >>> counted(1, "arm"), counted(3000, "arm")
    ('1 arm', '3,000 arms')
    """
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}s"


def kinds(counts: Mapping[str, int]) -> str:
    """What was counted, by its kind.

    >>> kinds({"import": 1, "path": 2000})
    'import 1, path 2,000'
    """
    return ", ".join(f"{kind} {n:,}" for kind, n in counts.items())


def percent(n: int, total: int) -> str:
    """How many of how many, and the share.

    >>> percent(1, 3000), percent(3, 12)
    ('1 of 3,000 (under 1%)', '3 of 12 (25%)')
    """
    share = 100 * n / total
    return f"{n:,} of {total:,} ({'under 1' if share < 1 else f'{share:.0f}'}%)"


QUOTED = 160
"""Characters quoted of a message; the journal has all of it."""
_NAME = 60


def quoted(quote: Quote) -> str:
    """What something said first, cut where it is long, and where the journal holds it; a sentence with its space."""
    text = brief(quote.text, QUOTED)
    said = f"“{text}”, " if text else ""
    return f" The first: {said}{quote.path}."


def brief(text: str, most: int = _NAME) -> str:
    """Foreign text on one line, cut where it is long.

    >>> brief("a   b  c"), brief("abcdef", 3)
    ('a b c', 'abc…')
    """
    line = " ".join(text.split())
    return f"{line[:most]}{'…' if len(line) > most else ''}"


def gain_text(estimate: Estimate) -> str:
    """A gain with its interval, as it stands everywhere: `+0.312 [0.221, 0.403]`.

    >>> gain_text(Estimate(0.312, 0.221, 0.403, "t over tasks", 20, 5))
    '+0.312 [0.221, 0.403]'
    >>> gain_text(Estimate(None, None, None, "none", 0, 0))
    'not measured'
    """
    if estimate.value is None:
        return "not estimable" if estimate.n_tasks else "not measured"
    return f"{number(estimate.value, estimate.lo, estimate.hi, signed=True)} {interval_text(estimate)}"


def interval_text(estimate: Estimate) -> str:
    """The interval of an estimate, or the words that there is none."""
    if estimate.lo is None or estimate.hi is None:
        return "[no interval]"
    group = (estimate.value, estimate.lo, estimate.hi)
    return f"[{number(estimate.lo, *group)}, {number(estimate.hi, *group)}]"


def hci_text(estimate: Estimate) -> str:
    """The headroom-capture index with its interval, or `undefined` with the reason.

    >>> hci_text(Estimate(None, None, None, "Fieller over tasks", 20, 5, ("undefined: no reference",)))
    'undefined: no reference'
    """
    if estimate.value is not None:
        return f"{number(estimate.value, estimate.lo, estimate.hi)} {interval_text(estimate)}"
    reasons = [flag for flag in estimate.flags if flag.startswith("undefined")]
    return "; ".join(reasons) or f"undefined: {'; '.join(estimate.flags) or 'no reason was recorded'}"


def bounds_text(rung: Rung) -> str:
    """What the gain could be whatever the missing scores were."""
    bounds = rung.holes.bounds
    if bounds is None:
        return "no bounds"
    lo = "no lower bound" if bounds.lo is None else number(bounds.lo, bounds.hi, signed=True)
    hi = "no upper bound" if bounds.hi is None else number(bounds.hi, bounds.lo, signed=True)
    return f"{lo} to {hi}" if bounds.lo is not None or bounds.hi is not None else "none"


def withheld(rung: Rung) -> bool:
    """True where the number may stand inside the finding only, and in no table of gains."""
    return rung.verdict.word == "contaminated"


def shown_gain(rung: Rung) -> str:
    """The gain as a table may show it."""
    return "withheld: contaminated" if withheld(rung) else gain_text(rung.gain)


HONEST = (
    "The audit looks through the record for exam content, or the way to it, had by other means than work. Clean says "
    "that the record shows none. The number of a contaminated arm stands here alone, beside the gain over the pairs "
    "that nothing touched and the bounds it has whatever the touched ones would have scored; which pairs are touched "
    "follows from the evidence and from no score."
)
EVIDENCE = 40
"""Pieces of evidence that are printed of an arm; `rung audit` prints all."""


def corrected_texts(found: Corrected) -> tuple[str, str, str, str]:
    """What is left of a row of a dishonest arm: naive, without touched pairs, bounds, and how many are touched."""
    ends = (found.bounds.lo, found.bounds.hi)
    bounds = ", ".join("open" if end is None else number(end, *ends) for end in ends)
    without = gain_text(found.without) if found.touched < found.pairs else "no pair is untouched"
    return f"{gain_text(found.naive)} ({found.unit})", without, f"[{bounds}]", f"{found.touched} of {found.pairs} pairs"


def tau_text(rung: Rung) -> str:
    """What would erase the claim of one lineage; empty where there is no such claim."""
    if rung.tau_star is None or withheld(rung):
        return ""
    return f"tau* {number(rung.tau_star)}: if whole runs differ by a standard deviation above this, the claim is gone"


def unseen_text(rung: Rung) -> str:
    """How large a part of the tasks could have changed without any of it showing; empty where none was measured."""
    if rung.unseen_share is None:
        return ""
    return f"a change on fewer than {100 * rung.unseen_share:.3g}% of such tasks can be missed entirely (3/N)"


def other_flags(hci: Estimate) -> tuple[str, ...]:
    """The flags of an index that `hci_text` has not said already."""
    said = hci_text(hci) if hci.value is None else ""
    return tuple(flag for flag in hci.flags if flag not in said)


def claim(verdict: Verdict) -> str:
    """The claim that a verdict is about, worded so that a claim in question does not read as a claim made."""
    if verdict.scope == "this end state only":
        return f"claim: {verdict.scope}" if verdict.word == "improved" else verdict.scope
    return _CLAIMS.get(verdict.word, "left open: whether the agent improves itself")


_CLAIMS: Mapping[Word, str] = MappingProxyType(
    {
        "improved": "claim: the agent improves itself",
        "regressed": "claim: the agent makes itself worse",
        "equivalent": "claim: what it does to itself changes it by less than the margin",
    }
)

# --------------------------------------------------------------------------------------------- beside a word

_EXACT, _UNJUDGED, _MISSING = "*", "†", "‡"


def footnote(rung: Rung) -> str:
    """The mark of a word that its printed interval alone would not lead to; empty where word and interval agree."""
    gain, word = rung.gain, rung.verdict.word
    if gain.lo is None or gain.hi is None or withheld(rung):
        return ""
    if word == "inconclusive":
        return "" if gain.lo <= 0 <= gain.hi else _EXACT
    return {"not estimable": _UNJUDGED, "incomplete": _MISSING}.get(word, "")


def footnotes(rungs: Iterable[Rung]) -> Mapping[str, str]:
    """What the marks among these rows mean, in order of the marks."""
    marked = [(footnote(rung), rung.verdict.reasons) for rung in rungs]
    why = dict.fromkeys(chain.from_iterable(reasons for mark, reasons in marked if mark == _UNJUDGED))
    said = {
        _EXACT: "the interval excludes 0, but tasks are few and the exact test does not agree",
        _UNJUDGED: f"an interval and no verdict: {'; '.join(why) or 'no reason was recorded'}",
        _MISSING: "the interval of what was measured; what is missing could change the word",
    }
    return {mark: text for mark, text in said.items() if mark in {mark for mark, _ in marked}}


def crash_text(rung: Rung) -> str:
    """How many attempts on either side the agent's own code ended; empty where none."""
    return _ended_text(rung, rung.crashes, "crashed", "crashes")


def limit_text(rung: Rung) -> str:
    """How many attempts on either side a limit ended; empty where none."""
    return _ended_text(rung, rung.limits, "reached a limit", "limits")


def _ended_text(rung: Rung, found: Crashes, how: str, what: str) -> str:
    if not found.before and not found.after:
        return ""
    early, late = ("first plays", "replays") if rung.level == "G0" else ("A_0", "A_T")
    said = (
        f"{how}: {found.before} of {found.of_before} attempts of {early}, {found.after} of {found.of_after} of {late}"
    )
    return f"{said}; the gain may be {what} and not skill" if found.asymmetric else said


def money(usd: float) -> str:
    """Dollars without their sign: cents, and two significant digits below a dime.

    >>> money(1234.5), money(0.5), money(0.0), money(0.00123), money(1e-9)
    ('1,234.50', '0.50', '0.00', '0.0012', 'under 0.000001')
    """
    if usd == 0 or usd >= 0.1:
        return f"{usd:,.2f}"
    return f"{usd:.{1 - floor(log10(usd))}f}" if usd >= 1e-6 else "under 0.000001"


def usd_text(calls: Calls) -> str:
    """What model calls cost in dollars; where that is not known, what they cost at most, if so much is known.

    >>> usd_text(Calls(2, 1, None, None, None, None, 0.5)), usd_text(Calls(1, 0, 5, 0, 5, None, None))
    ('unknown, at most 0.50', 'unknown')
    """
    if calls.usd is not None:
        return money(calls.usd)
    return "unknown" if calls.usd_at_most is None else f"unknown, at most {money(calls.usd_at_most)}"


def ratio_texts(rung: Rung) -> tuple[str, ...]:
    """The gain by what improving cost, per dollar and per million tokens; nothing where no model was called in it."""
    if withheld(rung):
        return ()
    named = ((rung.per_usd, "US dollar"), (rung.per_million_tokens, "million tokens"))
    return tuple(f"per {unit} of improving: {_ratio_text(found)}" for found, unit in named if found is not None)


def _ratio_text(found: Estimate) -> str:
    return gain_text(found) if found.value is not None else "; ".join(found.flags)


SIGNS: Mapping[Sign | None, str] = MappingProxyType({1: "+", 0: "0", -1: "−", None: "?"})
"""The sign of a true gain."""


def truth_text(rung: Rung) -> str:
    """The truth beside a verdict: `truth +, missed`; empty where nobody knows it."""
    found = truth.found(rung)
    return "" if found is None else f"truth {SIGNS[rung.truth]}: {found}"


def truth_line(report: LadderReport) -> str:
    """How many rows agree with the truth of scripted agents, and which do not; empty where there is none."""
    found = truth.tally(report)
    if not found.rows:
        return ""
    groups = (("missed", found.missed), ("false", found.false), ("no verdict", found.open))
    rest = [f"{len(names)} {word}: {', '.join(names)}" for word, names in groups if names]
    return "; ".join([f"truth: {found.agree} of {found.rows} rows agree", *rest])


SATURATES = (
    "A true gain can be small: where an agent's skill is near its limit before a task is replayed, first play and "
    "replay are nearly as good, and G0 finds little."
)
"""What has to be said beside a missed gain."""


def size_text(rung: Rung) -> str:
    """On how much a row rests, so that nothing is multiplied that should not be."""
    runs = counted(rung.gain.n_lineages, "lineage")
    if rung.level == "G0":
        return f"{counted(rung.gain.n_tasks, 'replay')} in all, from {runs}"
    return f"{runs} × {counted(rung.gain.n_tasks, 'task')}"


def new_reasons(rung: Rung) -> tuple[str, ...]:
    """The reasons of a verdict that its gain's flags have not said already."""
    said = () if withheld(rung) else rung.gain.flags
    return tuple(reason for reason in rung.verdict.reasons if reason not in said)


def explained_flags(report: LadderReport) -> Mapping[str, str]:
    """What the flags of this report mean, in order of first appearance."""
    found = chain(
        *((rung.gain.flags, rung.hci.flags, rung.verdict.reasons) for arm in report.arms for rung in arm.rungs),
        (drift.change.flags for drift in report.drift),
    )
    return {flag: FLAGS[flag] for flag in dict.fromkeys(chain.from_iterable(found)) if flag in FLAGS}


# --------------------------------------------------------------------------------------------- the answer in a sentence

_PLACES: Mapping[str, str] = MappingProxyType(
    {
        "G1": "on new instances of {}",
        "G2": "on the harder {}",
        "G3": "on {} (another family)",
        "G4": "on {} (another capability)",
    }
)
_SHOWN: tuple[Word, ...] = ("improved", "regressed", "equivalent")


def answer(arm: ArmReport) -> str:
    """What was shown of one arm, in one sentence and in the words of its verdicts. The arm's name is left to say."""
    return f"{'; '.join(clauses(arm))}."


def clauses(arm: ArmReport) -> tuple[str, ...]:
    """The parts of the answer, the main one first: the rungs held or the first one asked, those above, and G0, which no
    program in a cell is asked.

    A gain counts as held only where every rung below is held too, so an isolated one is named and not claimed.
    """
    held = [rung for rung in arm.rungs if rung.level in arm.climbed]
    open_rungs = [rung for rung in arm.rungs if rung.level not in ("G0", *arm.climbed)]
    first = [rung for rung in open_rungs if rung.level == "G1"]
    above = [rung for rung in open_rungs if rung.level != "G1"]
    if held:
        main = _joined([f"{_place(rung)} by {_measured(rung)}" for rung in held])
    else:
        main = _joined([_unheld(rung) for rung in first]) or "new instances (G1) were not asked about"
    kept = [] if arm.method == ITSELF.name else [f"on tasks it met before (G0): {clean(arm.retention)}"]
    parts = (_scope(arm) + main, *_above(arm, above), *kept)
    return _units_once(parts, {_unit(rung) for rung in arm.rungs})


def _scope(arm: ArmReport) -> str:
    scopes = {rung.verdict.scope for rung in arm.rungs if rung.level != "G0"}
    if "this end state only" in scopes:
        return "this end state only: improved " if arm.climbed else "this end state only: "
    return "the agent improves itself " if arm.climbed else ""


def _place(rung: Rung) -> str:
    return _PLACES[rung.level].format(clean(rung.target))


def _measured(rung: Rung) -> str:
    return f"{shown_gain(rung)}{_unit(rung)}"


def _unit(rung: Rung) -> str:
    return f" ({clean(rung.unit)})"


def _units_once(parts: Iterable[str], units: Iterable[str]) -> tuple[str, ...]:
    """Each unit is named where it first stands, and not again."""
    left, told = set(units), []
    for part in parts:
        for unit in set(units):
            head, found, tail = part.partition(unit)
            part = head + (found if unit in left else "") + tail.replace(unit, "")
            left -= {unit} if found else set()
        told.append(part)
    return tuple(told)


def _unheld(rung: Rung) -> str:
    word = rung.verdict.word
    if word in ("improved", "regressed"):
        return f"{word} {_place(rung)} by {_measured(rung)}"
    if word in ("inconclusive", "equivalent"):
        lead = "nothing was shown " if word == "inconclusive" else ""
        return f"{lead}{_place(rung)}: {word} at {_measured(rung)}"
    return f"{word} {_place(rung)} ({'; '.join(map(clean, rung.verdict.reasons)) or 'no reason was recorded'})"


def _above(arm: ArmReport, rungs: Sequence[Rung]) -> list[str]:
    told = [_told(rung) for rung in rungs if rung.verdict.word in _SHOWN]
    notes = _by_word([(rung.verdict.word, rung.level) for rung in rungs if rung.verdict.word not in _SHOWN])
    asked = {rung.level for rung in arm.rungs}
    silent = _by_word([("not asked", level) for level in ("G2", "G3", "G4") if level not in asked])
    if told:
        return [f"further up: {', '.join([*told, *notes, *silent])}"]
    if notes or not arm.climbed:
        return [f"nothing was shown further up ({', '.join([*notes, *silent]) or 'nothing was asked'})"]
    return [", ".join(["every rung that was asked is held", *silent])]


def _told(rung: Rung) -> str:
    word = rung.verdict.word
    aside = ", not held because a rung below it is not" if word == "improved" else ""
    return f"{rung.level} {word} {'at' if word == 'equivalent' else 'by'} {_measured(rung)}{aside}"


def _by_word(found: Sequence[tuple[str, str]]) -> list[str]:
    words = dict.fromkeys(word for word, _ in found)
    return [f"{_joined(list(dict.fromkeys(at for word, at in found if word == said)))} {said}" for said in words]


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def ranks_text(found: tuple[int, int] | None) -> str:
    """The ranks that are left open.

    >>> ranks_text((1, 1)), ranks_text((1, 3)), ranks_text(None)
    ('1', '1 to 3', '–')
    """
    if found is None:
        return "–"
    best, worst = found
    return str(best) if best == worst else f"{best} to {worst}"
