"""A pilot that is the study itself foretells it exactly; dollars and hours by hand; what is not known is named."""

from dataclasses import replace
from statistics import fmean

import pytest

from rung.core.config import Config, PriceConfig, parse
from rung.planning import pilot, study, use
from rung.planning.pilot import Pilot, Tokens
from rung.planning.predict import Group
from rung.planning.use import Arms
from rung.protocols import forecast
from rung.reports import ladder

from .trials import MODEL, PRICE, Trial, used


def pilot_of(trial: Trial) -> tuple[Config, Pilot, dict[str, float]]:
    settings = trial.config("same")
    journal = trial.run(settings, "same")
    return settings, pilot.read(journal), dict(used(ladder.read(journal)))


@pytest.mark.parametrize("number", [1, 4, 9], ids=["chat", "reflexion", "chooser"])
def test_a_pilot_that_is_the_study_itself_is_expected_again(number):
    trial = Trial(number)
    settings, read, truth = pilot_of(trial)
    found = use.amounts(settings, use.arms(trial.arms(settings)), [read])
    for each in found:
        if each.quantity in truth:
            assert each.range is not None
            assert each.range.expected == pytest.approx(truth[each.quantity]), each.quantity
            assert each.range.low <= truth[each.quantity] <= each.range.high


def test_as_many_attempts_are_wanted_as_the_study_has():
    trial = Trial(4)
    settings = trial.config("size")
    groups = use.wanted(settings, use.arms(trial.arms(settings)))
    assert sum(want.attempts for want in groups) == forecast.extent(settings).attempts(1)
    exam = [want for want in groups if want.group.kind == "exam"]
    assert {want.tasks for want in exam} == {block.count for block in settings.tasks.holdout}


@pytest.fixture(scope="module")
def chat() -> tuple[Config, Arms, Pilot]:
    trial = Trial(4)
    settings, read, _ = pilot_of(trial)
    return settings, use.arms(trial.arms(settings)), read


def amount(name: str, settings: Config, of: Arms, *pilots: Pilot) -> use.Amount:
    return next(each for each in use.amounts(settings, of, pilots) if each.quantity == name)


def test_dollars_are_tokens_by_the_prices_of_the_study(chat):
    settings, of, read = chat
    parts = [part for each in read.attempts for part in (each.acting, each.refining)]
    usd = sum((part.read or 0) * PRICE.input + (part.written or 0) * PRICE.output for part in parts) / 1e6
    assert amount("usd", settings, of, read).range.expected == pytest.approx(usd)
    dear = PriceConfig(input=20.0, output=100.0, date="2026-11-30")
    dearer = replace(of, prices=dict.fromkeys(of.prices, dear))
    assert amount("usd", settings, dearer, read).range.expected == pytest.approx(10 * usd)


def test_a_model_without_a_price_leaves_dollars_unknown_and_is_named(chat):
    settings, of, read = chat
    found = amount("usd", settings, replace(of, prices=dict.fromkeys(of.prices)), read)
    assert (found.range, found.unknown) == (None, f"no price is known of {MODEL}")
    assert amount("tokens", settings, of, read).range is not None


def test_answers_that_nobody_counted_leave_tokens_unknown(chat):
    settings, of, read = chat
    first = replace(read.attempts[0], acting=Tokens(1, None, None, None))
    uncounted = replace(read, attempts=(first, *read.attempts[1:]))
    for name in ("tokens", "input_tokens", "output_tokens", "usd"):
        found = amount(name, settings, of, uncounted)
        assert (found.range, found.unknown) == (None, "calls of the pilot were answered without a count of tokens")
    assert amount("calls", settings, of, uncounted).range is not None


def test_hours_are_of_so_many_at_once_and_unknown_without_seconds(chat):
    settings, of, read = chat
    assert amount("hours", settings, of, read).unknown == "the pilot recorded no seconds"
    timed = replace(read, attempts=tuple(replace(each, seconds=36.0) for each in read.attempts))
    many = len(read.attempts)
    assert amount("hours", settings, of, timed).range.expected == pytest.approx(many / 100)
    wide = settings.model_copy(update={"engine": settings.engine.model_copy(update={"concurrency": 100})})
    exam = sum(each.group.kind == "exam" for each in read.attempts)
    lineages = 2 * settings.lineages
    expected = ((many - exam) / lineages + exam / 100) / 100
    assert amount("hours", wide, of, timed).range.expected == pytest.approx(expected)


def test_a_family_that_no_pilot_worked_leaves_all_unknown(chat):
    settings, of, read = chat
    document = settings.model_dump(mode="json")
    document["tasks"]["holdout"][0]["family"] = "toy-lamp-v1"
    found = use.amounts(parse(document), of, [read])
    assert {each.unknown for each in found} >= {"no pilot has worked toy-lamp-v1"}


def test_a_longer_study_than_its_pilot_allows_for_learning_that_goes_on():
    trial = Trial(0)  # it plays better as it learns, and so shorter
    settings = trial.config("long")
    read = pilot.read(trial.run(settings, "long"))
    longer = settings.model_dump(mode="json")
    longer["tasks"]["schedule"][0]["count"] *= 3
    study_ = parse(longer)
    assert use.longer(study_, [read]) == (3 * read.worked, read.worked)
    of = use.arms(trial.arms(settings))

    def mean(group: Group) -> float:
        return fmean(each.actions for each in read.attempts if each.group == group)

    plain = drift = 0.0
    for want in use.wanted(study_, of):
        who, kind, cell = want.group
        plain += want.attempts * mean(want.group)
        if who != "static":
            pace = mean(Group(who, "exam", cell)) - mean(Group("static", "exam", cell))
            drift += want.attempts * pace * (2 if kind == "exam" else 2 / 3 * 3 / 2)
    assert drift < 0
    assert amount("actions", study_, of, read).range.expected == pytest.approx(plain + drift / 2)


def test_without_a_model_nothing_is_said_of_calls():
    trial = Trial(9)
    settings, read, _ = pilot_of(trial)
    found = use.amounts(settings, use.arms(trial.arms(settings)), [read])
    assert [each.quantity for each in found] == ["attempts", "actions", "hours"]


def test_borrowed_means_are_named(chat):
    settings, of, read = chat
    part = replace(read, attempts=tuple(each for each in read.attempts if each.group.kind != "replay"))
    pairs = list(use.borrowed(settings, of, [part]))
    assert {group.kind for group, _ in pairs} == {"replay"}
    said = study.foresee(settings, Trial(4).arms(settings), pilots=[part]).basis
    assert any(line.startswith("No pilot shows replay of ") for line in said)
