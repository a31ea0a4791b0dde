"""What an agent tried, tried again in vain, and learned something new from."""

from rung.findings.self_testing import self_testings, state
from rung.findings.transitions import courses
from rung.store.memory import MemoryJournal

from .explored import episode, plan, step


def found(*episodes, lineages=None, **more):
    journal = MemoryJournal()
    plan(journal)
    for number, steps in enumerate(episodes, 1):
        lineage = lineages[number - 1] if lineages else 1
        episode(journal, f"arm.game-v1/L{lineage}/work/{number:04d}", steps, **more)
    (row,) = self_testings(journal, courses(journal))
    return row


def test_counters_do_not_make_another_state():
    assert state("a\nStep 3 of 64") == state("a\nStep 4 of 64")
    assert state("Mines 10, lives left 2, steps left 3.") == state("Mines 10, lives left 2, steps left 60.")
    assert state("Mines 10, lives left 2, steps left 3.") != state("Mines 10, lives left 1, steps left 3.")
    assert state("Round 3 of 10") == state("Round 4 of 10")


def test_states_and_actions_are_counted_once_in_a_lineage_and_anew_in_each():
    steps = [step("a\nStep 1 of 9", "left"), step("b\nStep 2 of 9", "right"), step("a\nStep 3 of 9", "left")]
    row = found(steps, steps)
    assert (row.steps, row.states, row.actions) == (6, 2, 2)
    assert found(steps, steps, lineages=[1, 2]).states == 4


def test_what_is_refused_or_changes_nothing_failed_and_again_it_is_repeated():
    wall = [step("a", "left", invalid=True), step("a", "left", invalid=True), step("a", "up"), step("a", "up")]
    row = found([*wall, step("a", "down"), step("b", "down")])
    # left twice refused; up twice without a change; the first down leads to b; the last step's state is not shown
    assert (row.failed, row.repeated, row.invalid) == (4, 2, 2)
    assert row.repeated_share == 0.5


def test_a_step_that_earns_has_not_failed_though_nothing_changes():
    assert found([step("a", "wait", earned=1.0), step("a", "wait")]).failed == 0


def test_failures_are_remembered_over_episodes_of_a_lineage_and_not_over_lineages():
    wall = [step("a", "left", invalid=True)]
    assert found(wall, wall).repeated == 1
    assert found(wall, wall, lineages=[1, 2]).repeated == 0


def test_new_is_what_had_not_come_of_it_before():
    first = [step("a", "go"), step("b", "go"), step("c", "stop", reply="the end")]
    row = found(first, first, [step("a", "go"), step("d", "stop", reply="the end")])
    # first episode: 3 new. second: none. third: go in a now leads to d (new), stop in d was never tried (new).
    assert (row.steps, row.new) == (8, 5)
    assert row.share(row.new) == 5 / 8


def test_a_reward_that_differs_is_another_outcome():
    assert found([step("a", "go", earned=0.0)], [step("a", "go", earned=1.0)]).new == 2


def test_extra_lives_used_are_those_after_which_it_goes_on():
    lives = {"payload": {"extra_lives": 2}}
    one, most = {"lives_lost": 1}, {"lives_lost": 3}
    journal = MemoryJournal()
    plan(journal)
    episode(journal, "arm.game-v1/L1/work/0001", [step("a", "go")], metrics=one, **lives)
    episode(journal, "arm.game-v1/L1/work/0002", [step("a", "go")], metrics=most, **lives)
    episode(journal, "arm.game-v1/L1/work/0003", [step("a", "go")], metrics={"lives_lost": 0}, **lives)
    (row,) = self_testings(journal, courses(journal))
    assert (row.lives_given, row.lives_used, row.went_on) == (6, 3, 2)


def test_a_game_without_extra_lives_has_none():
    row = found([step("a", "go")], metrics={"lives_lost": 1}, payload={"extra_lives": 0})
    assert (row.lives_given, row.lives_used, row.went_on) == (None, None, None)
