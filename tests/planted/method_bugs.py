"""Bugs that could be in what methods share that edit and run code, each with the tests that must notice."""

from .bugs import Bug

KERNEL, CODED = "tests/methods/kernel/test_kernel.py", "tests/methods/coded/test_calling.py"
SURFACE, HELD = "tests/core/test_surface.py", "tests/protocols/test_surface.py"
AHE, COMMANDS = "tests/methods/test_ahe.py", "tests/backends/sandbox/test_commands.py"

METHOD_BUGS = (
    Bug(
        "a star stays in its folder",
        "core/surface.py",
        '"[^/]*" if piece == "*"',
        '".*" if piece == "*"',
        (f"{SURFACE}::test_a_star_stays_in_its_folder_and_two_do_not",),
    ),
    Bug(
        "no module of the state takes the name of the library",
        "core/surface.py",
        "frozenset(names - sys.stdlib_module_names)",
        "frozenset(names)",
        (f"{SURFACE}::test_a_module_of_the_state_may_be_imported_and_none_that_takes_the_name_of_the_library",),
    ),
    Bug(
        "a task is found in the middle of other digits",
        "protocols/surface.py",
        "for at in range(len(each) - NAME + 1))",
        "for at in (0,))",
        (f"{HELD}::test_a_task_or_its_seed_may_not_be_named",),
    ),
    Bug(
        "a candidate off the surface is refused and not kept",
        "protocols/study.py",
        "for n, each in enumerate(made) if not wrong[n]]",
        "for n, each in enumerate(made)]",
        (f"{HELD}::test_a_candidate_off_the_surface_is_refused_recorded_and_the_study_goes_on",),
    ),
    Bug(
        "an answer is repeated however it is spelt",
        "protocols/surface.py",
        '_MARKS.sub(" ", _ESCAPE.sub(" ", text))',
        "text",
        (f"{HELD}::test_a_long_answer_may_not_be_repeated_however_it_is_spelt",),
    ),
    Bug(
        "what is lent can only be read",
        "methods/_kernel/desk.py",
        "if path in self.lent else None",
        "if False else None",
        (f"{KERNEL}::test_what_the_surface_does_not_allow_is_refused_told_and_recorded",),
    ),
    Bug(
        "no command runs where nothing confines it",
        "methods/_kernel/hands.py",
        "self.sandbox.name not in UNCONFINED and",
        "",
        (f"{KERNEL}::test_no_command_runs_where_nothing_confines_it",),
    ),
    Bug(
        "three replies in a row end a session, and not three in all",
        "methods/_kernel/session.py",
        "        self.useless = 0\n        typed",
        "        typed",
        (f"{KERNEL}::test_a_useless_reply_between_useful_ones_ends_nothing",),
    ),
    Bug(
        "code that asks otherwise has diverged",
        "methods/_coded/runner.py",
        'if given["key"] != key:',
        "if False:",
        (f"{CODED}::test_one_that_asks_otherwise_when_it_runs_again_has_diverged",),
    ),
    Bug(
        "sets are in the same order each time",
        "methods/_coded/calling.py",
        '"PYTHONHASHSEED=0"',
        '"PYTHONHASHSEED=random"',
        (f"{CODED}::test_draws_are_the_same_each_time_and_differ_by_seed",),
    ),
    Bug(
        "a command that took too long is told to be late",
        "backends/sandbox/commands.py",
        'late=ended.reason == "wall_clock"',
        "late=False",
        (f"{COMMANDS}::test_one_that_never_ends_is_late",),
    ),
    Bug(
        "a harmful change is taken back",
        "methods/ahe/method.py",
        'found.get(change.id) == "harmful"',
        'found.get(change.id) == "mixed"',
        (f"{AHE}::test_a_harmful_change_is_taken_back_file_by_file_and_the_history_says_so",),
    ),
    Bug(
        "a kind at risk that fell is harm",
        "methods/ahe/attribution.py",
        "if risk & fell:",
        "if risk & rose:",
        (f"{AHE}::test_a_change_is_judged_by_its_own_predictions",),
    ),
    Bug(
        "middleware that was late is left out for the rest of an attempt",
        "methods/ahe/acting.py",
        "            self._hooked = False\n            return {}",
        "            return {}",
        (f"{AHE}::test_middleware_that_is_late_is_asked_once",),
    ),
)
