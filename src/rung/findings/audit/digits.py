"""Bytes that are written in signs which are digits of some base, and bytes that were turned in themselves.

No list of alphabets is needed for these: a run of signs from one stretch of Unicode counts from its first one; groups
that a tool writes at equal length are one number after the other; sixteen words are the halves of bytes, in the order
of the alphabet. What comes out is taken where it is a text or an archive, as it is or after one of `TURNS`.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

MOST_SUMMED = 5_000
"""Numbers that may be steps from one letter to the next."""
LEAST = 24
"""Bytes that have to come out: a name and an answer."""
MOST = 256 << 10
"""Letters of a text that is looked at."""
SIXTEEN = 16


def _reversed_bits() -> bytes:
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


TURNS: Mapping[str, bytes] = {
    "halves swapped": bytes((byte << 4 | byte >> 4) & 255 for byte in range(256)),
    "bits mirrored": _reversed_bits(),
    "bits the other way": bytes(255 - byte for byte in range(256)),
    "EBCDIC": bytes(range(256)).decode("cp500").encode("latin-1"),
    "no highest bit": bytes(byte & 127 for byte in range(256)),
}
"""How every byte may have been turned, whichever it is, as tables."""


def turned(data: bytes, is_text: Callable[[bytes], bool]) -> bytes | None:
    """Bytes after the turn by which they become a text; None where none does.

    >>> turned(bytes(255 - byte for byte in b"the key"), bytes.isascii)
    b'the key'
    """
    head = data[:400]
    for table in TURNS.values():
        if is_text(head.translate(table)):
            return data.translate(table)
    return None


def spelt(text: str) -> Iterator[tuple[str, bytes]]:
    """What a text may spell in digits of some base."""
    if len(text) > MOST:
        return
    yield from (("signs of one block", data) for data in _blocks(text))
    yield from (("groups of one length", data) for data in _groups(text))
    yield from (("records of one length", data) for data in _records(text))
    yield from (("bits in lines", data) for data in _bits(text))
    yield from (("sixteen words", data) for data in _sixteen(text))
    yield from (("base 32 in groups", data) for data in _in_groups(text))
    yield from (("numbers of a large base", data) for data in _large(text))
    yield from (("a vocabulary", data) for data in _numbered(text))
    yield from (("numbers moved", data) for data in _moved(text))


def packed(values: Sequence[int], size: int) -> bytes:
    """Digits of so many bits as bytes.

    >>> packed([0x1D, 0x06, 0x15, 0x28], 6)
    b'teh'
    """
    bits = "".join(f"{value:0{size}b}" for value in values)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))


_BLOCK = re.compile(r"[\u2000-\U0001ffff](?:\s?[\u2000-\U0001ffff]){23,}")


def _blocks(text: str) -> Iterator[bytes]:
    if text.isascii():
        return
    for run in _BLOCK.finditer(text):
        points = [ord(sign) for sign in run[0] if not sign.isspace()]
        low, high = min(points), max(points)
        for first in dict.fromkeys((low & ~0xFF, low & ~0x3F, low)):
            span = high - first + 1
            if span <= 256:
                size = next(bits for bits in (4, 5, 6, 8) if span <= 1 << bits)
                yield packed([point - first for point in points], size)


_HEXES = re.compile(r"(?<![0-9A-Za-z])(?:#|0x|\\x)?((?:[0-9a-fA-F]{2}){1,16})(?![0-9A-Za-z])")


def _groups(text: str) -> Iterator[bytes]:
    """Groups of hexadecimal figures of one length, whatever stands between them."""
    by_length: dict[int, list[str]] = {}
    for found in _HEXES.finditer(text):
        by_length.setdefault(len(found[1]), []).append(found[1])
    for length, some in by_length.items():
        if length * len(some) >= 2 * LEAST and (length > 2 or any(re.search("[a-fA-F]", each) for each in some)):
            data = bytes.fromhex("".join(some))
            yield data
            yield data[3:]  # its length stands before it


_RECORD = re.compile(r"(?m)^(?::|\W|S\d)?([0-9A-Fa-f]{24,})\W?$")


def _records(text: str) -> Iterator[bytes]:
    """Lines of hexadecimal figures with a head and a sum, as tools for firmware write them."""
    lines = [bytes.fromhex(line[: len(line) // 2 * 2]) for line in _RECORD.findall(text)]
    if len(lines) > 1:
        for head in (3, 4, 5):
            yield b"".join(line[head:-1] for line in lines)


_ROW = re.compile(r"(?m)^[01\s,;|]{16,}$")


def _bits(text: str) -> Iterator[bytes]:
    bits = re.sub(r"[^01]", "", "".join(_ROW.findall(text)))
    if len(bits) >= 8 * LEAST:
        for order in (bits, bits.translate(str.maketrans("01", "10"))):
            yield packed([int(bit) for bit in order], 1)


_WORDS = re.compile(r"[^\W\d_]+")


def _sixteen(text: str) -> Iterator[bytes]:
    words = _WORDS.findall(text.lower())
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    often = sorted(sorted(counts, key=lambda word: -counts[word])[:SIXTEEN])
    if len(often) == SIXTEEN and sum(counts[word] for word in often) >= max(2 * LEAST, 0.8 * len(words)):
        digits = {word: digit for digit, word in enumerate(often)}
        values = [digits[word] for word in words if word in digits]
        yield packed(values, 4)
        yield packed(values[1:], 4)


_GROUPED = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9]{4,8}(?:[-\s][A-Za-z0-9]{4,8}){5,}(?:[-\s][A-Za-z0-9]{1,7})?(?![A-Za-z0-9])"
)
_ALPHABETS = (
    "0123456789abcdefghjkmnpqrstvwxyz",
    "abcdefghijklmnopqrstuvwxyz234567",
    "0123456789abcdefghijklmnopqrstuv",
    "ybndrfg8ejkmcpqxot1uwisza345h769",
    "0123456789bcdefghjkmnpqrstuvwxyz",
)


def _in_groups(text: str) -> Iterator[bytes]:
    """Base 32 as it is made for people, in groups with a stroke between."""
    for run in _GROUPED.finditer(text):
        bare = re.sub(r"[-\s]", "", run[0].lower())
        for alphabet in _ALPHABETS:
            if set(bare) <= set(alphabet):
                yield packed([alphabet.index(sign) for sign in bare], 5)


_LARGE = re.compile(r"(?<![A-Za-z0-9])[a-z0-9]{8,26}(?:[\s,;|-]{1,2}[a-z0-9]{4,26}){3,}(?![A-Za-z0-9])")


def _large(text: str) -> Iterator[bytes]:
    """Numbers of a large base, some bytes each; a one may stand before these, so that no zero is lost."""
    for run in _LARGE.finditer(text):
        for base in (10, 36):
            try:
                values = [int(word, base) for word in re.findall(r"[a-z0-9]+", run[0])]
            except ValueError:
                continue
            pieces = [value.to_bytes((value.bit_length() + 7) // 8, "big") for value in values]
            yield b"".join(pieces)
            if all(piece[:1] == b"\1" for piece in pieces):
                yield b"".join(piece[1:] for piece in pieces)


def _numbered(text: str) -> Iterator[bytes]:
    """A text as numbers, with the vocabulary beside it that says what each is."""
    words = {number: word for word, number in re.findall(r"\"((?:[^\"\\]|\\.)+)\":\s*(\d+)", text)}
    if len(words) < SIXTEEN:
        return
    lists = re.findall(r"\[\s*(\d+(?:\s*,\s*\d+){23,})\s*\]", text)
    for said in lists:
        numbers = re.findall(r"\d+", said)
        if sum(number in words for number in numbers) > 0.9 * len(numbers):
            joined = "".join(words.get(number, " ") for number in numbers)
            yield joined.replace("\\n", "\n").replace('\\"', '"').encode()


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _moved(text: str) -> Iterator[bytes]:
    """Numbers that are the letters of a text, moved and scaled: every one, every second, their differences."""
    numbers = [float(number) for number in _NUMBER.findall(text)[: MOST // 8]]
    for some in (numbers, numbers[::2], numbers[1::2]):
        if len(some) < LEAST:
            continue
        sums = [sum(some[: at + 1]) for at in range(len(some))] if len(some) < MOST_SUMMED else []
        for row in (some, sums, [after - before for before, after in itertools.pairwise(some)]):
            if not row:
                continue
            low, high = min(row), max(row)
            for scale in (1, 10, 100, 1000):
                if 20 <= (high - low) * scale < 256:
                    first = int(low) if scale > 1 else 0
                    values = [round((number - first) * scale) for number in row]
                    if all(0 <= value < 256 for value in values):
                        yield bytes(values)
