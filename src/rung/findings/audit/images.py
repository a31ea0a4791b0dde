"""Pictures and other samples as places to hide a text: in their notes, and in the lowest bits of their points.

Nothing is drawn. A PNG is taken apart by its own rules; of any other file of samples (BMP, PPM, WAV) the bytes are
looked at as they stand.
"""

import re
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

PNG = b"\x89PNG\r\n\x1a\n"
LEAST_RUN = 40
"""Letters in a row that the lowest bits have to spell: by chance they spell 40 once in some 10^16 places."""
MOST_BYTES = 1 << 20
"""Bytes of samples that are looked at, a second's work."""
_SPELT = re.compile(rb"[\t\n\r\x20-\x7e]{%d,}" % LEAST_RUN)


def pieces(data: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    """The notes of a PNG, what its low bits spell, and what stands behind its end."""
    at, packed, shape = 8, b"", (0, 0, 0, 0)
    while at + 12 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        at += 12 + size
        if kind == b"IHDR" and len(body) == 13:
            shape = (int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), body[8], body[9])
        elif kind == b"IDAT":
            packed += body
        elif kind == b"IEND":
            break
        elif kind not in (b"PLTE", b"tRNS", b"gAMA", b"pHYs", b"sRGB", b"cHRM", b"tIME"):
            yield "a picture's notes", body
            yield from (
                ("a picture's notes", found) for start in (0, *_nulls(body)) if (found := _inflated(body[start:], most))
            )
    if len(data) > at:
        yield "behind a picture", data[at:]
    samples = _samples(_inflated(packed, min(most, MOST_BYTES)), *shape)
    yield from low_bits(samples)


def _nulls(body: bytes) -> list[int]:
    return [found.end() for found in list(re.finditer(b"\0", body[:200]))[:6]]


def _inflated(data: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return b""


def _samples(raw: bytes, width: int, height: int, depth: int, color: int) -> bytes:
    """The bytes of a PNG's points, its filters undone; none of one that is not as it says."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(color, 0)
    step = max(1, channels * depth // 8)
    line = (width * channels * depth + 7) // 8
    if not channels or not line or len(raw) < (line + 1) * height:
        return raw
    above, out = np.zeros(line, np.uint8), []
    for row in range(height):
        begin = row * (line + 1)
        here = np.frombuffer(raw[begin + 1 : begin + 1 + line], np.uint8).copy()
        above = _unfiltered(raw[begin], here, above, step)
        out.append(above.tobytes())
    return b"".join(out)


def _unfiltered(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    if kind == 2:
        return line + above
    if kind == 1:
        for channel in range(step):
            line[channel::step] = np.cumsum(line[channel::step], dtype=np.uint8)
        return line
    if kind in (3, 4):
        for at in range(len(line)):
            left = int(line[at - step]) if at >= step else 0
            corner = int(above[at - step]) if at >= step else 0
            guess = (left + int(above[at])) // 2 if kind == 3 else _paeth(left, int(above[at]), corner)
            line[at] = (int(line[at]) + guess) & 255
    return line


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def low_bits(data: bytes) -> Iterator[tuple[str, bytes]]:
    """What the lowest bits of samples spell, from each of eight places, of all bytes and of every second to fourth."""
    if len(data) < 8 * LEAST_RUN:
        return
    low = np.frombuffer(data[:MOST_BYTES], np.uint8) & 1
    for stride in (1, 2, 3, 4):
        for channel in range(stride):
            bits = low[channel::stride]
            for start in range(8):
                for order in ("big", "little"):
                    for run in _SPELT.findall(np.packbits(bits[start:], bitorder=order).tobytes()):
                        if len(set(run)) >= 8:
                            yield "lowest bits", run
