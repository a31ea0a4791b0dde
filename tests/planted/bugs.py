"""Bugs that could be, each with the promise it breaks and the tests that must notice."""

from dataclasses import dataclass

MCP = "tests/protocols/test_mcp.py"
STREAM, ASKED, EXAM = "tests/protocols/test_stream.py", "tests/protocols/test_asked.py", "tests/protocols/test_exam.py"
LADDER, LENS, PLAN = "tests/protocols/test_ladder.py", "tests/protocols/test_lens.py", "tests/protocols/test_plan.py"
SESSION, SEQUENCE = "tests/protocols/test_session.py", "tests/tasks/test_sequence.py"
SELECTION, PHANTOM = "tests/methods/test_selection.py", "tests/agents/test_phantom.py"
RECOMPUTED = "tests/reports/test_recomputed.py"
REANALYSIS, CURVES = "tests/reanalysis/test_analysis.py", "tests/reanalysis/test_curves.py"
LINES, BUDGET = "tests/protocols/test_lines.py", "tests/protocols/test_budget.py"
SPENDING, GATEWAY = "tests/protocols/test_replay_and_spending.py", "tests/backends/models/test_gateway.py"

PICTURES, MC = "tests/protocols/test_pictures.py", "tests/tasks/games/test_mc_v1.py"
ASTRAY, ASTRAY_SEEN = "tests/tasks/games/test_astray.py", "tests/tasks/games/test_astray_v1.py"
COMPARE = "tests/reports/test_compare_"
DRIFT, EXAMS, ROWS = f"{COMPARE}drift.py", f"{COMPARE}exams.py", f"{COMPARE}rows.py"
RANKS, PRICES = f"{COMPARE}ranks.py", f"{COMPARE}prices.py"

PROGRAMS = "tests/agents/command/test_facts.py"


@dataclass(frozen=True)
class Bug:
    """`old` stands exactly once in `file` (below `src/rung`) and is replaced by `new`; then `tests` must fail."""

    breaks: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


BUGS = (
    Bug(
        "the best candidate is kept, and not the worst",
        "methods/_selection.py",
        "mean > bar",
        "mean < bar",
        (f"{SELECTION}::test_the_best_of_those_above_the_incumbent_is_taken",),
    ),
    Bug(
        "neighbouring seeds share no instance",
        "tasks/sequence.py",
        "root.child(block.family, block.setting_name, index)",
        "Seed(str(sum(map(ord, root.path)) + index))",
        (f"{SEQUENCE}::test_neighbouring_seeds_share_no_instance",),
    ),
    Bug(
        "a replay is not refined",
        "protocols/ladder.py",
        'arm.frozen or entry.purpose == "replay" or',
        "arm.frozen or",
        (f"{LADDER}::test_a_lineage_works_its_sequence_and_refines_after_every_task_that_is_no_replay",),
    ),
    Bug(
        "the static arm is never refined",
        "protocols/ladder.py",
        "if arm.frozen or",
        "if",
        (f"{LADDER}::test_the_static_arm_works_the_same_sequence_and_is_never_refined",),
    ),
    Bug(
        "a fault is not averaged as zero in a report",
        "reports/tables.py",
        'score = None if broken else float(sealed["score"])',
        'score = 0.0 if broken else float(sealed["score"])',
        (f"{RECOMPUTED}::test_means_before_and_after[K=3 p=0.15]",),
    ),
    Bug(
        "a fault is not averaged as zero in a selection",
        "methods/_selection.py",
        "outcome.value for outcome in outcomes if isinstance(outcome, Score)",
        "outcome.value if isinstance(outcome, Score) else 0.0 for outcome in outcomes",
        (f"{SELECTION}::test_a_fault_is_neither_a_zero_nor_a_win",),
    ),
    Bug(
        "a fault is no score",
        "protocols/record.py",
        'return Fault(str(value["fault"]["where"]), str(value["fault"]["detail"]))',
        "return Score(0.0)",
        (f"{STREAM}::test_a_fault_is_a_row_and_not_a_zero",),
    ),
    Bug(
        "no held-out task is met in training",
        "tasks/sequence.py",
        'root.child(f"L{number}"), met.copy(), freshness',
        'root.child(f"L{number}"), _Met(), freshness',
        (f"{SEQUENCE}::test_training_meets_no_content_of_the_exam_s_pool_while_there_is_other",),
    ),
    Bug(
        "lineages differ in their instances",
        "tasks/sequence.py",
        'root.child(f"L{number}")',
        'root.child("L1")',
        (f"{SEQUENCE}::test_lineages_differ_in_every_instance",),
    ),
    Bug(
        "a replay needs history: n > lag",
        "tasks/sequence.py",
        "n % interval == 0 and n > lag",
        "n % interval == 0 and n >= lag",
        (f"{SEQUENCE}::test_no_replay_while_history_is_insufficient",),
    ),
    Bug(
        "a replay pairs with the first play",
        "tasks/sequence.py",
        "first.setdefault(task.id, position)",
        "first[task.id] = position",
        (f"{SEQUENCE}::test_a_replay_of_a_repeated_instance_pairs_with_its_very_first_play",),
    ),
    Bug(
        "no actor sees method/",
        "protocols/study.py",
        "self._snapshots.get(snapshot).acting()",
        "self._snapshots.get(snapshot)",
        (f"{EXAM}::test_no_feedback_leaves_an_exam_and_no_method_file_enters_it",),
    ),
    Bug(
        "a hidden verdict hides the family's feedback too",
        "protocols/lens.py",
        "replace(step, success=None, score=None, feedback=None)",
        "replace(step, success=None, score=None)",
        (f"{LENS}::test_a_hidden_verdict_is_nowhere_in_the_text",),
    ),
    Bug(
        "without feedback there is none",
        "protocols/lens.py",
        'lens == "none"',
        'lens == "nothing"',
        (f"{LENS}::test_none_lets_nothing_through",),
    ),
    Bug(
        "no feedback leaves an exam",
        "protocols/study.py",
        '[ticket], lens="none",',
        '[ticket], lens="full",',
        (f"{EXAM}::test_no_reply_to_an_actor_carries_feedback",),
    ),
    Bug(
        "feedback names no task",
        "protocols/record.py",
        '"family": served["family"],',
        '"family": served["family"], "id": served["task"],',
        (f"{LENS}::test_feedback_holds_neither_seed_nor_task_nor_snapshot",),
    ),
    Bug(
        "G0 is held against the static arm",
        "reports/rungs.py",
        "return change(self.replay, -self.first, -self.control_replay, self.control_first)",
        "return change(self.replay, -self.first)",
        (f"{RECOMPUTED}::test_gains_on_replays_less_those_of_the_static_arm[K=3 p=0.0]",),
    ),
    Bug(
        "intervals are of t and not of z",
        "stats/quantiles.py",
        "stdtrit(df, (1 + level) / 2)",
        "stdtrit(1e9, (1 + level) / 2)",
        (f"{RECOMPUTED}::test_gains_of_crossed_lineages[K=3 p=0.0]",),
    ),
    Bug(
        "headroom is counted from where the agent began",
        "stats/headroom.py",
        "minus(goal[kept], earlier[:, kept].mean(axis=0))",
        "minus(goal[kept], later[:, kept].mean(axis=0))",
        (f"{RECOMPUTED}::test_headroom_captured_by_crossed_lineages[K=3 p=0.0]",),
    ),
    Bug(
        "A_0 is examined from its own snapshot",
        "protocols/ladder.py",
        "Examinee(start.examinee, start.control, start.snapshot,",
        "Examinee(start.examinee, start.control, finals[-1],",
        (f"{EXAM}::test_a_0_and_a_t_are_examined_from_their_own_snapshots",),
    ),
    Bug(
        "of an attempt and its reruns the last row counts",
        "reports/tables.py",
        "row.rerun > found[key].rerun",
        "row.rerun < found[key].rerun",
        (f"{RECOMPUTED}::test_means_before_and_after[K=3 p=0.15]",),
    ),
    Bug(
        "only a fault is attempted again",
        "protocols/exam.py",
        "if not isinstance(outcome, Fault):",
        "if isinstance(outcome, Fault):",
        (f"{EXAM}::test_reruns_stop_at_the_first_score",),
    ),
    Bug(
        "the served-mark is durable before a text leaves",
        "protocols/stream.py",
        'await self._journal.flush(durable=True)\n        crashpoints.reach("served.after")',
        'await self._journal.flush(durable=False)\n        crashpoints.reach("served.after")',
        (f"{STREAM}::test_the_served_mark_is_durable_before_the_text_leaves",),
    ),
    Bug(
        "calls on one task are taken one after the other",
        "protocols/stream.py",
        "        async with self._turn(handle):\n            try:\n                return await self._answered",
        "        if self._turn(handle):\n            try:\n                return await self._answered",
        (f"{MCP}::test_two_calls_on_one_task_are_taken_one_after_the_other",),
    ),
    Bug(
        "what an earlier process served is gone on with, and not begun again",
        "protocols/stream.py",
        'for handle in self._waiting if self._has(handle, "served")',
        'for handle in self._waiting if self._has(handle, "sealed")',
        (f"{MCP}::test_a_program_that_comes_back_to_another_process_goes_on_with_its_handle",),
    ),
    Bug(
        "a call whose caller hangs up comes to its end",
        "protocols/mcp.py",
        "return await asyncio.shield(call)",
        "return await call",
        (f"{MCP}::test_a_call_whose_caller_hangs_up_comes_to_its_end_and_is_recorded_once",),
    ),
    Bug(
        "an exam answers every ending call alike",
        "protocols/mcp.py",
        "        if not self.stream.told:\n            return RECORDED\n",
        "",
        (f"{MCP}::test_in_an_exam_every_ending_call_answers_the_same_whatever_happened",),
    ),
    Bug(
        "the exam hangs under the secret",
        "protocols/plan.py",
        'Seed(sha256(f"{secret}/{config.tasks.holdout_seed}"))',
        'Seed(f"{config.seed}/{config.tasks.holdout_seed}")',
        (f"{PLAN}::test_another_secret_is_another_exam_and_the_same_training",),
    ),
    Bug(
        "the record never holds the secret",
        "protocols/plan.py",
        "exam, wanted, sha256(secret))",
        "exam, wanted, secret)",
        (f"{PLAN}::test_the_record_holds_the_secret_s_hash_and_never_the_secret_or_a_seed",),
    ),
    Bug(
        "a trial is no work",
        "protocols/study.py",
        'Ticket(path, ticket.task, "trial", snapshot, repeat)',
        'Ticket(path, ticket.task, "work", snapshot, repeat)',
        (f"{LADDER}::test_trials_are_no_work_and_are_not_refined",),
    ),
    Bug(
        "an illegal choice keeps the incumbent",
        "protocols/study.py",
        "0 <= chosen < len(among)",
        "chosen < len(among)",
        (f"{LADDER}::test_an_illegal_choice_is_a_recorded_fault_and_the_incumbent_stays",),
    ),
    Bug(
        "a candidate names the state it was made from",
        "protocols/study.py",
        "if candidate.parent != ticket.snapshot:",
        "if candidate.parent is None:",
        (f"{LADDER}::test_a_refine_that_breaks_is_a_recorded_fault_and_the_incumbent_stays",),
    ),
    Bug(
        "only scripted agents are handed the policies",
        "protocols/session.py",
        "if self.scripted:",
        "if self.home is not None:",
        (f"{SESSION}::test_only_a_scripted_agent_is_handed_the_policies",),
    ),
    Bug(
        "an actor's random stream is its attempt's own",
        "protocols/session.py",
        "self.seed.child(ticket.path).rng()",
        "self.seed.rng()",
        (f"{ASKED}::test_an_actor_s_random_stream_hangs_under_its_attempt_and_nothing_else",),
    ),
    Bug(
        "what an agent's code raises is no fault of the instrument",
        "protocols/asked.py",
        'raise AgentCrash(f"{type(error).__name__}: {error}") from error',
        'raise InstrumentFault("agent", str(error)) from error',
        (f"{ASKED}::test_whatever_an_agent_s_code_raises_is_its_own_and_a_score",),
    ),
    Bug(
        "a phantom solves with the chance in its file",
        "agents/phantom.py",
        "self._draw < chance",
        "self._draw > chance",
        (f"{PHANTOM}::test_skill_is_the_chance_of_solving_a_task_as_a_whole",),
    ),
    Bug(
        "a call that is on record is not asked again",
        "protocols/lines.py",
        "        if reply is not None:\n            return reply, 0.0\n        try:",
        "        try:",
        (f"{LINES}::test_a_call_on_record_is_answered_from_the_record_and_asked_nobody",),
    ),
    Bug(
        "an outage that an agent's code swallows is no score",
        "protocols/stream.py",
        "        self.line(handle).check()\n",
        "",
        (f"{LINES}::test_no_agent_can_answer_for_an_instrument_that_broke",),
    ),
    Bug(
        "a model that changes in mid-run is noticed",
        "protocols/lines.py",
        "(seen and not allowed) or",
        "",
        (f"{LINES}::test_a_model_that_reports_another_id_in_mid_run_stops_the_run",),
    ),
    Bug(
        "what a killed try may have cost is counted",
        "protocols/budget.py",
        'settled.get(note.value["n"], note.value)',
        'settled.get(note.value["n"], {"usd": 0.0, "tokens": 0})',
        (f"{BUDGET}::test_a_run_that_goes_on_knows_what_it_spent_and_counts_the_unknown_in_full",),
    ),
    Bug(
        "what is set aside counts against the budget",
        "protocols/budget.py",
        "sum(each.usd or 0.0 for each in self.held.values()) + ",
        "",
        (f"{BUDGET}::test_five_hundred_at_once_do_not_exceed_the_budget_by_a_single_call",),
    ),
    Bug(
        "money is set aside on record before it may be spent",
        "protocols/budget.py",
        'self._journal.observe(path, "reserved", about)',
        "about.clear()",
        (f"{BUDGET}::test_what_is_set_aside_is_on_record_before_it_may_be_spent",),
    ),
    Bug(
        "an exam is no lineage's expense",
        "protocols/budget.py",
        'if pieces[0] != "exam":\n        yield',
        "if pieces:\n        yield",
        (f"{BUDGET}::test_an_exam_is_no_lineages_and_a_refinement_no_tasks",),
    ),
    Bug(
        "a cut lineage is cut at the same place in a replay",
        "protocols/study.py",
        'told if told is not None and position >= int(told["before"]) else None',
        "None",
        (f"{SPENDING}::test_a_cut_lineage_is_cut_at_the_same_place_in_a_replay",),
    ),
    Bug(
        "an agent whose time is over is scored as it stands",
        "protocols/session.py",
        "return _End(None, None, late=True,",
        'return _End(None, Fault("session", "late"), late=True,',
        (f"{LINES}::test_time_that_is_over_ends_the_attempt_which_is_scored_as_it_stands",),
    ),
    Bug(
        "a session's clock stands still while a model is waited for",
        "protocols/lines.py",
        "        self.watch.stop()\n        try:",
        "        self.watch._waiting += 1\n        try:",
        (f"{LINES}::test_time_spent_waiting_for_a_model_is_not_the_agents",),
    ),
    Bug(
        "what breaks in a model's own code is the instrument's",
        "protocols/lines.py",
        "raise self.halt from error",
        "raise",
        (f"{LINES}::test_what_breaks_in_a_models_own_code_is_never_the_agents_crash",),
    ),
    Bug(
        "what a lineage works is not fresh for the exam either, so it counts as well",
        "tasks/sequence.py",
        "return self.sealed + self.worked",
        "return self.sealed",
        ("tests/protocols/test_shortfalls.py::test_one_more_than_there_are_and_the_exam_will_not_be_fresh",),
    ),
    Bug(
        "a cell in which no verdict is possible is named",
        "protocols/shortfalls.py",
        "if cell.count < MIN_TASKS",
        "if cell.count > MIN_TASKS",
        ("tests/protocols/test_shortfalls.py::test_cells_with_too_few_sealed_tasks_are_named_together",),
    ),
    Bug(
        "a strict setting is harder than a permissive one and than no other",
        "protocols/rungs.py",
        "return all(source.setting_name == PERMISSIVE for source in sources)",
        "return True",
        ("tests/protocols/test_rungs.py::test_but_no_other_named_setting_is_harder_or_easier_than_another",),
    ),
    Bug(
        "the last answer counts",
        "tasks/games/_answer_line.py",
        "reversed(text.splitlines() if said else ())",
        "text.splitlines() if said else ()",
        ("tests/tasks/games/test_answer_line.py::test_the_action_of_the_last_answer_line_is_found",),
    ),
    Bug(
        "a missing score of somebody else's results is no zero",
        "reanalysis/pairs.py",
        "return np.where(tried > 0, total / np.maximum(tried, 1), np.nan)",
        "return np.where(tried > 0, total / np.maximum(tried, 1), 0.0)",
        (f"{REANALYSIS}::test_missing_pairs_are_bounded_and_too_many_of_them_leave_no_word",),
    ),
    Bug(
        "a family does not shrink to the comparisons that are in the file",
        "reanalysis/analysis.py",
        "family = max(question.planned or 0, len(rows))",
        "family = len(rows)",
        (f"{REANALYSIS}::test_holm_counts_the_planned_comparisons_that_are_not_here",),
    ),
    Bug(
        "what Holm does not carry is no improvement",
        "reanalysis/analysis.py",
        'if holm is not None and holm > ALPHA and word.word in ("improved", "regressed"):',
        "if False:",
        (f"{REANALYSIS}::test_a_word_that_holm_does_not_carry_is_taken_back",),
    ),
    Bug(
        "tries until success carry no word",
        "reanalysis/curves.py",
        'Verdict("not estimable", word.scope, (RETRIES,)) if never_falls else word',
        "word",
        (f"{CURVES}::test_tries_until_success_carry_no_word_and_arms_are_compared_at_the_same_try",),
    ),
    Bug(
        "lineages are no attempts",
        "reanalysis/analysis.py",
        "    if len(d) == 1:\n        return weighed.p\n",
        "    return weighed.p\n",
        (f"{REANALYSIS}::test_runs_that_differ_take_back_what_their_tasks_would_say",),
    ),
    Bug(
        "a model that reads text alone is given no task that shows pictures",
        "protocols/providers.py",
        "arm.model is not None and not arm.model.images",
        "arm.model is None",
        (f"{PICTURES}::test_a_model_that_reads_text_alone_is_refused_pictures_and_told_the_text_track",),
    ),
    Bug(
        "a block that is placed again is no longer held",
        "tasks/games/mc_v1/engine.py",
        "self.counts[item] -= 1",
        "pass",
        (f"{MC}::test_what_is_placed_and_mined_again_earns_nothing_twice",),
    ),
    Bug(
        "frames are the same bytes whoever paints them",
        "tasks/games/mc_v1/camera.py",
        "right > 1.0 - RIM",
        "right >= 1.0 - 2.0 * RIM",
        (f"{MC}::test_frames_are_these_bytes_whoever_paints_them",),
    ),
    Bug(
        "what the ball once reached stays reached",
        "tasks/games/_astray/world.py",
        "self.least = min(before, nearest(self.maze, rolled.path))",
        "self.least = nearest(self.maze, rolled.path)",
        (f"{ASTRAY}::test_each_step_is_scored_by_how_much_nearer_the_ball_came_than_ever_before",),
    ),
    Bug(
        "a ball that cuts a corner is turned aside",
        "tasks/games/_astray/ball.py",
        "back = RADIUS - apart",
        "back = 0.0",
        (
            f"{ASTRAY}::test_the_corner_of_a_wall_turns_a_ball_aside",
            f"{ASTRAY}::test_no_part_of_the_ball_is_ever_in_a_wall",
        ),
    ),
    Bug(
        "the picture is where the camera is, and that lags",
        "tasks/games/astray_v1/scene.py",
        "FOLLOWS = 0.1",
        "FOLLOWS = 1.0",
        (f"{ASTRAY_SEEN}::test_a_ball_that_moves_is_ahead_of_the_middle",),
    ),
    Bug(
        "a drifted A_0 is refused",
        "reports/compare/whole.py",
        "    if not despite_drift:\n        alike.refuse(past)\n",
        "",
        (f"{DRIFT}::test_a_planted_drift_is_refused_with_runs_difference_interval_and_mend",),
    ),
    Bug(
        "runs are compared by what they gained, and not by where they ended",
        "reports/compare/exams.py",
        "    alone = same_start(earlier, later)\n",
        "    alone = True\n",
        (f"{EXAMS}::test_a_row_is_the_difference_of_differences_with_the_hull_of_welch_and_of_t_over_tasks",),
    ),
    Bug(
        "a row that ended badly stays in Holm's family",
        "reports/compare/rows.py",
        "    adjusted = planned(p, names)\n",
        "    adjusted = {**dict.fromkeys(names), **planned({n: q for n, q in p.items() if q is not None}, "
        "[n for n in names if p[n] is not None])}\n",
        (f"{ROWS}::test_a_row_without_a_p_and_a_contaminated_one_count_in_holms_family_all_the_same",),
    ),
    Bug(
        "a rank rests on tests that share their 5%",
        "reports/compare/ranks.py",
        "row.p > ALPHA / pairs",
        "row.p > ALPHA",
        (f"{RANKS}::test_a_pair_that_is_sure_alone_is_not_sure_among_three",),
    ),
    Bug(
        "first tries decide what counts as failed",
        "reports/compare/runs.py",
        'if row.purpose == "exam" and row.rerun == 0]',
        'if row.purpose == "exam"]',
        (f"{EXAMS}::test_what_broke_at_the_first_try_is_counted_in_three_ways_side_by_side",),
    ),
    Bug(
        "an unknown cost is not left out of a mean",
        "reports/compare/prices.py",
        "if len(known) < len(costs)",
        "if not known",
        (f"{PRICES}::test_an_unknown_cost_is_unknown_and_never_nothing",),
    ),
    Bug(
        "an exam in a fork is sat under its own instruction",
        "agents/command/claude_code.py",
        '*("--system-prompt-snapshot", "off"),',
        "",
        (f"{PROGRAMS}::test_claude_code_is_told_its_instruction_anew_when_it_goes_on",),
    ),
    Bug(
        "what a program left and no rule knows is put with no neighbour",
        "agents/command/paths.py",
        "return None if any(",
        'return "cache" if any(',
        (f"{PROGRAMS}::test_a_file_among_the_programs_own_that_no_rule_knows_is_an_error",),
    ),
    Bug(
        "a session is not over while a program works another turn",
        "agents/command/claude_code.py",
        'elif kind(line) in ("assistant", "user") or line.get("subtype") == "init":',
        "elif False:",
        (f"{PROGRAMS}::test_claude_code_goes_on_after_a_result_when_a_background_task_ends",),
    ),
)
