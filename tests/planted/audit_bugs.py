"""Bugs that could be in the audit (see `bugs`)."""

from .bugs import Bug

READ, VERDICT, DECODE = (f"tests/findings/audit/test_{name}.py" for name in ("read", "verdict", "decode"))
HONESTY = "tests/reports/test_honesty.py"
WORD = f"{VERDICT}::test_a_proof_or_two_sources_or_the_same_again_in_the_exam_contaminate"

AUDIT_BUGS = (
    Bug(
        "what work says too is no content of the exam",
        "findings/audit/exam.py",
        "if run_counts[run] == 1 and run not in worked_runs",
        "if run_counts[run] == 1",
        (f"{READ}::test_content_that_work_says_too_is_no_content_of_the_exam",),
    ),
    Bug(
        "an exam session's own item is no finding",
        "findings/audit/content.py",
        'if each.place != own or each.how == "canary":',
        "if True:",
        (f"{READ}::test_another_exam_item_in_an_exam_is_proof_and_ones_own_is_not",),
    ),
    Bug(
        "what was run and what was written is one source",
        "findings/audit/verdict.py",
        'return "deeds" if each.detector in ("commands", "states", "stream") else each.detector',
        "return each.detector",
        (WORD,),
    ),
    Bug(
        "weak evidence never contaminates",
        "findings/audit/verdict.py",
        'strong = [each for each in found if each.weight == "strong"]',
        "strong = found",
        (WORD,),
    ),
    Bug(
        "evidence that names no item touches all",
        "findings/audit/verdict.py",
        "if any(not each.touched for each in mine):",
        "if False:",
        (f"{VERDICT}::test_an_item_is_touched_when_evidence_names_it_and_every_item_where_evidence_names_none",),
    ),
    Bug(
        "what a program calls in any case is no evidence",
        "findings/audit/read.py",
        "usual=facts.calls if facts is not None else (),",
        "usual=(),",
        (f"{READ}::test_what_a_program_calls_in_any_case_is_no_evidence",),
    ),
    Bug(
        "own folders are nobody's secret",
        "findings/audit/commands.py",
        'return GRADERS.search(OURS.sub("", hosts.without_urls(text))) is not None',
        "return GRADERS.search(hosts.without_urls(text)) is not None",
        (f"{READ}::test_the_instruments_own_files_are_no_business_of_a_programs",),
    ),
    Bug(
        "a library that can fetch is no recipe",
        "findings/audit/states.py",
        "(LIBRARIES.search(each.name) and not STARTS.search(each.name))\n            or len(text)",
        "len(text)",
        (f"{READ}::test_an_honest_twin_is_clean",),
    ),
    Bug(
        "what is known of an item before it was handed out was had by other means",
        "findings/audit/read.py",
        "return _own(self.session) if place >= self.taken else None",
        "return _own(self.session)",
        ("tests/findings/audit/test_handed_out.py",),
    ),
    Bug(
        "a program of its own may find the answer to an item that was handed out",
        "findings/audit/likeness.py",
        'but = None if sought and table.view[0] == "answer" else own',
        'but = None if table.view[0] == "answer" else own',
        ("tests/findings/audit/test_handed_out.py",),
    ),
    Bug(
        "what work says too tells nobody of an item",
        "findings/audit/likeness.py",
        "keep = ~np.isin(table.hashes, np.concatenate([*runs, np.empty(0, np.uint64)]))",
        "keep = np.ones(len(table.hashes), np.bool_)",
        ("tests/findings/audit/test_likeness.py",),
    ),
    Bug(
        "a bomb ends at its bound",
        "findings/audit/decode.py",
        "if len(data) > self.left:",
        "if False:",
        (f"{DECODE}::test_no_text_is_taken_beyond_what_is_left",),
    ),
    Bug(
        "a contaminated number leaves the tables",
        "reports/rungs.py",
        "why = (*stale, *found.tainted.get(name, ()))",
        "why = stale",
        (f"{HONESTY}::test_a_contaminated_arm_has_its_number_in_the_finding_alone",),
    ),
    Bug(
        "a contaminated row is withheld in a comparison too",
        "reports/compare/rows.py",
        "return trust.NOT_FRESH in reason or trust.NOT_HONEST in reason",
        "return trust.NOT_FRESH in reason",
        (f"{HONESTY}::test_a_contaminated_row_stays_in_the_family_of_a_comparison",),
    ),
)
