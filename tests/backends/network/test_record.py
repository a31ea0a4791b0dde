import io
import json

import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network.record import BEGINNING, Reading, Writer, verify
from rung.core.canonical import canonical, sha256


class Clock:
    """Half a second later each time."""

    def __init__(self):
        self.now = -0.5

    def __call__(self):
        self.now += 0.5
        return self.now


def written(*events, most_bytes=1 << 20):
    file = io.BytesIO()
    writer = Writer(file, session="s1", clock=Clock(), most_bytes=most_bytes)
    for event in events:
        writer.write(event)
    writer.flush()
    return file.getvalue(), writer


THREE = [{"event": "capture_start"}, {"event": "dns_query", "q": "ä"}, {"event": "capture_end"}]


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "network.jsonl"
    path.write_bytes(written(*THREE)[0])
    return path


def test_a_line_has_its_number_its_session_its_time_and_a_seal_over_all_before(record):
    first, second, _ = record.read_text().splitlines()
    assert json.loads(second)["n"] == 1
    assert (json.loads(second)["session"], json.loads(second)["at"], json.loads(second)["q"]) == ("s1", 0.5, "ä")
    seal = sha256(BEGINNING + '{"at":0.0,"event":"capture_start","n":0,"session":"s1"}')
    assert json.loads(first)["seal"] == seal
    assert json.loads(second)["seal"] == sha256(
        seal + canonical({**json.loads(second)} | {"seal": None}).replace(',"seal":null', "")
    )


def test_a_record_that_nobody_touched_holds(record):
    seen = verify(record)
    assert (seen.lines, seen.fault) == (3, None)
    assert seen.seal == json.loads(record.read_text().splitlines()[-1])["seal"]


def test_an_edited_line_shows(record):
    record.write_text(record.read_text().replace("ä", "b"))
    assert verify(record).fault == "line 1 was edited, or one before it"


def test_a_missing_line_shows(record):
    lines = record.read_text().splitlines(keepends=True)
    record.write_text(lines[0] + lines[2])
    assert verify(record).fault == "line 1 is missing or out of its place: there is line 2"


def test_a_missing_line_shows_when_those_after_it_are_numbered_anew(record):
    lines = record.read_text().splitlines(keepends=True)
    record.write_text(lines[0] + lines[2].replace('"n":2', '"n":1'))
    assert verify(record).fault == "line 1 was edited, or one before it"


def test_reordered_lines_show(record):
    lines = record.read_text().splitlines(keepends=True)
    record.write_text(lines[0] + lines[2] + lines[1])
    assert verify(record).fault == "line 1 is missing or out of its place: there is line 2"


def test_a_line_that_was_cut_off_shows(record):
    record.write_bytes(record.read_bytes()[:-1])
    assert verify(record).fault == "line 2 was cut off"
    assert [each["event"] for each in Reading(record)] == ["capture_start", "dns_query"]


def test_another_spelling_of_the_same_shows(record):
    record.write_text(record.read_text().replace('"n":0', '"n": 0'))
    assert verify(record).fault == "line 0 was edited, or one before it"


@pytest.mark.parametrize("line", [b"\n", b"[]\n", b"{\n", b"\xff\n", b'{"n":NaN}\n', b"[" * 100_000 + b"\n"])
def test_a_line_that_is_none_shows(record, line):
    record.write_bytes(line + record.read_bytes())
    assert verify(record).fault == "line 0 is no line of a record"


@hypothesis.given(st.data())
def test_any_byte_that_is_changed_shows(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("record") / "network.jsonl"
    raw = bytearray(written(*THREE)[0])
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)
    assert verify(path).fault is not None


def test_a_full_record_says_so_once_and_still_takes_what_is_vital():
    raw, writer = written({"event": "a"}, {"event": "b"}, {"event": "c"}, most_bytes=100)
    writer.write({"event": "capture_end"}, vital=True)
    lines = [json.loads(line)["event"] for line in writer._file.getvalue().splitlines()]
    assert lines == ["a", "record_full", "capture_end"]
    assert writer.unwritten == 2
    assert raw
