"""What a record comes to: whom the program reached and asked for, with bytes, and whether the record can say so."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from rung.backends.network.flows import Event
from rung.backends.network.record import Reading
from rung.core.canonical import JSON

LONGEST_GAP = 45.0
"""Seconds between two lines beyond which a heartbeat is missing: they come every 30."""
MOST_LISTED = 1000
"""Entries in each list of a summary: a program may look up a hundred thousand names. All are in the record."""
NAMED = ("fake_ip_dns", "sni", "sni_maybe_cover", "http_host")
"""By what a flow has a name. An address that was looked up before gives it none."""
COUNTED = ("quic_unreadable", "fragment", "non_ip", "unparsed", "icmp", "cleartext_unknown", "record_full")

Place: TypeAlias = tuple[str, str, int]
Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Named:
    """Flows to one name that have it `by` one thing: `sni` is what the program said, and only `fake_ip_dns` is proof.

    `up` and `down` are bytes seen inside; of these the relay carried out `sent` and brought in `received`. `refused`
    flows were turned down by the kernel, `denied` ones by the relay.
    """

    name: str
    by: str
    flows: int = 0
    refused: int = 0
    denied: int = 0
    up: int = 0
    down: int = 0
    sent: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class Bare:
    """Flows to one place that nothing names. `maybe` are names that were looked up for its address before."""

    proto: str
    dst: str
    port: int
    flows: int = 0
    refused: int = 0
    up: int = 0
    down: int = 0
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A record in short. While `why` names a reason it is incomplete, and says nothing of what it did not see.

    `counts` has how often each event stands in the record that asks for a second look: hidden names (`ech`), look-ups
    that no record sees (`doh`), QUIC, fragments, what could not be read. `more` says how many entries a list has beyond
    those in it, which are the largest. `subtracted` are the names and places of a baseline that were taken off.
    """

    session: str
    why: tuple[str, ...]
    packets: int
    dropped: int
    seconds: float
    seal: str
    named: tuple[Named, ...] = ()
    bare: tuple[Bare, ...] = ()
    asked: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    instrument_up: int = 0
    instrument_down: int = 0
    more: Mapping[str, int] = field(default_factory=dict, hash=False)
    subtracted: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing can have been missed."""
        return not self.why

    @property
    def statement(self) -> str:
        """What may be said of this record in a sentence."""
        if self.why:
            return f"no statement about egress: the record is incomplete ({'; '.join(self.why)})"
        if not self.named and not self.bare:
            return "nothing was reached or tried outside"
        names = len({each.name for each in self.named}) + self.more.get("named", 0)
        bare = len(self.bare) + self.more.get("bare", 0)
        sent = sum(each.sent for each in self.named)
        return f"{names} names and {bare} bare addresses were reached or tried; {sent} bytes were let out"

    def json(self) -> JSON:
        """As recorded beside a session."""
        return {**asdict(self), "complete": self.complete, "statement": self.statement}


def summarize(path: Path, *, session: str = "", more: Iterable[str] = ()) -> Summary:
    """Read a record. `more` are reasons why it is incomplete that are not in it; a missing file is one."""
    if not path.is_file():
        return Summary(session, ("there is no record", *more), 0, 0, 0.0, "")
    books = _Books()
    reading, faults = Reading(path), []
    try:
        for event in reading:
            books.add(event)
    except (KeyError, TypeError, ValueError) as error:
        faults.append(f"a line of it was not written by a recorder: {error!r}")
    if reading.checked.fault:
        faults.append(reading.checked.fault)
    why = books.shortcomings() + faults + list(more)
    return Summary(
        session=session or books.session,
        why=tuple(why),
        packets=books.packets,
        dropped=books.dropped,
        seconds=books.last,
        seal=reading.checked.seal,
        named=tuple(sorted(_largest(books.named.values()), key=lambda each: (each.name, each.by))),
        bare=tuple(sorted(_largest(books.bare.values()), key=lambda each: (each.dst, each.port, each.proto))),
        asked=tuple(sorted(books.asked)[:MOST_LISTED]),
        counts=dict(sorted(books.counts.items())),
        instrument_up=books.instrument_up,
        instrument_down=books.instrument_down,
        more={
            name: len(found) - MOST_LISTED
            for name, found in (("named", books.named), ("bare", books.bare), ("asked", books.asked))
            if len(found) > MOST_LISTED
        },
    )


Entry = TypeVar("Entry", Named, Bare)


def _largest(found: Iterable[Entry]) -> list[Entry]:
    """Those that sent most, as many as are listed."""
    return sorted(found, key=lambda each: -each.up)[:MOST_LISTED]


def subtract(summary: Summary, baseline: Summary) -> Summary:
    """What goes beyond a baseline: a run of the same agent program that does no task. For reports; never for a record.

    Flows and bytes are taken off name by name. What a program does in any case goes away; where it has more flows, or
    sends more, than in the baseline, the rest stays. The names and places that were touched are in `subtracted`.
    """
    usual_names = {(each.name, each.by): each for each in baseline.named}
    usual_places = {(each.proto, each.dst, each.port): each for each in baseline.bare}
    named = [_beyond_name(each, usual_names.get((each.name, each.by))) for each in summary.named]
    bare = [_beyond_place(each, usual_places.get((each.proto, each.dst, each.port))) for each in summary.bare]
    touched = [each.name for each in summary.named if (each.name, each.by) in usual_names]
    touched += [f"{each.dst}:{each.port}" for each in summary.bare if (each.proto, each.dst, each.port) in usual_places]
    return replace(
        summary,
        named=tuple(each for each in named if each is not None),
        bare=tuple(each for each in bare if each is not None),
        asked=tuple(name for name in summary.asked if name not in baseline.asked),
        subtracted=tuple(touched),
    )


def _beyond_name(seen: Named, usual: Named | None) -> Named | None:
    if usual is None:
        return seen
    left = replace(
        seen,
        **{
            key: max(0, getattr(seen, key) - getattr(usual, key))
            for key in ("flows", "refused", "denied", "up", "down", "sent", "received")
        },
    )
    return left if left.flows or left.up else None


def _beyond_place(seen: Bare, usual: Bare | None) -> Bare | None:
    if usual is None:
        return seen
    left = replace(
        seen, **{key: max(0, getattr(seen, key) - getattr(usual, key)) for key in ("flows", "refused", "up", "down")}
    )
    return left if left.flows or left.up else None


class _Books:
    """What the events of a record add up to."""

    def __init__(self) -> None:
        self.session = ""
        self.packets = self.dropped = 0
        self.last = 0.0
        self.named: dict[Name, Named] = {}
        self.bare: dict[Place, Bare] = {}
        self.asked: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.instrument_up = self.instrument_down = 0
        self._first = ""
        self._end: Event | None = None
        self._gap = 0.0

    def add(self, event: Event) -> None:
        """Enter one event."""
        kind = str(event["event"])
        self._first = self._first or kind
        self.session = str(event["session"])
        at = _number(event, "at")
        self._gap = max(self._gap, at - self.last)
        self.last = at
        self._end = event if kind == "capture_end" else None
        entered = {
            "heartbeat": self._count,
            "capture_end": self._count,
            "dns_query": self._dns_query,
            "tls_client_hello": self._tls_client_hello,
            "flow_close": self._flow_close,
            "proxy": self._proxy,
            "proxy_end": self._proxy_end,
        }
        if kind in entered:
            entered[kind](event)
        elif kind in COUNTED:
            self.counts[kind] += 1

    def shortcomings(self) -> list[str]:
        """Why nothing can be said."""
        found = []
        if self._first != "capture_start":
            found.append("it does not begin with the capture")
        if self._gap > LONGEST_GAP:
            found.append(f"nothing was written for {self._gap:.0f} s")
        if self._end is None:
            found.append("the recorder ended before its session")
            if self.dropped:
                found.append(f"the kernel dropped {self.dropped} packets")
        else:
            why = self._end.get("why")
            found += [str(each) for each in why] if isinstance(why, list) else []
        return found

    def _count(self, event: Event) -> None:
        self.packets, self.dropped = int(_number(event, "packets")), int(_number(event, "kernel_dropped"))

    def _dns_query(self, event: Event) -> None:
        self.asked.add(str(event["q"]))

    def _tls_client_hello(self, event: Event) -> None:
        self.counts["ech"] += bool(event["ech"])
        self.counts["doh"] += bool(event["doh"])
        self.counts["sni_differs"] += event["sni_matches_dns"] is False

    def _flow_close(self, event: Event) -> None:
        up, down = int(_number(event, "up")), int(_number(event, "down"))
        refused = int(event["state"] == "refused")
        by, name = str(event["identified_by"]), event["name"]
        if by == "instrument":
            self.instrument_up += up
            self.instrument_down += down
        elif by in NAMED and isinstance(name, str):
            old = self.named.get((name, by), Named(name, by))
            self.named[name, by] = replace(
                old, flows=old.flows + 1, refused=old.refused + refused, up=old.up + up, down=old.down + down
            )
        elif by != "inside":
            self._bare_flow(event, up=up, down=down, refused=refused)

    def _bare_flow(self, event: Event, *, up: int, down: int, refused: int) -> None:
        place = str(event["proto"]), str(event["dst"]), int(_number(event, "dport"))
        known = event["names_known"]
        old = self.bare.get(place, Bare(*place))
        self.bare[place] = replace(
            old,
            flows=old.flows + 1,
            refused=old.refused + refused,
            up=old.up + up,
            down=old.down + down,
            maybe=tuple(sorted({*old.maybe, *(str(each) for each in known)})) if isinstance(known, list) else old.maybe,
        )

    def _proxy(self, event: Event) -> None:
        name = event["name"]
        if event["decision"] != "denied":
            return
        if isinstance(name, str):
            old = self._relayed(name)
            self.named[name, old.by] = replace(old, denied=old.denied + 1)
        self.counts["denied"] += 1

    def _proxy_end(self, event: Event) -> None:
        name = str(event["name"])
        old = self._relayed(name)
        up, down = int(_number(event, "up")), int(_number(event, "down"))
        self.named[name, old.by] = replace(old, sent=old.sent + up, received=old.received + down)

    def _relayed(self, name: str) -> Named:
        return self.named.get((name, NAMED[0]), Named(name, NAMED[0]))


def _number(event: Event, key: str) -> float:
    value = event.get(key)
    return value if isinstance(value, int | float) else 0
