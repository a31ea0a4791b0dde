import io
import json

import pytest

from rung.backends.network import summary as network_summary
from rung.backends.network.record import Writer
from rung.backends.network.summary import Bare, Named, Summary, subtract, summarize

START = {"event": "capture_start"}
END = {"event": "capture_end", "packets": 9, "kernel_dropped": 0, "complete": True, "why": []}


def close(**fields):
    usual = {"event": "flow_close", "proto": "tcp", "dst": "203.0.113.7", "dport": 443, "state": "closed"}
    usual |= {"up": 0, "down": 0, "name": None, "identified_by": "bare_ip", "names_known": []}
    return {**usual, **fields}


@pytest.fixture
def summed(tmp_path):
    def summed(*events, times=None):
        file = io.BytesIO()
        clock = iter(times or range(len(events)))
        writer = Writer(file, session="s1", clock=lambda: float(next(clock)))
        for event in events:
            writer.write(event)
        path = tmp_path / "network.jsonl"
        path.write_bytes(file.getvalue())
        return summarize(path)

    return summed


def test_a_whole_record_of_nothing_says_that_nothing_was_tried(summed):
    seen = summed(START, END)
    assert (seen.complete, seen.packets, seen.session) == (True, 9, "s1")
    assert seen.statement == "nothing was reached or tried outside"


@pytest.mark.parametrize(
    ("events", "times", "why"),
    [
        ((START,), None, "the recorder ended before its session"),
        ((START, END, close()), None, "the recorder ended before its session"),
        ((END,), None, "it does not begin with the capture"),
        ((START, END), (0, 46), "nothing was written for 46 s"),
        ((START, {**END, "why": ["the kernel dropped 3 packets"]}), None, "the kernel dropped 3 packets"),
    ],
)
def test_a_record_that_may_have_missed_something_says_nothing(summed, events, times, why):
    seen = summed(*events, times=times)
    assert seen.why == (why,)
    assert seen.statement == f"no statement about egress: the record is incomplete ({why})"


def test_drops_are_known_from_the_last_beat_when_there_is_no_end(summed):
    seen = summed(START, {"event": "heartbeat", "packets": 5, "kernel_dropped": 2})
    assert seen.why == ("the recorder ended before its session", "the kernel dropped 2 packets")


def test_a_record_with_a_beat_every_thirty_seconds_has_no_gap(summed):
    beat = {"event": "heartbeat", "packets": 5, "kernel_dropped": 0}
    assert summed(START, beat, beat, END, times=(0, 30, 60, 90)).complete


def test_a_record_that_is_not_there_says_nothing(tmp_path):
    assert summarize(tmp_path / "none", session="s1").why == ("there is no record",)


def test_flows_of_one_name_add_up_apart_from_those_that_only_say_so(summed):
    seen = summed(
        START,
        close(name="a.example", identified_by="fake_ip_dns", up=5, down=7),
        close(name="a.example", identified_by="fake_ip_dns", state="refused"),
        close(name="a.example", identified_by="sni", up=1),
        END,
    )
    assert seen.named == (
        Named("a.example", "fake_ip_dns", flows=2, refused=1, up=5, down=7),
        Named("a.example", "sni", flows=1, up=1),
    )


def test_flows_without_a_name_add_up_by_place_and_an_earlier_look_up_names_none(summed):
    seen = summed(
        START,
        close(up=50_000, identified_by="dns_earlier", name="files.example", names_known=["files.example"]),
        close(up=1, dport=9, state="refused"),
        close(up=2),
        END,
    )
    assert seen.named == ()
    assert seen.bare == (
        Bare("tcp", "203.0.113.7", 9, flows=1, refused=1, up=1),
        Bare("tcp", "203.0.113.7", 443, flows=2, up=50_002, maybe=("files.example",)),
    )


def test_what_goes_to_the_instrument_and_what_stays_inside_is_no_egress(summed):
    instrument, inside = close(identified_by="instrument", up=3, down=4), close(identified_by="inside", up=9)
    seen = summed(START, instrument, inside, END)
    assert (seen.named, seen.bare, seen.instrument_up, seen.instrument_down) == ((), (), 3, 4)


def test_what_the_relay_let_out_and_refused_stands_with_its_name(summed):
    seen = summed(
        START,
        {"event": "proxy", "decision": "allowed", "name": "a.example"},
        {"event": "proxy_end", "name": "a.example", "up": 10, "down": 20},
        {"event": "proxy", "decision": "denied", "name": "b.example"},
        {"event": "proxy", "decision": "denied", "name": None},
        close(name="a.example", identified_by="fake_ip_dns", up=10, down=20),
        END,
    )
    assert seen.named == (
        Named("a.example", "fake_ip_dns", flows=1, up=10, down=20, sent=10, received=20),
        Named("b.example", "fake_ip_dns", denied=1),
    )
    assert seen.counts["denied"] == 2
    assert seen.statement == "2 names and 0 bare addresses were reached or tried; 10 bytes were let out"


def test_what_asks_for_a_second_look_is_counted(summed):
    hello = {"event": "tls_client_hello", "ech": "outer", "doh": True, "sni_matches_dns": False}
    seen = summed(START, hello, {"event": "quic_unreadable"}, {"event": "dns_query", "q": "a.example"}, END)
    assert dict(seen.counts) == {"doh": 1, "ech": 1, "quic_unreadable": 1, "sni_differs": 1}
    assert seen.asked == ("a.example",)


@pytest.mark.parametrize("event", [{"event": "flow_close"}, {"event": "dns_query"}, {"event": "proxy_end", "x": 1}])
def test_a_line_that_no_recorder_wrote_is_said_and_breaks_nothing(summed, event):
    assert "was not written by a recorder" in summed(START, event, END).why[-1]


def test_of_more_than_can_be_listed_the_largest_are_and_the_rest_is_counted(summed, monkeypatch):
    monkeypatch.setattr(network_summary, "MOST_LISTED", 2)
    flows = [close(dport=port, up=port % 3) for port in range(1, 6)]
    asked = [{"event": "dns_query", "q": f"{number}.example"} for number in range(3)]
    seen = summed(START, *flows, *asked, END)
    assert [each.port for each in seen.bare] == [2, 5]
    assert (seen.asked, dict(seen.more)) == (("0.example", "1.example"), {"asked": 1, "bare": 3})
    assert seen.statement == "0 names and 5 bare addresses were reached or tried; 0 bytes were let out"


def test_a_summary_is_kept_as_json(summed):
    kept = json.loads(json.dumps(summed(START, close(up=4), END).json()))
    assert (kept["bare"][0]["up"], kept["complete"]) == (4, True)


def summary(*named, bare=(), asked=()):
    return Summary("s1", (), 0, 0, 0.0, "", named=named, bare=bare, asked=asked)


def test_what_a_program_does_in_any_case_goes_away_and_what_goes_beyond_stays():
    usual = summary(
        Named("home.example", "sni", flows=2, up=100),
        Named("news.example", "sni", flows=1, up=50),
        asked=("home.example",),
    )
    seen = summary(
        Named("home.example", "sni", flows=2, up=100),
        Named("news.example", "sni", flows=3, up=5050),
        Named("other.example", "sni", flows=1, up=7),
        asked=("home.example", "other.example"),
    )
    left = subtract(seen, usual)
    assert left.named == (Named("news.example", "sni", flows=2, up=5000), Named("other.example", "sni", flows=1, up=7))
    assert left.asked == ("other.example",)
    assert left.subtracted == ("home.example", "news.example")


def test_bare_places_are_taken_off_by_place():
    place = Bare("tcp", "203.0.113.7", 443, flows=1, up=10)
    other = Bare("tcp", "203.0.113.7", 444, flows=1, up=10)
    left = subtract(summary(bare=(place, other)), summary(bare=(place,)))
    assert (left.bare, left.subtracted) == ((other,), ("203.0.113.7:443",))


def test_an_incomplete_record_stays_so():
    seen = Summary("s1", ("it broke",), 0, 0, 0.0, "")
    assert not subtract(seen, summary()).complete
