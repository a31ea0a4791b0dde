"""The suites are shipped to plug-in authors: they need no test framework, and never answer with a traceback."""

import subprocess
import sys
import types
from pathlib import Path

import honest_family as honest
import pytest

from rung.core.errors import UsageError
from rung.core.values import Invalid
from rung.testing.contracts import SUITES, ContractBroken, Finding, run_suite, sentence, subjects

METHOD = """
from rung.core.values import Selection, State
from rung.core.errors import UsageError

EXAMPLES = ({}, {"variant": "other"})
GATED = False


class Mine:
    id, trials, wrapping = "mine", 0, ""

    def initial_state(self, agent):
        return State(agent.harness())

    def actor(self, state, agent, ports, rng):
        return agent.actor(state, ports, rng)

    def refine(self, context):
        return ()

    def select(self, context, incumbent, trials):
        return Selection(None)


def make(options):
    return Mine()
"""


def test_the_suites_import_no_test_framework():
    program = "import sys, rung.testing.contracts; print({'pytest', 'hypothesis', '_pytest'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("kind", SUITES)
def test_every_check_is_a_promise_with_a_sentence(kind):
    for check in SUITES[kind]:
        assert sentence(check).endswith(".")
        assert len(sentence(check)) > 20


@pytest.mark.parametrize("kind", SUITES)
def test_a_thing_that_is_nothing_gives_findings_and_no_traceback(kind):
    findings = run_suite(kind, types.SimpleNamespace())
    assert [finding.name for finding in findings] == [check.__name__ for check in SUITES[kind]]
    assert not any(finding.passed for finding in findings)
    assert all("\n" not in finding.detail and len(finding.detail) < 1000 for finding in findings)


def test_an_unknown_suite_is_a_usage_error():
    with pytest.raises(UsageError, match="no contract suite 'games'"):
        run_suite("games", None)


class Exits(honest.Family):
    def parse(self, text):
        sys.exit("goodbye")


def test_foreign_code_cannot_leave_the_suite():
    findings = run_suite("families", honest.case(Exits))
    assert any("SystemExit" in finding.detail for finding in findings)


class Quotes(honest.Family):
    def parse(self, text):
        return Invalid("two\nlines")


def test_a_broken_promise_says_what_was_promised_what_was_seen_and_the_mend():
    check = next(check for check in SUITES["families"] if check.__name__ == "no_text_crashes_the_parser")
    with pytest.raises(ContractBroken) as caught:
        check(honest.case(Quotes))
    assert caught.value.promised == sentence(check)
    assert "two\\nlines" in caught.value.seen
    assert caught.value.mend.startswith("one line")


def test_a_plugin_file_is_found_with_the_options_it_wants_to_be_tried_with(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(METHOD)
    found = subjects(str(file))
    assert [subject.kind for subject in found] == ["methods", "methods"]
    assert [subject.thing.gated for subject in found] == [False, False]
    assert [finding for finding in run_suite("methods", found[0].thing) if not finding.passed] == []


def test_a_file_that_is_no_plugin_says_what_is_missing(tmp_path: Path):
    file = tmp_path / "nothing.py"
    file.write_text("x = 1\n")
    with pytest.raises(UsageError, match="neither FAMILY and KEY nor make"):
        subjects(str(file))


def test_a_finding_is_what_the_command_line_prints():
    finding = run_suite("families", honest.case())[0]
    assert finding == Finding(finding.name, finding.sentence, passed=True, detail="")
