"""Bugs that could be in cells of programs (see `bugs`)."""

from .bugs import Bug

CELL, ENDINGS = "tests/protocols/test_cell.py", "tests/protocols/test_endings.py"
BROKEN, CRASHES = "tests/protocols/test_cell_broken.py", "tests/protocols/test_cell_crashes.py"
BEGUN_AGAIN = f"{CELL}::test_an_exam_attempt_is_begun_again_only_where_its_task_was_not_served_yet"
DEPARTED = f"{ENDINGS}::test_how_a_program_departed_is_told_from_the_most_trusted_source"

CELL_BUGS = (
    Bug(
        "an exam task that was served is given to no other program",
        "protocols/sittings.py",
        "if _begun(journal, tickets):",
        "if False:",
        (f"{BEGUN_AGAIN}[served-1-True]",),
    ),
    Bug(
        "an exam attempt whose task is done is not begun again",
        "protocols/sittings.py",
        "if _sealed(journal, tickets):",
        "if False:",
        (f"{BEGUN_AGAIN}[sealed-1-False]",),
    ),
    Bug(
        "an exam attempt that has departed is scored and not thrown away",
        "protocols/sittings.py",
        'if lens == "none" and legs.over() is None:',
        'if lens == "none":',
        (f"{CELL}::test_an_exam_attempt_that_had_departed_with_its_task_undone_is_scored_as_it_stands",),
    ),
    Bug(
        "an attempt that was cut off uses up no rerun",
        "protocols/exam.py",
        "outcome.where != INTERRUPTED and not",
        "not",
        (f"{CELL}::test_an_exam_attempt_that_was_cut_off_is_a_row_of_its_own_and_uses_up_no_rerun",),
    ),
    Bug(
        "an interruption that is over interrupts no more",
        "protocols/sittings.py",
        "if earlier and legs.begun == earlier:",
        "if False:",
        (f"{CELL}::test_an_interruption_that_an_earlier_process_did_not_get_to_say_is_over_when_it_goes_on",),
    ),
    Bug(
        "an exam of programs that only breaks stops early",
        "protocols/exam.py",
        "if len(self.paths) >= MOST_BROKEN and",
        "if len(self.paths) >= 10**9 and",
        (f"{CELL}::test_an_exam_that_breaks_over_and_over_stops_early_and_is_sat_when_that_is_mended[1]",),
    ),
    Bug(
        "the after-exam forks what was left",
        "protocols/cell.py",
        'Examinee(f"{arm.name}.L{number}", arm, left, ',
        'Examinee(f"{arm.name}.L{number}", arm, starts[arm.name], ',
        (f"{CELL}::test_what_it_left_is_forked_by_the_after_exam_and_by_it_alone",),
    ),
    Bug(
        "what a session left that broke is not examined",
        "protocols/sittings.py",
        'kept = said is not None and ending != "instrument_fault"',
        "kept = said is not None",
        (f"{CELL}::test_what_a_session_left_that_broke_is_not_examined",),
    ),
    Bug(
        "an operator's stop outranks what the sandbox saw",
        "protocols/endings.py",
        'if gone.ended.reason in BY_SANDBOX and gone.asked != "operator":',
        "if gone.ended.reason in BY_SANDBOX:",
        (DEPARTED,),
    ),
    Bug(
        "a provider's refusal outranks what the program says",
        "protocols/endings.py",
        "_by_its_provider(seen, gone) or _by_itself(seen, gone)",
        "_by_itself(seen, gone)",
        (DEPARTED,),
    ),
    Bug(
        "a program and its provider that contradict one another are unknown",
        "protocols/endings.py",
        'return "unknown" if found is not None and gone.clean else found',
        "return found",
        (DEPARTED,),
    ),
    Bug(
        "a record of the network with a hole says so",
        "protocols/departure.py",
        '"incomplete": list(summary.why),',
        '"incomplete": [],',
        (f"{BROKEN}::test_a_session_whose_recorder_is_killed_goes_on_with_a_record_that_says_so",),
    ),
    Bug(
        "a working session goes on in its home as it was",
        "protocols/hands.py",
        'if self.sitting.phase == "work" and self.number > 1 else None',
        "if self.number < 1 else None",
        (f"{CRASHES}::test_death_in_a_leg_leaves_nobody_and_no_trace[leg.ended-3]",),
    ),
)
