import pytest

from rung.backends.network.hosts import checked, is_name, matching, shown
from rung.core.errors import UsageError


@pytest.mark.parametrize(
    ("name", "allow", "expected"),
    [
        ("api.example", ["api.example"], "api.example"),
        ("api.example", ["API.Example"], "api.example"),
        ("sub.api.example", ["api.example"], None),
        ("a.b.api.example", ["*.api.example"], "*.api.example"),
        ("api.example", ["*.api.example"], None),
        ("evilapi.example", ["*.api.example"], None),
        ("api.example", [], None),
    ],
)
def test_a_pattern_allows_itself_or_what_is_below_it(name, allow, expected):
    assert matching(name, checked(allow)) == expected


@pytest.mark.parametrize("pattern", ["*", "*.", "", "*.*.example", "a.*.example", "https://a.example", "a.example:443"])
def test_a_pattern_that_allows_nothing_or_too_much_is_an_error_that_says_what_to_write(pattern):
    with pytest.raises(UsageError, match=r"which is no host name; write a host name in ASCII, as api\.example, or"):
        checked([pattern])


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.1", "::1", "[::1]", "a..b", ".a", "a."),
        *(
            "",
            "A.example",
            "a\x00.example",
            "a%00.example",
            "a b",
            "-a.example",
            "a" * 64,
            "a." * 126 + "aa",
            "ä.example",
        ),
    ],
)
def test_what_could_be_read_otherwise_is_no_name(text):
    assert not is_name(text)


@pytest.mark.parametrize("text", ["localhost", "a", "_dmarc.example", "xn--bcher-kva.example", "1.example", "a" * 63])
def test_host_names_are_names(text):
    assert is_name(text)


def test_no_two_byte_strings_look_alike():
    assert shown(b"a\x00") == "a\\x00"
    assert shown(rb"a\x00") == "a\\x5cx00"
