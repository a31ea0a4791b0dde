"""A journal in memory, for simulations: the promises of the one on disk, without the disk."""

from bisect import bisect_left
from collections.abc import Iterator

from rung.core.canonical import JSON, sha256
from rung.core.errors import StoreFault
from rung.core.ports import Fact
from rung.store.rows import Key, checked, digest_of, fact_of, ranges, read, settled, spell


class MemoryJournal:
    """Facts, observations and blobs in dictionaries. Its digest equals that of a `SqliteJournal` of the same facts."""

    def __init__(self) -> None:
        self._facts: dict[Key, str] = {}
        self._observations: dict[Key, list[str]] = {}
        self._blobs: dict[str, bytes] = {}
        self._fact_order = _Order()
        self._observation_order = _Order()

    def get(self, path: str, kind: str) -> JSON | None:
        """The fact at this key; None when there is none."""
        text = self._facts.get((path, kind))
        return None if text is None else read(text)

    def put(self, path: str, kind: str, value: JSON) -> None:
        """Insert a fact. The same again is nothing; another value at the same key is a `StoreFault`."""
        key, text = checked(path, kind), spell(value)
        old = self._facts.get(key)
        if old is None:
            self._facts[key] = text
            self._fact_order.add(key)
        else:
            settled(key, old, text)

    def observe(self, path: str, name: str, value: JSON) -> None:
        """Note something that may differ between identical runs. Noted twice, it stands there twice."""
        key, text = checked(path, name), spell(value)
        if key not in self._observations:
            self._observations[key] = []
            self._observation_order.add(key)
        self._observations[key].append(text)

    def blob(self, data: bytes) -> str:
        """Keep these bytes and give their SHA-256; the same bytes are kept once."""
        digest = sha256(data)
        self._blobs.setdefault(digest, bytes(data))
        return digest

    def read_blob(self, digest: str) -> bytes:
        """The bytes with this SHA-256."""
        try:
            return self._blobs[digest]
        except KeyError:
            raise StoreFault("store", f"the blob {digest!r} is missing") from None

    async def flush(self, *, durable: bool) -> None:
        """Return at once: nothing here survives the process."""

    def facts(self, *, under: str = "", kind: str | None = None) -> Iterator[Fact]:
        """Facts in key order, at or below a path and of a kind."""
        for key in self._fact_order.select(under, kind):
            yield fact_of(key, self._facts[key])

    def observations(self, *, under: str = "", name: str | None = None) -> Iterator[Fact]:
        """Observations in key order, those of one key in the order in which they were made."""
        for key in self._observation_order.select(under, name):
            for text in list(self._observations[key]):
                yield fact_of(key, text)

    def digest(self) -> str:
        """SHA-256 over all facts in key order."""
        return digest_of((key, self._facts[key]) for key in self._fact_order.select("", None))

    def close(self) -> None:
        """Nothing to let go."""


class _Order:
    """Keys in order. Sorting waits until somebody looks, and then costs little: most keys are in order already."""

    def __init__(self) -> None:
        self._keys: list[Key] = []
        self._sorted = True

    def add(self, key: Key) -> None:
        self._sorted = self._sorted and (not self._keys or self._keys[-1] < key)
        self._keys.append(key)

    def select(self, under: str, name: str | None) -> list[Key]:
        """A copy, so that what is put while somebody iterates disturbs nobody."""
        if not self._sorted:
            self._keys.sort()
            self._sorted = True
        return [key for low, high in ranges(under) for key in self._between(low, high) if name in (None, key[1])]

    def _between(self, low: str, high: str | None) -> list[Key]:
        end = len(self._keys) if high is None else bisect_left(self._keys, (high, ""))
        return self._keys[bisect_left(self._keys, (low, "")) : end]
