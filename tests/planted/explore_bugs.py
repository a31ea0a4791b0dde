"""Bugs of exploring that could be (see `tests.planted.bugs`)."""

from .bugs import Bug

EXPLORE, JUDGING = "tests/protocols/test_explore.py", "tests/protocols/test_judging.py"
ODD, PATHWAYS = "tests/protocols/test_explore_bad_input.py", "tests/methods/test_context_pathways.py"

EXPLORE_BUGS = (
    Bug(
        "a pathway is told no verdict",
        "protocols/explore.py",
        'replace(arm, lens="verdict_hidden")',
        "arm",
        (f"{EXPLORE}::test_a_pathway_is_told_what_was_judged_and_no_verdict",),
    ),
    Bug(
        "who selects is told no verdict either",
        "protocols/study.py",
        '(outcome,) if arm.lens == "full" else ()',
        "(outcome,)",
        (f"{EXPLORE}::test_who_selects_is_told_no_outcome",),
    ),
    Bug(
        "each checkpoint has sealed tasks of its own",
        "protocols/explore.py",
        "range(first + k * size, first + (k + 1) * size)",
        "range(first, first + size)",
        (f"{EXPLORE}::test_a_state_is_examined_after_every_second_episode_on_tasks_of_its_own",),
    ),
    Bug(
        "a checkpoint is the state as it was then",
        "protocols/explore.py",
        'about: JSON = {"x": x, "snapshot": snapshot,',
        'about: JSON = {"x": x, "snapshot": course.start,',
        (f"{EXPLORE}::test_a_checkpoint_examines_the_state_as_it_was_then",),
    ),
    Bug(
        "noise keeps the rates of over- and of under-judging apart",
        "protocols/judging.py",
        "and (step.score > 0) == event]",
        "]",
        (f"{JUDGING}::test_noise_keeps_the_rates_of_over_and_of_under_judging",),
    ),
    Bug(
        "a judge is not shown what the agent judged",
        "protocols/judging.py",
        "return self_score.unsaid(action)",
        "return action",
        (f"{JUDGING}::test_a_judge_is_shown_the_words_of_an_answer_without_its_score",),
    ),
    Bug(
        "the agent's own score is no part of a kept action",
        "methods/_episodes.py",
        '_SCORE.sub("", said[-1] if said else lines[-1])',
        "(said[-1] if said else lines[-1])",
        (f"{PATHWAYS}::test_what_was_done_is_the_action_alone",),
    ),
    Bug(
        "the oldest goes where there is no room",
        "methods/_episodes.py",
        'reversed(placed) if keep == "newest" else placed',
        "placed",
        (f"{PATHWAYS}::test_what_there_is_no_room_for_is_left_out_and_counted",),
    ),
    Bug(
        "a call reads no more than the cap",
        "protocols/lines.py",
        "            self._caps.refuse_longer(request)\n",
        "            pass\n",
        (f"{ODD}::test_a_conversation_that_overflows_by_itself_is_scored_as_it_stands",),
    ),
)
