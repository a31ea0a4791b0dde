import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.errors import UsageError
from rung.core.paths import raw, spelled


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
