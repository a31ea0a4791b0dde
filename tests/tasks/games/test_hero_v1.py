import asyncio
import json
import re
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.errors import UsageError
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Task
from rung.tasks.games.hero_v1 import words
from rung.tasks.games.hero_v1.engine import Journey, Result, carry_out
from rung.tasks.games.hero_v1.game import FAMILY, HeroEpisode, quests_of
from rung.tasks.games.hero_v1.infer import foretold, guessed, telling
from rung.tasks.games.hero_v1.key import KEY, identifiable
from rung.tasks.games.hero_v1.world import BUY, Demonstration, Entity, Quest, Steps, World, plan


def draw(setting: str = "d1", seed: str = "s") -> Task:
    return FAMILY.draw(FAMILY.setting(setting), Seed(seed))


def quests(setting: str, many: int) -> list[Quest]:
    return [quest for n in range(many) for quest in quests_of(draw(setting, str(n)))]


async def _played(task: Task, actor: Actor) -> Evaluation:
    episode = await FAMILY.start(task, Ports())
    for _ in range(task.calls):
        reply = await episode.call((await actor.act(episode.view())).answer)
        if reply.done:
            break
    return await episode.evaluate()


def played(task: Task, actor: Actor) -> Evaluation:
    return asyncio.run(_played(task, actor))


# The world of these tests, made by hand: one shop, one ritual, one potion, and money for three blades.
WORLD = World(
    start="gate",
    money=100,
    cost=30,
    places=("forge", "gate", "keep"),
    shops={"forge": "short_blade"},
    blocks=(("perform hymn", "drink mead"),),
)
HYMN, MEAD = "perform hymn", "drink mead"
ADA = Entity("Ada_Birch", "keep", "short_blade", {"class": "mason", "role": "clerk"})
SHORTEST = ["perform hymn", "go forge", "buy short_blade", "go keep", "defeat Ada_Birch"]


def quest(
    shown: dict[tuple[str, str], Steps], target: tuple[str, str], steps: Steps, template: str = "override"
) -> Quest:
    """A quest on class and role."""
    entities = {traits: replace(ADA, traits=dict(zip(("class", "role"), traits, strict=True))) for traits in shown}
    entities[target] = replace(ADA, traits=dict(zip(("class", "role"), target, strict=True)))
    demonstrations = tuple(Demonstration(entities[traits], done) for traits, done in shown.items())
    return Quest(template, WORLD, demonstrations, entities[target], steps, budget_percent=300)


PLAIN = quest({("potter", "clerk"): (HYMN, BUY)}, ("mason", "clerk"), (HYMN, BUY))


def travelled(*actions: str, steps: Steps = (HYMN, BUY), budget: int = 99) -> Result:
    return carry_out(Journey(WORLD, ADA, steps), actions, budget)


def on(*made: Quest) -> HeroEpisode:
    """An episode on quests made by hand."""
    return HeroEpisode(draw(), made)


def do(episode: HeroEpisode, actions: object) -> Reply:
    return asyncio.run(episode.call(Call("submit_actions", {"actions": actions})))


def measured(episode: HeroEpisode) -> Evaluation:
    return asyncio.run(episode.evaluate())


# --------------------------------------------------------------------------------------------- carrying out a list


def test_the_shortest_list_succeeds_with_its_last_action():
    assert plan(WORLD, ADA, (HYMN, BUY)) == SHORTEST
    seen = travelled(*SHORTEST)
    assert (seen.done, seen.actions, seen.failed) == (True, 5, 0)
    assert seen.said == ("done", "you are at the forge", "you have the short_blade", "you are at the keep", "defeated")


def test_nothing_is_done_after_the_defeat():
    assert travelled(*SHORTEST, "go gate", "nonsense") == travelled(*SHORTEST)


@pytest.mark.parametrize(
    "actions",
    [
        ["go forge", "buy short_blade", "perform hymn", "go keep"],  # the other order
        ["perform hymn", "perform hymn", "go forge", "buy short_blade", "go keep"],  # once too often
        ["perform hymn", "drink mead", "go forge", "buy short_blade", "go keep"],  # one more
        ["perform hymn", "go forge", "buy short_blade", "buy short_blade", "go keep"],  # two items
        ["go forge", "buy short_blade", "go keep"],  # one less
        ["perform hymn", "go keep"],  # no item
    ],
)
def test_the_log_must_be_the_sequence_exactly(actions):
    seen = travelled(*actions, "defeat Ada_Birch")
    assert (seen.done, seen.failed) == (False, 1)
    assert seen.said[-1] == "requirements not met; begin again, your item is lost"


def test_going_about_is_no_part_of_the_sequence():
    seen = travelled("go keep", "perform hymn", "go gate", "go forge", "check_location", *SHORTEST[2:])
    assert (seen.done, seen.actions) == (True, 8)


def test_after_a_failed_defeat_the_log_is_empty_and_the_list_goes_on():
    seen = travelled("drink mead", "go keep", "defeat Ada_Birch", *SHORTEST)
    assert (seen.done, seen.actions, seen.failed) == (True, 8, 1)


def test_after_a_failed_defeat_the_item_is_lost_and_must_be_bought_again():
    failed = ["go forge", "buy short_blade", "go keep", "defeat Ada_Birch"]
    assert not travelled(*failed, "perform hymn", "defeat Ada_Birch").done
    assert travelled(*failed, *SHORTEST).done


def test_a_defeat_elsewhere_or_of_somebody_else_changes_nothing():
    seen = travelled(*SHORTEST[:3], "defeat Ada_Birch", "go keep", "defeat Bo_Elm", "defeat Ada_Birch")
    assert (seen.done, seen.failed) == (True, 2)
    assert seen.said[3] == "Ada_Birch is not at the forge"
    assert seen.said[5] == "'Bo_Elm' is not whom you came for"


def test_money_is_spent_also_on_what_was_lost():
    seen = travelled("go forge", *["buy short_blade"] * 4)
    assert seen.said[-1] == "it costs 30, and you have 10"
    assert seen.failed == 1


def test_an_item_is_bought_in_its_shop_only():
    seen = travelled("buy short_blade", "go forge", "buy long_spear")
    assert seen.said[0] == "no 'short_blade' is sold at the gate"
    assert (seen.said[2], seen.failed) == ("no 'long_spear' is sold at the forge", 2)


@pytest.mark.parametrize(
    "action",
    ["", " ", "go", "go nowhere", "GO keep", "go  keep", " go keep", "perform mead", "drink hymn", "drink", "buy",
     "perform", "fly keep", "defeat", "check_money", "go keep\n", "perform hymn 2", "buy forge", "ｇｏ keep"],
)  # fmt: skip
def test_what_is_unknown_or_malformed_is_used_up_and_changes_nothing(action):
    seen = travelled(action, *SHORTEST)
    assert (seen.done, seen.actions, seen.failed) == (True, 6, 1)


def test_the_budget_ends_a_list():
    assert travelled(*SHORTEST, budget=5).done
    assert (travelled(*SHORTEST, budget=4).done, travelled(*SHORTEST, budget=4).actions) == (False, 4)
    assert travelled("check_inventory", *SHORTEST, budget=5).done is False


# --------------------------------------------------------------------------------------------- inference, by hand

P, W, M, S = (HYMN, BUY), (BUY, HYMN), (MEAD, BUY), (BUY, MEAD)
RULED = {("potter", "usher"): P, ("potter", "clerk"): S, ("weaver", "usher"): W, ("weaver", "clerk"): S,
         ("mason", "usher"): M}  # fmt: skip


def test_override_the_exception_is_read_off_two_classes_and_holds_for_a_third():
    assert foretold(quest(RULED, ("mason", "clerk"), S)) == {S}
    assert identifiable(quest(RULED, ("mason", "clerk"), S))


def test_override_a_default_is_read_off_one_demonstration():
    shown = {**RULED, ("potter", "crier"): P, ("weaver", "crier"): W}
    assert foretold(quest(shown, ("mason", "crier"), M)) == {M}


def test_override_too_few_demonstrations_are_rejected():
    # Either clerks are the exception, and a mason who is one asks for S; or masons are, and then for M.
    shown = {traits: steps for traits, steps in RULED.items() if traits[0] != "weaver"}
    assert foretold(quest(shown, ("mason", "clerk"), S)) == {S, M}
    assert not identifiable(quest(shown, ("mason", "clerk"), S))


def test_override_a_class_never_shown_foretells_nothing():
    shown = {traits: steps for traits, steps in RULED.items() if traits[0] != "mason"}
    assert foretold(quest(shown, ("mason", "usher"), M)) == {None}


TWO = {("potter", "usher"): (HYMN, BUY), ("weaver", "clerk"): (BUY, MEAD, MEAD)}


def test_ordered_attributes_that_always_go_together_are_rejected():
    # If the class is the action, a potter does a hymn, and a clerk after buying. If the role is, it is mead, before.
    under = quest(TWO, ("potter", "clerk"), (BUY, HYMN), "ordered")
    assert foretold(under) == {(BUY, HYMN), (MEAD, MEAD, BUY)}
    assert not identifiable(under)


def test_ordered_one_more_demonstration_tells_them_apart():
    # An usher with mead: so it is not the role that decides the action.
    shown = {**TWO, ("weaver", "usher"): (MEAD, MEAD, BUY)}
    assert identifiable(quest(shown, ("potter", "clerk"), (BUY, HYMN), "ordered"))


def test_the_demonstrations_must_foretell_what_is_true():
    assert not identifiable(quest(RULED, ("mason", "clerk"), M))


def test_a_newcomer_believes_the_first_attribute():
    assert guessed(quest(RULED, ("mason", "clerk"), S)) == M
    assert guessed(quest(TWO, ("potter", "clerk"), (BUY, HYMN), "ordered")) == (BUY, HYMN)


# --------------------------------------------------------------------------------------------- generator


@pytest.mark.parametrize(
    ("setting", "row"),
    [("d1", ("override", 1, 9, 2, 300)), ("d2", ("override", 2, 9, 2, 250)), ("d3", ("ordered", 2, 8, 2, 200)),
     ("d4", ("ordered", 3, 10, 2, 200)), ("d5", ("ordered", 4, 12, 2, 150)), ("d6", ("ordered", 4, 12, 3, 100)),
     ("d50", ("ordered", 4, 12, 47, 100))],
)  # fmt: skip
def test_the_numbers_are_the_tables_and_go_on_beyond_it(setting, row):
    task = draw(setting)
    names = ("template", "blocks", "demonstrations", "distractors", "budget_percent")
    assert tuple(task.payload[name] for name in names) == row
    drawn = quests_of(task)
    assert (len(drawn), task.calls) == (5, 5)
    assert all(len(one.demonstrations) == row[2] + row[3] and len(telling(one)) == row[2] for one in drawn)
    assert all(one.budget == one.shortest * row[4] // 100 for one in drawn)


@pytest.mark.parametrize(("setting", "least", "most"), [("d1", 5, 5), ("d2", 6, 6), ("d3", 6, 10), ("d4", 7, 13),
                                                        ("d5", 8, 16)])  # fmt: skip
def test_the_shortest_list_is_as_long_as_the_blocks_make_it(setting, least, most):
    lengths = {len(plan(one.world, one.target, one.steps)) for one in quests(setting, 60)}
    assert lengths == {one.shortest for one in quests(setting, 60)}
    assert least <= min(lengths) <= max(lengths) <= most


def test_an_unknown_setting_is_refused_by_name():
    with pytest.raises(UsageError, match="hero-v1 has no setting 'easy'; its settings are d1, d2 and so on"):
        FAMILY.setting("easy")


def test_no_word_is_in_two_pools_and_the_pools_are_as_large_as_told():
    every = [word for pool in words.POOLS.values() for word in pool]
    assert len(every) == len(set(every))
    sizes = {name: len(pool) for name, pool in words.POOLS.items()}
    assert [sizes[name] for name in ("ritual", "potion", "place", "shop")] == [24, 24, 40, 8]
    assert sizes["first name"] == sizes["last name"] == 40
    assert all(len(pool) == 12 for pool in words.TRAITS.values())


def test_the_same_seed_gives_the_same_quests_and_another_seed_others():
    assert quests_of(draw("d3", "a")) == quests_of(draw("d3", "a"))
    assert KEY.fingerprint(draw("d3", "a")) != KEY.fingerprint(draw("d3", "b"))
    assert len({KEY.fingerprint(draw("d1", str(n))) for n in range(200)}) == 200


@pytest.mark.parametrize("setting", ["d1", "d2"])
def test_override_two_classes_are_shown_with_every_role_and_the_targets_class_once(setting):
    for one in quests(setting, 20):
        held_out = one.target.traits["class"]
        shown = [d.entity.traits for d in telling(one)]
        assert [traits["class"] for traits in shown].count(held_out) == 1
        assert len({tuple(sorted(traits.items())) for traits in shown}) == 9
        assert len({traits["class"] for traits in shown}) == 3
        assert len({traits["role"] for traits in shown if traits["class"] != held_out}) == 4
        assert dict(one.target.traits) not in [dict(traits) for traits in shown]


def overriding(one: Quest) -> str:
    """The role whose demonstrations all have the same steps, though the classes differ."""
    by_role: dict[str, set[Steps]] = {}
    for d in telling(one):
        by_role.setdefault(d.entity.traits["role"], set()).add(d.steps)
    return next(role for role, steps in by_role.items() if len(steps) == 1 and role != hint(one))


def hint(one: Quest) -> str:
    held_out = one.target.traits["class"]
    return next(d.entity.traits["role"] for d in telling(one) if d.entity.traits["class"] == held_out)


def test_override_two_targets_at_least_have_the_exception_and_two_at_least_do_not():
    places = set()
    for n in range(40):
        exceptions = [one.target.traits["role"] == overriding(one) for one in quests_of(draw("d2", str(n)))]
        assert sum(exceptions) in (2, 3)
        places.add(tuple(exceptions))
    assert len(places) > 10  # of 20: nor can the place among the five be memorised


def test_ordered_the_target_is_not_shown_and_each_of_its_values_is():
    for one in quests("d4", 20):
        shown = [d.entity.traits for d in telling(one)]
        assert one.target.traits not in shown
        assert len({tuple(sorted(traits.items())) for traits in shown}) == 10
        assert all(any(traits[label] == value for traits in shown) for label, value in one.target.traits.items())


def test_what_an_attribute_means_differs_from_seed_to_seed():
    """Over many quests every attribute of d3 stands for the order, and every place on the card does."""
    labels, places = set(), set()
    for one in quests("d3", 40):
        for place, label in enumerate(one.target.traits):
            orders: dict[str, set[tuple[str, ...]]] = {}
            for d in telling(one):
                order = tuple(dict.fromkeys(step if step == BUY else block(one, step) for step in d.steps))
                orders.setdefault(d.entity.traits[label], set()).add(order)
            if all(len(seen) == 1 for seen in orders.values()):
                labels.add(label)
                places.add(place)
    assert labels == set(words.TRAITS)
    assert places == {0, 1, 2}


def block(one: Quest, step: str) -> str:
    return str(next(n for n, names in enumerate(one.world.blocks) if step in names))


def test_what_a_role_or_a_ritual_asks_for_differs_from_seed_to_seed():
    asked: dict[str, set[str]] = {}
    for one in quests("d1", 100):
        for d in telling(one):
            if d.entity.traits["role"] == overriding(one):
                kind = " ".join("buy" if step == BUY else step.split(" ")[0] for step in d.steps)
                asked.setdefault(d.entity.traits["role"], set()).add(kind)
    assert set(asked) == set(words.TRAITS["role"])
    assert all(kinds == {"buy perform", "buy drink", "perform buy", "drink buy"} for kinds in asked.values())


def test_distractors_have_the_layout_of_the_others_and_no_hidden_steps():
    for one in quests("d5", 10):
        others = [d for d in one.demonstrations if d not in telling(one)]
        assert all(d.steps == (BUY,) and len(d.entity.traits) == 5 for d in others)
        assert all(set(d.entity.traits) <= set(words.OTHER_TRAITS) for d in others)
        cards = re.findall(r"^  card: (.*)$", on(one).view().text, re.MULTILINE)
        shape = r"([a-z]+ [a-z]+, ){4}[a-z]+ [a-z]+; at [a-z]+, takes [a-z]+_[a-z]+"
        assert len(cards) == 15
        assert all(re.fullmatch(shape, card) for card in cards)


# --------------------------------------------------------------------------------------------- key


@pytest.mark.parametrize("setting", ["d1", "d2", "d3", "d4", "d5", "d6"])
def test_most_draws_are_admitted_and_their_steps_are_found_by_thought(setting):
    tasks = [draw(setting, str(n)) for n in range(60)]
    admitted = [task for task in tasks if KEY.admit(task)]
    assert len(admitted) >= 54
    assert all(foretold(one) == {one.steps} for task in admitted for one in quests_of(task))


def test_a_task_with_a_quest_that_is_not_determined_is_not_admitted():
    sparse = FAMILY.setting("d3")
    sparse = replace(sparse, params={**sparse.params, "demonstrations": 4})
    tasks = [FAMILY.draw(sparse, Seed(str(n))) for n in range(20)]
    assert not all(KEY.admit(task) for task in tasks)
    assert all(KEY.admit(task) == all(identifiable(one) for one in quests_of(task)) for task in tasks)


def test_every_assignment_is_tried_one_by_one_with_the_same_result():
    """Another method: each assignment of attributes to blocks and order as a whole, on whole sequences."""
    for one in quests("d3", 12):
        found = set()
        for labels in permutations(one.target.traits):
            table: dict[tuple[int, str], object] = {}
            fits = True
            for d in telling(one):
                parts = [tuple(step for step in d.steps if step in names) for names in one.world.blocks]
                order = tuple(dict.fromkeys("buy" if step == BUY else block(one, step) for step in d.steps))
                for slot, part in enumerate([*parts, order]):
                    fits &= table.setdefault((slot, d.entity.traits[labels[slot]]), part) == part
            if fits:
                *blocks, order = (table[slot, one.target.traits[label]] for slot, label in enumerate(labels))
                found.add(tuple(s for o in order for s in ((BUY,) if o == "buy" else blocks[int(o)])))
        assert found == foretold(one)


@pytest.mark.parametrize("setting", ["d1", "d3", "d5", "d9"])
def test_the_solver_scores_exactly_1_and_the_naive_policy_legally_less(setting):
    tasks = [task for n in range(25) if KEY.admit(task := draw(setting, str(n)))]
    assert {played(task, KEY.solver(task)).score for task in tasks} == {1.0}
    naive = [played(task, KEY.naive(task)) for task in tasks]
    assert sum(seen.score for seen in naive) / len(naive) < 0.6
    assert all(seen.metrics["invalid_answers"] == 0 and seen.status == "completed" for seen in naive)
    assert KEY.reference(tasks[0]).certificate == "optimal"


def test_the_fingerprint_leaves_out_names_and_order_and_holds_rule_and_target(monkeypatch):
    from rung.tasks.games.hero_v1 import key

    def of(one: Quest) -> str:
        monkeypatch.setattr(key, "quests_of", lambda task: (one, PLAIN))
        return KEY.fingerprint(draw())

    one = quest(RULED, ("mason", "clerk"), S)
    renamed = replace(one, target=replace(one.target, name="Bo_Elm", place="gate"))
    assert of(one) == of(renamed) == of(replace(one, demonstrations=one.demonstrations[::-1]))
    assert len({of(one), of(replace(one, steps=M)), of(replace(one, demonstrations=one.demonstrations[1:]))}) == 3


# --------------------------------------------------------------------------------------------- episode and score


def test_a_quest_scores_the_shortest_length_over_the_actions_done():
    assert do(on(PLAIN), SHORTEST).score == 1.0
    assert do(on(PLAIN), ["check_inventory", "fly", "go gate", *SHORTEST]).score == 5 / 8
    assert do(on(PLAIN), ["fly"] * 10 + SHORTEST).score == 5 / 15
    assert do(on(PLAIN), ["fly"] * 11 + SHORTEST).score == 0.0  # 15 actions are allowed


def test_the_task_scores_the_mean_and_succeeds_if_every_target_is_defeated():
    episode = on(PLAIN, PLAIN)
    do(episode, SHORTEST)
    assert (measured(episode).score, measured(episode).success, measured(episode).status) == (0.5, False, "cancelled")
    assert do(episode, ["go gate"] * 5 + SHORTEST).done
    seen = measured(episode)
    assert (seen.score, seen.success, seen.status) == (0.75, True, "completed")
    assert seen.metrics["quest_scores"] == [1.0, 0.5]
    one = on(PLAIN, PLAIN)
    do(one, SHORTEST)
    do(one, ["go gate"])
    assert (measured(one).score, measured(one).success) == (0.5, False)


def test_the_reply_says_how_it_went_only_where_the_lens_can_hide_it():
    won, lost = on(PLAIN, PLAIN), on(PLAIN, PLAIN)
    replies = [do(won, SHORTEST), do(lost, ["fly", "go keep", "defeat Ada_Birch"])]
    assert {reply.text for reply in replies} == {"The list was carried out. The next quest begins."}
    assert won.view() == lost.view()
    assert [reply.success for reply in replies] == [True, False]
    assert replies[0].feedback == "Defeated: 5 of 15 actions done; the shortest list has 5."
    assert replies[1].feedback == (
        "Not defeated: 3 of 15 actions done; the shortest list has 5. In vain: 2. "
        "In vain: action 1, 'fly': there is no action 'fly'. "
        "In vain: action 3, 'defeat Ada_Birch': requirements not met; begin again, your item is lost."
    )


def test_the_view_shows_world_demonstrations_target_and_budget():
    text = on(PLAIN).view().text
    assert text.startswith("Quest 1 of 1\n\nThe world\n  start: gate; money: 100\n  places: forge, gate, keep\n")
    assert "  shop: forge sells short_blade for 30\n  rituals and potions: perform hymn, drink mead\n" in text
    assert "Demonstration 1: defeat Ada_Birch\n  card: class potter, role clerk; at keep, takes short_blade\n" in text
    assert "  go forge -> you are at the forge\n" in text
    assert text.endswith("Your target: defeat Ada_Birch\n  card: class mason, role clerk; at keep, takes short_blade\n"
                         "Actions allowed: 15")  # fmt: skip


def test_the_view_hangs_on_what_is_hidden_only_through_the_budget():
    one = quest(RULED, ("mason", "clerk"), S)
    assert on(one).view() == on(replace(one, steps=M)).view()


def test_a_call_after_the_end_changes_nothing():
    episode = on(PLAIN)
    do(episode, SHORTEST)
    before = (episode.view(), measured(episode))
    reply = do(episode, SHORTEST)
    assert (reply.text, reply.invalid, reply.done) == ("all quests are over; nothing was changed", True, True)
    assert (episode.view(), measured(episode)) == before


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (None, "actions must be a list of strings, with one at least, got null"),
        ([], "actions must be a list of strings, with one at least, got a list"),
        ("go keep", "actions must be a list of strings, with one at least, got 'go keep'"),
        ({"go": "keep"}, "actions must be a list of strings, with one at least, got an object"),
        (["go keep", 3], "actions must be strings, got 3"),
        ([True], "actions must be strings, got true"),
        ([["go keep"]], "actions must be strings, got a list"),
    ],
)
def test_what_is_no_list_of_strings_ends_the_quest_without_a_score(actions, reason):
    episode = on(PLAIN, PLAIN)
    reply = do(episode, actions)
    assert (reply.text, reply.invalid, reply.score) == (f"{reason}. The next quest begins.", True, 0.0)
    assert measured(episode).metrics["invalid_answers"] == 1


def test_another_tool_is_invalid():
    reply = asyncio.run(on(PLAIN).call(Call("dig", {"actions": SHORTEST})))
    assert reply.text == "there is no tool 'dig'; the tool is submit_actions. All quests are over."


# --------------------------------------------------------------------------------------------- foreign text


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ('["go keep", "defeat A"]', ["go keep", "defeat A"]),
        ('First ["go gate"]. No:\n```json\n[\n "go keep",\n "fly"\n]\n``` [1, 2] [] {}', ["go keep", "fly"]),
        ('{"actions": ["go keep"]}', ["go keep"]),
        ('[[["go keep"]]]', ["go keep"]),
        ('["go \\"keep\\"]"]', ['go "keep"]']),
        ('["\\u0041"]', ["A"]),
    ],
)
def test_a_text_answer_is_the_last_list_of_strings(text, actions):
    assert FAMILY.parse(text) == Call("submit_actions", {"actions": actions})


@pytest.mark.parametrize("text", ["", "[]", "[1]", '["go", 1]', '["go keep"', '"go keep"', "['go keep']", '["a\nb"]',
                                  '["a",]', '[,"a"]'])  # fmt: skip
def test_without_a_list_of_strings_there_is_a_reason(text):
    assert FAMILY.parse(text) == Invalid("no JSON list of strings found in the answer")


def test_half_of_a_unicode_character_is_refused():
    assert FAMILY.parse('["\\ud800"]') == Invalid("the JSON in the answer holds half of a Unicode character")


@pytest.mark.parametrize("piece", ["[", '["', '["a",', '["[",', '[",",', '["\\"', '["a"]', "[ ", '[" ', ',"['])
def test_a_long_text_is_read_in_one_pass(piece):
    assert isinstance(FAMILY.parse(piece * 200_000), Call | Invalid)  # in hours, were it quadratic


@given(st.text() | st.text(alphabet='[]",\\ a'))
def test_any_text_is_a_call_or_a_reason(text):
    assert isinstance(FAMILY.parse(text), Call | Invalid)


SOME = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=99)
ACTION = st.sampled_from([*SHORTEST, "drink mead", "check_inventory", "go gate"])


@given(st.lists(ACTION, max_size=20) | st.lists(SOME | ACTION, max_size=20) | SOME)
def test_any_list_gets_one_short_line_and_no_more_than_it_earned(actions):
    episode = on(PLAIN)
    reply = do(episode, actions)
    assert re.fullmatch(r"[ -~]{1,300}", reply.text)
    assert reply.done
    assert re.fullmatch(r"[ -~]{1,2000}", reply.feedback or "")
    assert 0 <= measured(episode).score <= 1
    if reply.success:
        assert reply.score == 5 / measured(episode).metrics["actions"]


@pytest.mark.parametrize("setting", ["d1", "d3", "d5", "d9"])
def test_every_number_in_the_rules_comes_from_the_task(setting):
    task = draw(setting)
    assert set(re.findall(r"[0-9]+", FAMILY.rules(task))) <= set(re.findall(r"[0-9]+", json.dumps(task.payload)))


def test_the_example_in_the_rules_does_nothing():
    found = FAMILY.parse(FAMILY.rules(draw()))
    assert isinstance(found, Call)
    assert all(re.search(r"[A-Z]{4}", action) for action in found.arguments["actions"])
