import io
import json
import socket

from rung.backends.network.watch import Told, Watch

from .frames import Conversation, hello

ORDER = {"session": "s1", "mode": "allowlist", "allow": [], "ports": [], "most_bytes": 1 << 20, "beat_seconds": 30.0}
GIVEN = {"event": {"event": "name_given", "name": "files.example", "address": "198.18.0.1", "allowed": True}}


class Racing:
    """A capture in which a connection stands the moment after its name was given, and the last words after that."""

    read = dropped = unread = 0

    def __init__(self, instrument: socket.socket) -> None:
        self.instrument = instrument
        self.left = 1

    def fileno(self) -> int:
        return self.instrument.fileno()

    def early(self) -> list[bytes]:
        return []

    def count(self) -> bool:
        return True

    def bursts(self):
        for _ in range(self.left):
            self.left = 0
            self.instrument.sendall(json.dumps(GIVEN).encode() + b"\n" + b'{"over": true}\n')
            made = Conversation(dst="198.18.0.1")
            yield made.opening() + made.up(hello(b"files.example")) + made.closing()


def test_a_name_that_is_given_while_packets_are_read_is_known_before_its_connection():
    ours, theirs = socket.socketpair()
    ours.sendall(b'{"count": true}\n')
    file = io.BytesIO()
    with ours, theirs:
        watch = Watch(capture=Racing(ours), told=Told(theirs), order=ORDER, file=file)
        for _ in range(2):
            watch._turn()
        said = [json.loads(line) for line in ours.recv(4096).splitlines()]
    events = [json.loads(line) for line in file.getvalue().splitlines()]
    assert said == [{"packets": 0}]
    assert [each["event"] for each in events] == ["name_given", "flow_open", "tls_client_hello"]
    assert events[2]["sni_matches_dns"] is True


def test_an_order_that_comes_in_two_halves_with_what_follows_is_taken_apart():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        told = Told(theirs)
        ours.sendall(b'{"session": "s1"}\n{"over": true}\n{"ev')
        assert told.order() == {"session": "s1"}
        ours.sendall(b'ent": {}}\n')
        assert list(told.messages()) == [{"over": True}, {"event": {}}]


def test_without_an_order_there_is_none():
    ours, theirs = socket.socketpair()
    with theirs:
        ours.close()
        assert Told(theirs).order() is None
