"""Where one answer ends and the next begins."""

import io
from collections.abc import Iterable

import pytest

from rung.cli._answer import Line, is_open, lines_of, read_answer


def typed(lines: Iterable[str]) -> Line:
    left = iter(lines)

    def line(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return line


def answers(*lines: str) -> list[str | None]:
    line, found = typed(lines), []
    while not found or found[-1] is not None:
        found.append(read_answer(line))
    return found


def test_a_line_is_an_answer():
    assert answers("7", '{"action": "open"}', "[1, 2]") == ["7", '{"action": "open"}', "[1, 2]", None]


def test_an_answer_goes_on_while_a_bracket_is_open():
    assert answers('{"plan": {', '  "1": "all"', "}}", "8") == ['{"plan": {\n  "1": "all"\n}}', "8", None]


def test_an_empty_line_sends_what_is_open_and_is_no_answer_by_itself():
    assert answers("", "  ", "{ I think", "", "", "7") == ["{ I think", "7", None]


def test_the_end_of_the_input_sends_what_was_begun():
    assert answers('{"plan":') == ['{"plan":', None]
    assert answers() == [None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("}{", False),
        ("[[]", True),
        ('{"a": "{"}', False),
        ('{"a": "\\"}"', True),
        ('she said "{', False),
        ('{"note": "{', True),
        ("it's {fine}", False),
    ],
)
def test_brackets_in_strings_do_not_count(text: str, expected: bool):
    assert is_open(text) is expected


def test_a_long_text_is_looked_at_in_linear_time():
    assert is_open('"' * 100_000 + "{")
    assert is_open('{"' + '\\"' * 200_000)


def test_piped_answers_are_shown_where_a_person_reads(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("7\r\n8"))
    line = lines_of(to_stderr=False)
    assert [line("> "), line("> ")] == ["7", "8"]
    with pytest.raises(EOFError):
        line("> ")
    assert capsys.readouterr() == ("> 7\n> 8\n> \n", "")


def test_for_a_machine_they_are_shown_on_stderr(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("7\n"))
    assert lines_of(to_stderr=True)("> ") == "7"
    assert capsys.readouterr() == ("", "> 7\n")


def test_what_is_no_text_is_an_answer_too(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff7\n"), encoding="utf-8"))
    assert lines_of(to_stderr=True)("> ") == "\ufffd7"
