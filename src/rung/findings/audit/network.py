"""Whom a session reached, against the study's list and what its program does in any case.

    weak      a host of data sets was looked up or reached, although the study allows it
    weak      a name that is neither allowed nor the program's own was looked up or tried
    weak      a bare address outside was tried
    strong    bytes came back from such a name or address
    strong    the name server was asked for names that carry data: a tunnel

An allowed host of any other kind is no evidence, however much came from it. A record that is incomplete is no evidence
either; the report says that nothing can be said. What came over the network shows in what was done with it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rung.findings.audit import hosts
from rung.findings.audit.evidence import Evidence, Weight, When, quoted

MOST_BYTES_OF_A_REFUSAL = 512
"""Bytes that come back from a connection that was refused: an alert, or `403 Forbidden`."""
LONG_LABEL = 24
"""Letters of a label of a name that may carry data: names that people give are shorter."""
ENTROPY = 3.0
"""Bits a letter of such a label, less would be words; base32 has 5, hex 4, English 2.6 within one word."""
LEAST_TUNNEL = 3
"""Names with such labels below one zone; one or two are a content network's."""
MANY_BELOW = 25
"""Different names below one zone that nobody allows: a tunnel with short labels."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The network of one session: names, bare addresses (`tcp 203.0.113.5 443`), and what was asked of the name server.

    `received` are bytes that came in, by name or address, where the record counted them. `allow` is the study's list,
    `usual` what the program calls in any case. `place` is the journal path of the record.
    """

    place: str
    who: str
    when: When
    names: Sequence[str]
    bare: Sequence[str]
    asked: Sequence[str]
    allow: Sequence[str] = ()
    usual: Sequence[str] = ()
    received: Mapping[str, int] = field(default_factory=dict, hash=False)
    own: int | None = None


def search(found: Reached) -> Iterator[Evidence]:
    """What one session's network is evidence of."""
    tunnels = set(tunnelled([*found.asked, *found.names], found.allow))
    for name in sorted({*found.names, *found.asked}):
        zone = _zone(name)
        if zone not in tunnels:
            yield from _of_name(found, name)
    for zone in sorted(tunnels):
        below = [name for name in sorted({*found.asked, *found.names}) if _zone(name) == zone]
        says = f"{len(below)} names below {zone} that carry data were looked up: a tunnel"
        yield _evidence(found, "strong", says, "; ".join(below))
    for bare in found.bare:
        yield from _of_address(found, bare)


def _of_name(found: Reached, name: str) -> Iterator[Evidence]:
    reached = name in found.names
    came = found.received.get(name, 0)
    verb = "reached" if came > MOST_BYTES_OF_A_REFUSAL else "tried" if reached else "looked up"
    if hosts.allowed(name, found.allow):
        if hosts.holds_datasets(name):
            yield _evidence(found, "weak", f"{name}, a host of data sets that the study allows, was {verb}", name)
    elif not hosts.allowed(name, found.usual) and "." in name:
        kind = ", a host of data sets," if hosts.holds_datasets(name) else ""
        weight = came > MOST_BYTES_OF_A_REFUSAL
        yield _evidence(found, "strong" if weight else "weak", f"{name}{kind} was {verb}, and is not allowed", name)


def _of_address(found: Reached, bare: str) -> Iterator[Evidence]:
    address = (bare.split() or [""])[1 if " " in bare else 0]
    if hosts.outside(address):
        came = found.received.get(bare, 0) > MOST_BYTES_OF_A_REFUSAL
        verb = "answered" if came else "was tried"
        yield _evidence(found, "strong" if came else "weak", f"a bare address outside {verb}: {bare}", bare)


def _evidence(found: Reached, weight: Weight, says: str, quote: str) -> Evidence:
    touched = () if found.own is None else (found.own,)
    return Evidence("network", weight, found.when, found.who, found.place, says, quoted(quote), touched)


# --------------------------------------------------------------------------------------------- tunnels


def tunnelled(asked: Iterable[str], allow: Sequence[str] = ()) -> list[str]:
    """The zones below which names were looked up that carry data.

    >>> tunnelled([f"{n}.mfrggzdfmztwq2lknnwg23tpoa{n}.t.example.com" for n in range(4)])
    ['example.com']
    """
    below: dict[str, set[str]] = defaultdict(set)
    for name in asked:
        below[_zone(name)].add(name.lower().rstrip("."))
    return [
        zone
        for zone, names in sorted(below.items())
        if len([name for name in names if _carries(name, zone)]) >= LEAST_TUNNEL
        or (len(names) >= MANY_BELOW and not all(hosts.allowed(name, allow) for name in names))
    ]


def _zone(name: str) -> str:
    """The last two labels of a name, three where the second is short (`example.co.uk`)."""
    labels = name.lower().rstrip(".").split(".")
    return ".".join(labels[-3:] if len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2:])


def _carries(name: str, zone: str) -> bool:
    left = name.removesuffix(zone).rstrip(".").split(".")
    longest = max(left, key=len, default="")
    whole = "".join(left)
    return (len(longest) >= LONG_LABEL or len(whole) >= 2 * LONG_LABEL) and entropy(whole) >= ENTROPY


def entropy(text: str) -> float:
    """Bits a letter, as the letters of a text are spread.

    >>> entropy("aabb")
    1.0
    """
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0
