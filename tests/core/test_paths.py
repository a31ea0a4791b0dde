import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.errors import UsageError
from rung.core.paths import PathRule, PathRules, raw, spelled

RULES = PathRules(
    [
        PathRule(".claude/projects/**/*.jsonl", "conversation"),
        PathRule(".claude/**", "harness"),
        PathRule(".cache/**", "cache"),
        PathRule("notes?.md", "files"),
        PathRule("**/__pycache__/**", "cache"),
        PathRule("[a].txt", "files"),
    ]
)


@given(st.binary(min_size=1))
def test_spelling_loses_no_byte(path: bytes):
    assert raw(spelled(path)) == path


@given(st.text(st.characters(codec=None), min_size=1))
def test_a_path_has_one_spelling(text: str):
    try:
        path = raw(text)
    except UsageError:
        return
    assert spelled(path) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (b"caf\xc3\xa9/a b", "café/a b"),
        (b"\xff\xfe", r"\xff\xfe"),
        (b"new\nline", r"new\x0aline"),
        (b"\x1b[2J", r"\x1b[2J"),
        ("\u202egnp.exe".encode(), r"\xe2\x80\xaegnp.exe"),
        (rb"\xff", r"\\xff"),
        ("\ud800".encode("utf-8", "surrogatepass"), r"\xed\xa0\x80"),
    ],
)
def test_what_could_trick_a_terminal_or_json_is_spelled_out(path: bytes, text: str):
    assert spelled(path) == text


@pytest.mark.parametrize("text", ["", r"a\b", r"\x41", r"\xFF", "a\nb", "\udc80"])
def test_a_spelling_that_we_do_not_write_is_refused(text: str):
    with pytest.raises(UsageError, match="is no path as we spell them"):
        raw(text)


@pytest.mark.parametrize(
    ("path", "path_class"),
    [
        (".claude/projects/-workspace/one.jsonl", "conversation"),
        (".claude/projects/one.jsonl", "conversation"),
        (".claude/projects/one.json", "harness"),
        (".claude/settings.json", "harness"),
        (".claude", None),
        (".cache/uv/x", "cache"),
        ("notes1.md", "files"),
        ("notes12.md", None),
        ("a/notes1.md", None),
        ("__pycache__/a.pyc", "cache"),
        ("b/c/__pycache__/d/a.pyc", "cache"),
        ("[a].txt", "files"),
        ("a.txt", None),
        ("notes1.md\n", None),
    ],
)
def test_the_first_rule_that_knows_a_path_decides(path: str, path_class: str | None):
    assert RULES.of(path) == path_class


def test_paths_are_classified_together():
    assert RULES.classify(["notes1.md", ".cache/a"]) == {"notes1.md": "files", ".cache/a": "cache"}


def test_files_that_no_rule_knows_are_an_error_by_name():
    with pytest.raises(UsageError, match=r"are: x0, x1, x2, x3, x4 and 2 more; add a path rule with one of conv"):
        RULES.classify(["notes1.md", *(f"x{n}" for n in range(7))])


def test_without_rules_no_path_has_a_class():
    assert PathRules([]).of("") is None
    assert PathRules([]).of("a") is None


@pytest.mark.parametrize("glob", ["", "/home/agent/**"])
def test_a_rule_counts_from_the_home(glob: str):
    with pytest.raises(UsageError, match="counts from the home"):
        PathRule(glob, "files")
