"""Gains over controls: computed again by hand from the journal, corrected together, and said where the gain stands."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isnan, nan
from statistics import fmean
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.config import Config, parse
from rung.core.errors import InstrumentFault
from rung.core.ports import Actor, Ports
from rung.core.values import Action, Estimate, State, View
from rung.methods._controls import controlled
from rung.methods.static import Static
from rung.protocols import launch, wiring
from rung.protocols.study import Arm
from rung.reports import controls, controls_text, flat, ladder, markdown, page, terminal
from rung.reports.over import Gate, Over
from rung.reports.values import LadderReport
from rung.stats.verdict import Verdict
from rung.store.memory import MemoryJournal
from rung.testing.models import Provided
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK

from . import samples

SECRET = "a fixed secret"
ROWS = ("G0", "G1", "G2")


def config(**changes: Any) -> Config:
    """A phantom that gains on every rung, with two controls: five lineages, replays, and two cells of eight tasks."""
    lock = {"family": "toy-lock-v1", "difficulty": 2}
    document = {
        "name": "over controls",
        "protocol": "ladder",
        "seed": 3,
        "lineages": 5,
        "agent": {"kind": "phantom:general", "rate": 0.15},
        "method": {"name": "phantom"},
        "controls": ["discard", "no-op"],
        "exam": {"secret": SECRET},
        "tasks": {
            "replay": {"interval": 1, "lag": 3},
            "schedule": [{**lock, "count": 6, "replay": True}],
            "holdout": [{**lock, "count": 8}, {**lock, "difficulty": 4, "count": 8}],
        },
        **changes,
    }
    return parse(document)


@cache
def study() -> MemoryJournal:
    return launch.simulate(config(), secret=SECRET)


@cache
def report() -> LadderReport:
    return ladder.read(study())


def exam(journal: MemoryJournal, who: str, cell: str) -> list[float]:
    """The scores of one examinee in one cell, one attempt a task, read from plain facts."""
    found = {}
    for fact in journal.facts(under=f"exam/{who}", kind="sealed"):
        place = fact.path.split("/")[2]
        if journal.get(f"plan/exam/{place}", "task")["cell"] == cell:
            found[place] = fact.value["score"]
    return [found[place] for place in sorted(found)]


def row(kind: str, level: str) -> Over:
    return next(each for each in report().over if (each.kind, each.level) == (kind, level))


# ---------------------------------------------------------------------------------------------- numbers


def test_there_is_a_row_for_every_control_on_every_rung_of_the_ladder():
    assert [(each.arm, each.control, each.level) for each in report().over] == [
        ("phantom", f"phantom-{kind}", level) for kind in ("discard", "no-op") for level in ROWS
    ]


@pytest.mark.parametrize("kind", ["discard", "no-op"])
@pytest.mark.parametrize(("level", "cell"), [("G1", "toy-lock-v1 d2"), ("G2", "toy-lock-v1 d4")])
def test_a_gain_over_a_control_is_the_mean_difference_of_both_ends_lineage_by_lineage_and_task_by_task(
    kind: str, level: str, cell: str
):
    journal = study()
    differences = [
        late - less
        for k in range(1, 6)
        for late, less in zip(
            exam(journal, f"phantom.L{k}", cell), exam(journal, f"phantom-{kind}.L{k}", cell), strict=True
        )
    ]
    found = row(kind, level).gain
    assert len(differences) == 40
    assert found.value == pytest.approx(fmean(differences))
    assert (found.n_tasks, found.n_lineages, found.method) == (8, 5, "crossed random effects, Satterthwaite t")


def test_it_is_the_difference_of_both_gains_over_a_0():
    by_name = {arm.name: {rung.level: rung.gain.value for rung in arm.rungs} for arm in report().arms}
    for kind in ("discard", "no-op"):
        for level in ROWS:
            gains = [by_name[name][level] for name in ("phantom", f"phantom-{kind}")]
            assert row(kind, level).gain.value == pytest.approx((gains[0] or 0.0) - (gains[1] or 0.0))


def test_on_replays_the_static_arm_cancels():
    journal = study()

    def changes(name: str, k: int) -> list[float]:
        made = []
        for fact in journal.facts(under=f"{name}/L{k}/replay", kind="sealed"):
            place = fact.path.rpartition("/")[2]
            first = journal.get(f"plan/L{k}/{place}", "entry")["first"]
            made.append(fact.value["score"] - journal.get(f"{name}/L{k}/work/{first:04d}", "sealed")["score"])
        return made

    pairs = [zip(changes("phantom", k), changes("phantom-no-op", k), strict=True) for k in range(1, 6)]
    by_lineage = [fmean(mine - other for mine, other in pair) for pair in pairs]
    found = row("no-op", "G0")
    assert found.gain.value == pytest.approx(fmean(by_lineage))
    assert (found.gain.method, found.gain.n_lineages, found.adjusted) == ("t over lineages", 5, None)


def test_holm_counts_every_row_from_g1_up_of_every_control():
    rows = [each for each in report().over if each.level != "G0"]
    assert len(rows) == 4
    p = sorted(each.p or 0.0 for each in rows)
    by_hand, floor = {}, 0.0
    for place, value in enumerate(p):  # the i-th smallest times how many are left, and none below the one before
        floor = max(floor, min(1.0, value * (4 - place)))
        by_hand[value] = floor
    assert {each.p: each.adjusted for each in rows} == by_hand


def test_the_lineages_are_paired_and_not_the_means_alone():
    """Where both ends move together lineage by lineage, the interval of their difference is that of what is left."""
    found = row("no-op", "G1")
    assert found.gain.lo is not None
    assert found.gain.hi is not None
    journal = study()
    table = [
        [
            a - b
            for a, b in zip(
                exam(journal, f"phantom.L{k}", "toy-lock-v1 d2"),
                exam(journal, f"phantom-no-op.L{k}", "toy-lock-v1 d2"),
                strict=True,
            )
        ]
        for k in range(1, 6)
    ]
    grand = fmean(fmean(each) for each in table)
    lineage = 8 * sum((fmean(each) - grand) ** 2 for each in table) / 4
    columns = [fmean(each[i] for each in table) for i in range(8)]
    task = 5 * sum((each - grand) ** 2 for each in columns) / 7
    rest = sum((table[k][i] - fmean(table[k]) - columns[i] + grand) ** 2 for k in range(5) for i in range(8)) / 28
    raw = lineage + task - rest
    variance = max(raw, lineage, task) / 40
    half = (found.gain.hi - found.gain.lo) / 2
    assert 1.96 * variance**0.5 < half < 13 * variance**0.5  # t of a few degrees of freedom times this very error
    assert (found.gain.hi + found.gain.lo) / 2 == pytest.approx(grand)


# ---------------------------------------------------------------------------------------------- what clears


def over(word: Any, adjusted: float | None, level: Any = "G1", kind: str = "no-op", value: float = 0.2) -> Over:
    gain = Estimate(value, value - 0.1, value + 0.1, "t", 30, 5)
    verdict = Verdict(word, None)
    return Over("main", f"main-{kind}", kind, level, "cell", gain, verdict, adjusted, adjusted, "success")


@pytest.mark.parametrize(
    ("found", "clears"),
    [
        (over("improved", 0.05), True),
        (over("improved", 0.0501), False),
        (over("improved", None), False),
        (over("inconclusive", 0.01), False),
        (over("regressed", 0.01), False),
        (over("improved", None, "G0"), True),
        (over("inconclusive", None, "G0"), False),
    ],
)
def test_a_gain_clears_a_control_by_its_word_and_from_g1_up_by_holm_too(found: Over, clears: bool):
    assert found.clears is clears


def rung(word: Any = "improved") -> Any:
    made = replace(samples.rung("main", "G1", 0.3, 0.1), target="cell")
    return replace(made, verdict=replace(made.verdict, word=word))


def test_a_gain_that_does_not_clear_its_controls_says_so_where_it_stands():
    arm = replace(samples.arm("main", (0.1, 0.2, 0.1, 0.0, 0.0)), rungs=(rung(),))
    rows = (over("inconclusive", 0.4), over("improved", 0.01, kind="discard"), over("improved", 0.2, kind="shuffled"))
    (flagged,) = controls.flagged([arm], rows)
    assert flagged.rungs[0].gain.flags[-1] == "does not clear its controls: no-op, shuffled"
    said = list(controls_text.weaknesses(replace(report(), arms=(arm,), over=rows, gates=())))
    (line,) = said
    assert line == (
        "The gain of main on G1 (cell) does not clear its controls: over no-op +0.200 [0.100, 0.300], inconclusive; "
        "over shuffled +0.200 [0.100, 0.300], improved, but not by Holm (p = 0.200)."
    )


@pytest.mark.parametrize("word", ["inconclusive", "regressed", "contaminated"])
def test_what_is_no_gain_needs_to_clear_nothing(word: Any):
    assert controls.not_cleared(rung(word), [over("inconclusive", 0.4)]) == []


def test_a_control_that_had_little_to_put_in_is_a_weakness():
    arms = replace(report(), over=(), gates=(Gate("m", "m-shuffled", "shuffled", 5, 5, 10, 6),))
    assert list(controls_text.weaknesses(arms)) == [
        "m-shuffled controls little: 6 of the 10 edits it stands for held no text that could be written anew."
    ]
    half = replace(arms, gates=(Gate("m", "m-shuffled", "shuffled", 5, 5, 10, 5),))
    assert list(controls_text.weaknesses(half)) == []


def test_the_gate_of_each_control_is_counted():
    assert report().gates == (
        Gate("phantom", "phantom-discard", "discard", asked=30, accepted=0, proposed=30, empty=0),
        Gate("phantom", "phantom-no-op", "no-op", asked=30, accepted=30, proposed=30, empty=0),
    )


def test_a_control_of_a_phantom_has_no_true_gain():
    truths = {arm.name: [rung.truth for rung in arm.rungs] for arm in report().arms}
    assert truths == {"phantom": [1, 1, 1], "phantom-discard": [0, 0, 0], "phantom-no-op": [0, 0, 0]}


# ---------------------------------------------------------------------------------------------- holes


@dataclass(frozen=True)
class Breaks:
    """Always right; its provider breaks in the first exam task of one arm's second lineage, rerun or not."""

    id: str = "breaks"

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/skill": b"x"}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Right(rng)


@dataclass(frozen=True)
class _Right:
    rng: random.Random

    async def act(self, view: View) -> Action:
        if self.rng.random() < 0.08:
            raise InstrumentFault("model", "overloaded")
        return Action(str(LOCK.answer_to(int(view.text.rstrip(".").rsplit(" ", 1)[1]))))


def test_what_broke_is_missing_in_the_difference_and_never_a_zero():
    settings = config(exam={"secret": SECRET, "reruns": 0}, agent={"kind": "phantom:general"}, controls=["discard"])
    arms = (
        Arm("phantom", Breaks(), Static()),
        Arm("phantom-discard", Breaks(), controlled("discard", Static()), of="phantom"),
    )
    journal = launch.simulate(settings, secret=SECRET, arms=arms)
    read = ladder.read(journal)
    rows = {each.level: each for each in read.over if each.level != "G0"}
    for each in rows.values():
        table = [
            [journal_score(journal, name, k, each.target) for name in ("phantom", "phantom-discard")]
            for k in range(1, 6)
        ]
        whole = [i for i in range(8) if not any(isnan(side[i]) for pair in table for side in pair)]
        assert len(whole) < 8
        assert each.gain.n_tasks == len(whole)
        assert each.gain.value in (0.0, None)
        assert each.verdict.word == "incomplete"
        assert any("broke at the first try" in flag for flag in each.gain.flags)
        assert (each.p, each.adjusted, each.clears) == (None, None, False)


def journal_score(journal: MemoryJournal, name: str, k: int, cell: str) -> Sequence[float]:
    found = {}
    for fact in journal.facts(under=f"exam/{name}.L{k}", kind="sealed"):
        place = fact.path.split("/")[2]
        if journal.get(f"plan/exam/{place}", "task")["cell"] == cell:
            found[place] = fact.value.get("score", nan)
    return [found[place] for place in sorted(found)]


# ---------------------------------------------------------------------------------------------- renderers


def test_every_renderer_has_the_gain_over_each_control():
    told, wanted = report(), controls_text.cells(row("no-op", "G1"))
    assert wanted[:4] == ("phantom", "no-op", "G1", "toy-lock-v1 d2")
    text = markdown.markdown(told)
    assert f"| {' | '.join(map(markdown.escaped, wanted))} |" in text
    assert (
        "- phantom-no-op (what it proposes is replaced by what was there already): the gate took over 30 of 30" in text
    )
    html = page.html(told)
    for form in (text, html):
        assert form.count("put out of work as the control no-op of phantom") == 1
    assert '<section id="controls">' in html
    assert html.count(">no-op<") == 3
    screen = terminal.text(told)
    assert "less control" in screen
    assert "- no-op" in screen
    assert max(map(len, screen.splitlines())) <= 80
    found = flat.json_value(told)["over"]
    assert [each["kind"] for each in found] == ["discard"] * 3 + ["no-op"] * 3


def test_a_flat_row_has_the_least_gain_over_a_control():
    rows = [each for each in flat.rows(report()) if each["arm"] == "phantom"]
    g1 = next(each for each in rows if each["level"] == "G1")
    least = min((row(kind, "G1") for kind in ("discard", "no-op")), key=lambda each: each.gain.value or 0.0)
    assert (g1["least_control"], g1["over_least_control"]) == (least.kind, least.gain.value)
    assert g1["clears_controls"] == ("yes" if all(row(kind, "G1").clears for kind in ("discard", "no-op")) else "no")
    control = next(each for each in flat.rows(report()) if each["arm"] == "phantom-no-op")
    assert (control["control_of"], control["control_kind"], control["clears_controls"]) == ("phantom", "no-op", None)


def test_without_controls_nothing_is_said_of_any():
    plain = ladder.read(launch.simulate(config(controls=[]), secret=SECRET))
    assert (plain.over, plain.gates) == ((), ())
    assert "Over controls" not in markdown.markdown(plain)
    assert 'id="controls"' not in page.html(plain)
    assert "put out of work as" not in page.html(plain) + markdown.markdown(plain)
    assert "less control" not in terminal.text(plain)


# ---------------------------------------------------------------------------------------------- known truth


NOTE = "What is shown wants the secret that goes with it."


def answer(request: Any) -> str:
    """Right with luck of eight in ten where the note is in sight, and of two in ten elsewhere."""
    if request.role == "improver":
        return NOTE
    seen = request.messages[-1].text
    luck = int(sha256("".join(message.text for message in request.messages))[:8], 16) % 10
    informed = any(NOTE in message.text for message in request.messages)
    shown = int(seen.rstrip(".").rsplit(" ", 1)[1])
    return str(LOCK.answer_to(shown) if luck < (8 if informed else 2) else 0)


def test_a_reflection_gains_over_every_control_and_no_control_gains():
    settings = config(
        lineages=6,
        agent={"kind": "chat", "model": "scripted/function"},
        method={"name": "reflexion"},
        controls=["discard", "no-op", "random-edit", "shuffled"],
        tasks={
            "schedule": [{"family": "toy-lock-v1", "difficulty": 2, "count": 4}],
            "holdout": [{"family": "toy-lock-v1", "difficulty": 2, "count": 30}],
        },
    )
    model = Provided(answer)
    arms = wiring.arms(settings, models={model.id: model})
    read = ladder.read(launch.simulate(settings, secret=SECRET, arms=arms))
    for each in read.over:
        assert each.gain.value == pytest.approx(0.6, abs=0.1)  # eight in ten less two in ten
        assert each.clears
    for arm in read.arms[1:]:
        gain = arm.rungs[0].gain
        assert gain.value is not None
        assert abs(gain.value) < 0.24  # 3 errors of 180 draws at 0.2 less 30: A_0 answers a task alike each time
        assert arm.rungs[0].verdict.word in ("inconclusive", "not estimable")
    assert not [line for line in read.weaknesses if "controls" in line]
