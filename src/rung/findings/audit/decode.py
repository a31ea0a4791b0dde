"""A text behind what may hide it: encodings, compression, archives, and letters in another order.

All in memory, nothing is run or unpacked to a disk, and every step has a bound: in depth, in bytes that come out, in
members. What lies beyond a bound is not looked at, and `Decoded.whole` says so.
"""

import base64
import binascii
import bz2
import codecs
import io
import lzma
import re
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from rung.findings.audit import alphabets, digits, images

MOST_BYTES = 8 << 20
"""Bytes that come out of one document, all layers together: a key of 20,000 items, and a few seconds' work."""
MOST_TURNED = 256 << 10
"""Letters of a text that is looked at backwards and by rot13 too; compression and base64 keep larger ones."""
DEEPEST = 4
"""Layers. Each hides the next one; nobody was seen to use three."""
MOST_MEMBERS = 200
"""Members of one archive."""
LEAST_RUN = 24
"""Letters of an encoded run; below are words and hashes, and an item does not fit."""
SPELT_IN = 2
"""Layers below which alphabets are tried: nobody packs first and spells then, and each makes noise of any text."""
LEAST_PATTERNED = 40
"""Bytes of a text in other signs: fewer repeat by chance."""
COINCIDENCE = (0.03, 0.2)
"""How often two bytes of such a text are the same: 0.065 in English, with spaces and figures 0.04 to 0.08; of noise
0.004, of compressed data less than 0.02, of tables of zeros more than the larger."""
TURNED_RUN = 40
"""Letters of a run that are worth reading a text backwards for."""
LARGE = (0.12, 0.75)
"""Share of large letters in a base64 run, of texts in one case as well."""
MOST_EMBEDDED = 8
"""Archives that begin within one file of bytes."""
LEAST_WORDED, MOST_WORDED, LONGEST_WORD = 120, 64 << 10, 24
"""Bytes of a text in an exclusive or with a word, those that are looked at to find it, and letters of the word."""
REPEATED = 0.045
"""Share of such bytes that are alike at the distance of the word: 0.06 and more in texts, 0.004 in noise."""
LEAST_TEXT = 0.85
"""Share of printable letters for decoded bytes to be taken as a text."""

_PRINTED = bytes((9, 10, 13, *range(32, 127)))
_HIGH = bytes(range(128, 256))
_EMBEDDED = re.compile(b"\x1f\x8b\x08|PK\x03\x04|BZh[1-9]1AY|\xfd7zXZ\x00|\x78[\x01\x5e\x9c\xda]")
_ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{LEAST_RUN},}}={{0,2}}")
_HEX = re.compile(rf"[0-9a-fA-F]{{{LEAST_RUN},}}")
_BASE32 = re.compile(rf"[A-Z2-7]{{{LEAST_RUN},}}={{0,6}}")
_GAP = r"[\s\"',;:|\\\[\]()<>.#-]{1,8}+"
_PIECE, _HEX_PIECE = "[A-Za-z0-9+/]{4,}+", "(?:0x|x)?[0-9a-fA-F]{2,}+"
_SPLIT = re.compile(rf"(?<![A-Za-z0-9+/]){_PIECE}(?:{_GAP}{_PIECE})++(?:{_GAP}[A-Za-z0-9+/]{{2,3}})?={{0,2}}")
_SPLIT_HEX = re.compile(rf"(?<![0-9a-zA-Z]){_HEX_PIECE}(?:{_GAP}{_HEX_PIECE}){{6,}}+")
_DECIMAL = re.compile(r"(?<![\w.])\d{1,3}(?:[\s,;]{1,4}+\d{1,3}+){11,}+")
_BASE85 = re.compile(r"[!-~]{30,}")
_NO_HEX = re.compile(r"0x|[^0-9a-fA-F]")
_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/=]")
_STRINGS = re.compile(rb"[\t\n\r\x20-\x7e]{8,}")
_UNICODE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt]))")
_URL = re.compile(r"(?:%[0-9a-fA-F]{2}[^%\s]{0,8}){4}")


@dataclass(slots=True)
class Decoded:
    """What has come out so far, and whether that is all."""

    left: int = MOST_BYTES
    whole: bool = True
    seen: set[int] = field(default_factory=set)

    def takes(self, data: bytes | str) -> bool:
        """Whether this is new and there is room for it."""
        mark = hash(data)
        if mark in self.seen or not data:
            return False
        self.whole = self.whole and len(data) < self.left  # what came out was cut where no more might
        if len(data) > self.left:
            return False
        self.seen.add(mark)
        self.left -= len(data)
        return True


def texts(data: bytes | str, state: Decoded | None = None) -> Iterator[tuple[str, str]]:
    """Every text in a document, each with the layers it lay behind, outermost first (`gzip, base64`; empty as it is).

    >>> [text for layers, text in texts(base64.b64encode(b"the key to the whole exam")) if layers == "base64"]
    ['the key to the whole exam']
    """
    state = state or Decoded()
    waiting: list[tuple[tuple[str, ...], bytes | str]] = [((), data)]
    while waiting:
        layers, piece = waiting.pop()
        if not state.takes(piece):
            continue
        if isinstance(piece, bytes):
            unpacked = list(_unpacked(piece, state)) if len(layers) < DEEPEST else []
            waiting += [((*layers, name), inner) for name, inner in unpacked]
            if unpacked and not _is_text(piece):
                continue
            if not unpacked and len(layers) < DEEPEST and not _is_text(piece):
                waiting += [((*layers, name), inner) for name, inner in _within(piece)]
            piece = _as_text(piece)
        yield ", ".join(layers), piece
        if len(layers) < DEEPEST and (not _spelt(layers) or _is_run(piece)):
            found = _hidden(piece, turned=_turned(layers), spelling=len(layers) < SPELT_IN and not _turned(layers))
            waiting += [((*layers, name), inner) for name, inner in found]


def _turned(layers: tuple[str, ...]) -> bool:
    return any(each in ("rot13", "reversed") for each in layers)


def _spelt(layers: tuple[str, ...]) -> bool:
    """Whether the last layer was an alphabet: what comes out of one is often noise, in which more would be found."""
    return bool(layers) and layers[-1] in alphabets.NAMES


def _has_run(text: str) -> bool:
    """Whether there is a run in a text that may be base64 of something, whichever way round."""
    return any(len(run[0]) >= TURNED_RUN and _may_be_base64(run[0]) for run in _BASE64.finditer(text))


def _is_run(text: str) -> bool:
    """Whether most of a text is one encoded run."""
    return any(len(run[0]) > len(text) / 2 for pattern in (_BASE64, _BASE85) for run in pattern.finditer(text))


def _as_text(data: bytes) -> str:
    """Bytes as text; what is no UTF-8 keeps its ASCII, and UTF-16 is known by its zeros."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if data[1:400].count(0) > len(data[1:400]) * 0.7 and data[3:400:4].count(0) > len(data[3:400:4]) * 0.8:
        return data.replace(b"\0", b"").decode("latin-1")  # letters as wide numbers: UTF-32, or an array
    if data[1:400:2].count(0) > len(data[1:400:2]) * 0.8:
        return data.decode("utf-16-le", "replace")
    if data[0:400:2].count(0) > len(data[0:400:2]) * 0.8:
        return data.decode("utf-16-be", "replace")
    if not _is_text(data):
        if patterned(data):  # letters in other signs, whichever these are
            return data.decode("latin-1")
        return b"\n".join(_STRINGS.findall(data)).decode("ascii")  # what a reader of binary files would see
    return data.decode("utf-8", "replace")


def _is_text(data: bytes) -> bool:
    head = data[:4096]
    if b"\0" in head:
        return False
    fine = len(head) - len(head.translate(None, _PRINTED))
    if fine < LEAST_TEXT * len(head) and _is_utf8(head):
        fine += len(head) - len(head.translate(None, _HIGH))
    return fine >= LEAST_TEXT * len(head)


# --------------------------------------------------------------------------------------------- within a text


def _hidden(text: str, *, turned: bool, spelling: bool) -> Iterator[tuple[str, bytes | str]]:
    """What may be hidden in a text, one layer down. Turned letters are looked for once, or they would turn for ever."""
    plain = _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)) if not text.isascii() else text
    if plain != text:
        yield "odd letters", plain
    if _UNICODE.search(plain):
        yield "escapes", _UNICODE.sub(_escape, plain)
    if _URL.search(plain):
        yield "percent", unquote(plain)
    if spelling and len(plain) <= MOST_TURNED:
        yield from alphabets.spelt(text if not text.isascii() else plain)
        spelt = ((name, _worth(found)) for name, found in digits.spelt(text))
        yield from ((name, found) for name, found in spelt if found is not None and len(found) >= digits.LEAST)
    for name, pattern, decode in _RUNS:
        pieces = [found for run in pattern.finditer(plain) if (found := decode(run[0])) is not None]
        yield from ((name, piece) for piece in pieces)
        if len(pieces) > 1:
            yield f"{name} in pieces", b"".join(pieces)
    yield from _split(plain)
    if not turned and len(plain) <= MOST_TURNED and _has_run(plain):
        yield "rot13", codecs.encode(plain, "rot13")  # of what is encoded: of words, see `respelt`
        yield "reversed", plain[::-1]


def _split(text: str) -> Iterator[tuple[str, bytes]]:
    """Encoded runs that were cut up: by lines, quotes and commas, or over several names; and bytes as numbers."""
    small = text if len(text) <= MOST_TURNED else ""
    kinds = (
        ("split hex", _SPLIT_HEX.finditer(text), lambda run: _hex(_NO_HEX.sub("", run))),
        ("decimal", _DECIMAL.finditer(text), _decimal),
        ("base85", _BASE85.finditer(small), _base85),
        ("split base64", _SPLIT.finditer(text), lambda run: _base64(_NO_BASE64.sub("", run))),
    )
    for name, runs, decode in kinds:
        pieces = (decode(run[0]) for run in runs)
        yield from ((name, piece) for piece in pieces if piece is not None)
    strange = [run[0].rstrip("=") for run in _BASE64.finditer(text) if _is_mixed(run[0])]
    data = _base64("".join(strange)) if len(strange) > 1 else None
    if data is not None:
        yield "split base64", data


def _is_mixed(run: str) -> bool:
    return all(re.search(kind, run) for kind in ("[A-Z]", "[a-z]"))


def _escape(found: re.Match[str]) -> str:
    if found[3]:
        return {"n": "\n", "r": "\r", "t": "\t"}[found[3]]
    return chr(int(found[1] or found[2], 16))


def _base64(run: str) -> bytes | None:
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    if not _may_be_base64(bare):
        return None
    for start in range(4):  # what stands before it may be letters of the alphabet too
        piece = bare[start : len(bare) - ((len(bare) - start) % 4 == 1)]
        try:
            found = _worth(base64.b64decode(piece + "=" * (-len(piece) % 4)))
        except (binascii.Error, ValueError):
            continue
        if found is not None:
            return found
    return None


def _may_be_base64(run: str) -> bool:
    """Whether a run has the large letters that encoded bytes have, 26 of 64 in noise: words and paths have fewer."""
    large = sum(map(str.isupper, run[:400]))
    return LARGE[0] <= large / len(run[:400]) <= LARGE[1] if run else False


def _hex(run: str) -> bytes | None:
    return _worth(bytes.fromhex(run[: len(run) // 2 * 2]))


def _base32(run: str) -> bytes | None:
    bare = run.rstrip("=")
    try:
        return _worth(base64.b32decode(bare + "=" * (-len(bare) % 8)))
    except (binascii.Error, ValueError):
        return None


def _decimal(run: str) -> bytes | None:
    """Bytes that are written as numbers below 256."""
    values = [int(value) for value in re.findall(r"\d+", run)]
    return _worth(bytes(values)) if max(values) < 256 else None


def _base85(run: str) -> bytes | None:
    bare = run.strip("\"',b")
    for decode in (base64.b85decode, base64.a85decode):
        try:
            found = _worth(decode(bare))
        except ValueError:
            continue
        if found is not None:
            return found
    return None


def _worth(data: bytes) -> bytes | None:
    """Decoded bytes, where they are a text, an archive or a text in other signs, and no noise."""
    if data.startswith(alphabets.MAGIC):
        return data
    if _is_text(data) and (data.isascii() or _is_utf8(data)):
        return data
    if len(data) >= digits.LEAST and (found := digits.turned(data, _is_plain)) is not None:
        return found
    return data if patterned(data) or periods(data) else None


def _is_plain(data: bytes) -> bool:
    """Whether bytes are a text of figures, letters and marks alone, spaces or lines among them."""
    return len(data.translate(None, _PRINTED)) <= 0.02 * len(data) and sum(
        map(data.count, b' \n0123456789etaoin"')
    ) > 0.3 * len(data)


def patterned(data: bytes) -> bool:
    """Whether bytes repeat themselves as the letters of a language do: noise has each of 256 as often.

    >>> patterned(bytes(byte ^ 0x5A for byte in b"which alloy did the foundry cast for the turbine")), patterned(b"")
    (True, False)
    """
    some = data[:2000]
    if len(some) < LEAST_PATTERNED or len(set(some)) > 100:
        return False
    counts = [some.count(byte) for byte in set(some)]
    alike = sum(count * (count - 1) for count in counts) / (len(some) * (len(some) - 1))
    return len(counts) >= 10 and COINCIDENCE[0] <= alike <= COINCIDENCE[1]


def _within(data: bytes) -> Iterator[tuple[str, bytes | str]]:
    """What may be in bytes that are no text and no archive: a text moved by one byte, an archive that begins later, and
    letters in the lowest bits."""
    if len(data) >= digits.LEAST and (turned := digits.turned(data, _is_plain)) is not None:
        yield "bytes turned", turned
    if patterned(data):
        yield from (("one byte for all", found) for found in _one_byte(data))
    yield from (("a word for all", found) for found in _one_word(data))
    starts = sorted({found.start() for found in list(_EMBEDDED.finditer(data, 1))[:MOST_EMBEDDED]})
    yield from (("within", data[start:]) for start in starts)
    yield from images.low_bits(data)


def _one_byte(data: bytes) -> Iterator[bytes]:
    """Bytes as a text, after an exclusive or with one byte or a step of so many, where most that comes out is letters.

    The commonest byte of a text is its space or an `e`, so that few have to be tried.
    """
    most, _ = Counter(data[:4000]).most_common(1)[0]
    for likely in b' et0ao",':
        for table in (
            bytes(byte ^ most ^ likely for byte in range(256)),
            bytes((byte - most + likely) % 256 for byte in range(256)),
        ):
            found = data.translate(table)
            if found != data and alphabets.printable(found[:2000]):
                yield found


def periods(data: bytes) -> list[int]:
    """After how many bytes a text in an exclusive or with a word repeats itself; none in noise, and none where all is
    alike.

    >>> word = b"lantern"
    >>> text = b"which alloy did the foundry cast for the turbine of the second mill " * 3
    >>> 7 in periods(bytes(byte ^ word[at % 7] for at, byte in enumerate(text)))
    True
    """
    some = np.frombuffer(data[:MOST_WORDED], np.uint8)
    if len(some) < LEAST_WORDED:
        return []
    alike = {size: float(np.mean(some[size:] == some[:-size])) for size in range(2, LONGEST_WORD + 1)}
    found = [size for size, share in alike.items() if share >= REPEATED]
    return found if len(found) <= LONGEST_WORD // 2 else []


def _one_word(data: bytes) -> Iterator[bytes]:
    """Bytes as a text, after an exclusive or with a word again and again: each place of the word is the byte with which
    most of its column is what texts are made of."""
    for size in periods(data):
        word = bytes(int(np.argmax(_LIKELY @ _counted(data[place:MOST_WORDED:size]))) for place in range(size))
        every = np.frombuffer(data, np.uint8)
        found = (every ^ np.resize(np.frombuffer(word, np.uint8), len(every))).tobytes()
        if alphabets.printable(found[:2000]):
            yield found
            return


def _counted(column: bytes) -> NDArray[np.float64]:
    return np.bincount(np.frombuffer(column, np.uint8), minlength=256).astype(np.float64)


def _likely() -> NDArray[np.float64]:
    """For each byte of a word, how likely each byte is that comes of it: letters and figures as in texts and tables."""
    weights = np.full(256, -4.0)
    weights[32:127] = 0.0
    for some, weight in ((b" ", 3.0), (b"etaoinshr", 1.5), (b"dlucmfwypvbgk0123456789", 1.0), (b'",.:{}[]()\n', 0.8)):
        weights[list(some)] = weight
    every = np.arange(256)
    found: NDArray[np.float64] = weights[every[:, None] ^ every[None, :]]
    return found


_LIKELY = _likely()


def _is_utf8(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # which may end within a letter
    except UnicodeDecodeError:
        return False
    return True


_RUNS: tuple[tuple[str, re.Pattern[str], Callable[[str], bytes | None]], ...] = (
    ("hex", _HEX, _hex),
    ("base64", _BASE64, _base64),
    ("base32", _BASE32, _base32),
)


# --------------------------------------------------------------------------------------------- within bytes


def _unpacked(data: bytes, state: Decoded) -> Iterator[tuple[str, bytes]]:
    """What a compressed file or an archive holds, as far as the bounds go."""
    most = state.left
    try:
        if data.startswith(b"\x1f\x8b"):
            yield "gzip", _inflated(zlib.decompressobj(31), data, most)
        elif data.startswith((b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")):
            yield "zlib", _inflated(zlib.decompressobj(), data, most)
        elif data.startswith(b"BZh"):
            yield "bzip2", bz2.BZ2Decompressor().decompress(data, most)
        elif data.startswith((b"\xfd7zXZ", b"\x5d\x00\x00")):
            yield "xz", lzma.LZMADecompressor(memlimit=1 << 27).decompress(data, most)
        elif data.startswith(b"PK\x03\x04"):
            yield from _zipped(data, most)
        elif data[257:262] == b"ustar":
            yield from _tarred(data, most)
        elif data.startswith(images.PNG):
            yield from images.pieces(data, most)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, ValueError):
        return
    except (NotImplementedError, RuntimeError, KeyError):  # a method nobody has, a password, a lie in a header
        return


def _inflated(machine: "zlib._Decompress", data: bytes, most: int) -> bytes:
    return machine.decompress(data, most)


def _zipped(data: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist()[:MOST_MEMBERS]:
            if member.is_dir() or most <= 0:
                continue
            with archive.open(member) as stream:
                piece = stream.read(most)
            most -= len(piece)
            yield "zip", piece


def _tarred(data: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= MOST_MEMBERS or most <= 0:
                return
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is None:
                continue
            piece = stream.read(most)
            most -= len(piece)
            yield "tar", piece
