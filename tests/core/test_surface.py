"""What of a change is allowed: paths, names, sizes, Python."""

import pytest

from rung.core.surface import Surface, changed, matches, modules

NARROW = Surface(
    write=("agent/skills/**", "agent/tools/*.py"), file_bytes=2_000, total_bytes=5_000, files=3, binary_bytes=0
)


def kinds(path: str, data: bytes, surface: Surface = NARROW, own: tuple[str, ...] = ()) -> list[str]:
    return [each.kind for each in surface.unfit(path, data, own)]


@pytest.mark.parametrize(
    ("path", "glob", "fits"),
    [
        ("agent/a.md", "agent/**", True),
        ("agent/x/y/a.md", "agent/**", True),
        ("agentx/a.md", "agent/**", False),
        ("agent/tools/a.py", "agent/tools/*.py", True),
        ("agent/tools/x/a.py", "agent/tools/*.py", False),
        ("agent/tools/aXpy", "agent/tools/*.py", False),
        ("agent/a\nb.md", "agent/**", True),
    ],
)
def test_a_star_stays_in_its_folder_and_two_do_not(path: str, glob: str, fits: bool):
    assert matches(path, glob) is fits


@pytest.mark.parametrize("path", ["agent/skills/a/SKILL.md", "agent/tools/count.py", "agent/skills/für.md"])
def test_what_lies_on_the_surface_is_let_by(path: str):
    assert kinds(path, b"x = 1\n") == []


@pytest.mark.parametrize("path", ["agent/system.md", "method/meta.json", "agent/tools/x/a.py", "agent/tools/a.md"])
def test_what_lies_beside_it_is_not(path: str):
    assert kinds(path, b"x = 1\n") == ["path"]


@pytest.mark.parametrize(
    "path",
    [
        "agent/skills/../../etc/passwd",
        "agent/skills//a.md",
        "agent/skills/-rf",
        "agent/skills/a ",
        "agent/skills/a.",
        "agent/skills/a\u202emd.exe",
        "agent/skills/e\u0301.md",
        "agent/skills/a:b",
        "agent/skills/$(id)",
        "agent/skills/a\\b",
        "agent/skills/" + "x/" * 12 + "a",
        "agent/skills/" + "x" * 190,
        "agent/skills/.git/config",
        "agent",
    ],
)
def test_an_odd_name_is_told_as_one(path: str):
    assert kinds(path, b"x") == ["name"]


def test_sizes_of_a_file_of_all_and_their_number_are_bounded():
    assert kinds("agent/skills/a.md", b"x" * 2_000) == []
    assert kinds("agent/skills/a.md", b"x" * 2_001) == ["size"]
    full = {f"agent/skills/{n}": b"x" * 1_300 for n in range(4)}
    assert [each.kind for each in NARROW.overfull(full)] == ["total", "count"]
    assert NARROW.overfull(dict.fromkeys(list(full)[:3], b"x")) == []


@pytest.mark.parametrize("data", [b"a\x00b", b"\xff\xfe", b"\x80\x04\x95", b"\x7fELF..."])
def test_what_is_no_text_is_told_as_binary(data: bytes):
    assert kinds("agent/skills/a.bin", data) == ["binary"]


def test_a_small_binary_file_passes_where_the_surface_says_so():
    assert kinds("agent/a.png", b"\x89PNG\x00", Surface()) == []
    assert kinds("agent/a.png", b"\x89PNG\x00" + b"x" * 70_000, Surface()) == ["binary"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "a\x00b",
        "-" * 100_000 + "1",
        "a" + ".b" * 20_000,
        "(" * 50_000,
        "1" + "+1" * 30_000,
        "f" + "()" * 9_000,
    ],
)
def test_python_that_does_not_parse_is_told_however_it_breaks_the_parser(text: str):
    surface = Surface()
    assert kinds("agent/tools/a.py", text.encode(), surface) in (["syntax"], ["binary"], [])
    if "\x00" not in text:
        assert kinds("agent/tools/a.py", text.encode(), surface) == ["syntax"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import math, json\nfrom collections import deque\n", []),
        ("import os\n", ["import"]),
        ("import os.path as p, socket\n", ["import", "import"]),
        ("def f():\n    from urllib.request import urlopen\n", ["import"]),
        ("from . import helper\n", []),
        ("import helper\n", ["import"]),
        ("__import__('os')\n", ["dynamic"]),
        ("x = eval('1')\n", ["dynamic"]),
        ("import re\nre.compile('a')\n", []),
        ("f = ().__class__.__builtins__\n", ["dynamic"]),
        ("s = 'import os'  # eval\n", []),
        ("x = '\\d'\n", []),
    ],
)
def test_imports_are_held_against_the_list(text: str, found: list[str]):
    assert kinds("agent/tools/a.py", text.encode()) == found


def test_a_module_of_the_state_may_be_imported_and_none_that_takes_the_name_of_the_library():
    own = modules(["agent/tools/helper.py", "agent/tools/socket.py"])
    assert own == {"agent", "tools", "helper"}
    assert kinds("agent/tools/a.py", b"import helper\n", own=tuple(own)) == []
    assert kinds("agent/tools/a.py", b"import socket\n", own=tuple(own)) == ["import"]


def test_a_surface_without_a_list_asks_for_syntax_alone():
    free = Surface(imports=None)
    assert kinds("agent/a.py", b"import os\neval('1')\n", free) == []
    assert kinds("agent/a.py", b"import\n", free) == ["syntax"]


def test_a_change_is_what_is_new_other_or_gone():
    before, after = (
        {"agent/a": b"1", "agent/b": b"2", "agent/c": b"3"},
        {"agent/a": b"1", "agent/b": b"4", "agent/d": b"5"},
    )
    assert changed(before, after) == {"agent/b": b"4", "agent/c": None, "agent/d": b"5"}
