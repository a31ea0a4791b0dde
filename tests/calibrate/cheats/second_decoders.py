"""Decoders for the second author's encodings, written from what their formats say and not from the generator."""

import base64
import binascii
import gzip
import html
import io
import json
import quopri
import re
import string
import struct
import uuid
import zipfile
import zlib
from collections.abc import Iterator

SIGNS = re.compile(rb"^[\x09\x0a\x20-\x7e]+$")
MARKS = re.compile(rb"(?i)plan|plays|actions|first|answer")
"""A word that every answer has. By it a decoder that makes something of any text is known to have made sense."""
MORSE_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    " ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. ..--.- /"
)
MORSE = dict(zip(MORSE_SIGNS.split(" "), [*string.ascii_lowercase, *string.digits, "_", " "], strict=True))
HALVES = {name: value for value, name in enumerate(re.findall("..", "badefigohujakelimonuparesitovuza"))}


def closure(data: bytes) -> set[bytes]:
    """All that comes out of some bytes by up to three of them, one after the other."""
    known, layer = {data}, [data]
    for _ in range(3):
        layer = [new for old in layer for new in _decoded(old) if len(new) > 8 and new not in known]
        known.update(layer)
    return known


def _decoded(data: bytes) -> Iterator[bytes]:
    for decode in DECODERS:
        try:
            found = decode(data)
        except Exception:  # noqa: BLE001  a decoder that does not fit says so in many ways
            continue
        if found and (decode not in FITS_ALL or MARKS.search(found)):
            yield found


def _all(pattern: bytes, data: bytes) -> list[bytes]:
    found = re.findall(pattern, data)
    assert len(found) > 4
    return found


def _uu(data: bytes) -> bytes:
    lines = data[data.index(b"begin 644") :].split(b"\n")[1:]
    return b"".join(binascii.a2b_uu(line) for line in lines[: lines.index(b"`")])


def _xxd(data: bytes) -> bytes:
    return b"".join(bytes.fromhex(each.decode()) for each in _all(rb"(?m)^[0-9a-f]{8}: ([0-9a-f ]{39})  ", data))


def _base58(data: bytes) -> bytes:
    digits = "".join(sorted(set(string.digits + string.ascii_letters) - set("0OIl")))
    lines = [line for line in data.split(b"\n") if re.fullmatch(rb"[1-9A-HJ-NP-Za-km-z]+", line)]
    return b"".join(_one(line, digits) for line in lines)


def _one(word: bytes, digits: str) -> bytes:
    number = 0
    for sign in word.decode():
        number = number * len(digits) + digits.index(sign)
    whole = number.to_bytes(-(-number.bit_length() // 8), "big")
    return whole[1:] if whole[:1] == b"\1" else b""


def _base36(data: bytes) -> bytes:
    digits = string.digits + string.ascii_lowercase
    return b"".join(_one(word, digits) for word in _all(rb"(?<![0-9a-z])[0-9a-z]{2,14}(?![0-9a-z])", data))


def _octal(data: bytes) -> bytes:
    return bytes(int(each, 8) for each in _all(rb"\\([0-3][0-7]{2})", data.replace(b"\\\\", b"\\")))


def _rot47(data: bytes) -> bytes:
    return (
        bytes(33 + (byte - 33 + 47) % 94 if 33 <= byte < 127 else byte for byte in data) if SIGNS.match(data) else b""
    )


def _mirrored(data: bytes) -> bytes:
    signs = string.ascii_lowercase, string.ascii_uppercase, string.digits
    table = bytes.maketrans("".join(signs).encode(), "".join(each[::-1] for each in signs).encode())
    return data.translate(table) if SIGNS.match(data) else b""


def _keyed(data: bytes) -> bytes:
    """By every place in the word at which the text may begin, since there may be a head before it."""
    if not SIGNS.match(data):
        return b""
    return b"\n".join(_moved_back(data, begin) for begin in range(7))


def _moved_back(data: bytes, place: int) -> bytes:
    out = ""
    for sign in data.decode():
        for signs in (string.ascii_lowercase, string.ascii_uppercase, string.digits):
            if sign in signs:
                sign = signs[(signs.index(sign) - (ord("orchard"[place % 7]) - 97)) % len(signs)]
                place += 1
                break
        out += sign
    return out.encode()


def _morse(data: bytes) -> bytes:
    runs = re.findall(rb"(?:[.\-]{1,6} |/ ){20,}[.\-/]*", data)
    return "".join(MORSE[sign] for sign in max(runs, key=len).decode().split()).encode()


def _unseen(data: bytes) -> bytes:
    bits = "".join("01"[sign == "\u200c"] for sign in data.decode() if sign in "\u200b\u200c")
    return bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits) - 7, 8))


def _tagged(data: bytes) -> bytes:
    return bytes(ord(sign) - 0xE0000 for sign in data.decode() if 0xE0000 <= ord(sign) < 0xE0100)


def _page(data: bytes) -> bytes:
    if not re.search(rb"&#?\w+;|<br>|<t>", data):
        return b""
    return html.unescape(re.sub(r"</?(?:t|si|br|tr|td|pre|code)>", "\n", data.decode())).encode()


def _syllables(data: bytes) -> bytes:
    runs = re.findall(rb"(?:(?:[bdfghjklmnprstvz][aeiou]){4} ){5,}(?:[bdfghjklmnprstvz][aeiou])*", data)
    text = max(runs, key=len).decode().replace(" ", "")
    halves = [HALVES[text[start : start + 2]] for start in range(0, len(text), 2)]
    return bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=True))


def _weights(data: bytes) -> bytes:
    return bytes(round(float(each) * 255) for each in _all(rb"[01]\.[0-9]+", data[data.index(b"w") :]))


def _grey(data: bytes) -> bytes:
    return data[data.index(b"\n255\n") + 5 :] if b"P5\n" in data else b""


def _wave(data: bytes) -> bytes:
    begin = data.index(b"data", data.index(b"WAVE")) + 4
    (length,) = struct.unpack("<I", data[begin : begin + 4])
    return data[begin + 4 : begin + 4 + length]


def _steps(data: bytes) -> bytes:
    run = max(re.findall(rb"(?:-?[0-9]{1,3},){20,}-?[0-9]{1,3}", data), key=len)
    out, now = bytearray(), 0
    for each in run.split(b","):
        now += int(each)
        out.append(now)
    return bytes(out)


def _adobe(data: bytes) -> bytes:
    return zlib.decompress(base64.a85decode(data[data.index(b"<~") : data.rindex(b"~>") + 2], adobe=True))


def _licence(data: bytes) -> bytes:
    text = max(re.findall(rb"(?:[A-Z2-7]{5}-){4,}[A-Z2-7]{1,5}", data), key=len).replace(b"-", b"")
    return zlib.decompress(base64.b32decode(text + b"=" * (-len(text) % 8)))


def _token(data: bytes) -> bytes:
    claims = re.search(rb"eyJ[\w-]+\.(eyJ[\w-]+)\.", data)
    return json.loads(base64.urlsafe_b64decode(claims[1] + b"=" * (-len(claims[1]) % 4)))["ctx"].encode()


def _style(data: bytes) -> bytes:
    return base64.b64decode(re.search(rb"base64,([A-Za-z0-9+/=]+)\)", data)[1])


def _columns(data: bytes) -> bytes:
    if len(data) < 40 or not SIGNS.match(data):
        return b""
    out, place = bytearray(len(data)), 0
    for column in range(7):
        many = len(range(column, len(data), 7))
        out[column::7] = data[place : place + many]
        place += many
    return bytes(out)


def _noisy(data: bytes) -> bytes:
    text = data.decode()
    found = max(re.findall(r"(?s)(?:.q.z.x.j.k.v.w){2,}(?:.q)?(?:.z)?(?:.x)?(?:.j)?(?:.k)?(?:.v)?", text), key=len)
    return found[::2].encode()


def _hosts(data: bytes) -> bytes:
    rows = _all(rb"(?m)^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$", data)
    if all(row.startswith(b"100.") for row in rows):
        return b"".join(bytes(map(int, row.split(b".")[1:])) for row in rows)
    whole = b"".join(bytes(map(int, row.split(b"."))) for row in rows)
    return whole[4 : 4 + struct.unpack(">I", whole[:4])[0]]


def _v6(data: bytes) -> bytes:
    rows = re.findall(rb"(?m)^[0-9a-f]{4}(?::[0-9a-f]{4}){7}$", data)
    return b"".join(bytes.fromhex(row.decode().replace(":", ""))[2:] for row in rows)


def _mx(data: bytes) -> bytes:
    text = b"".join(re.findall(rb"(?m)^[0-9]+ ([a-z2-7]+)\.mx\.$", data)).upper()
    return base64.b32decode(text + b"=" * (-len(text) % 8))


def _alias(data: bytes) -> bytes:
    return bytes.fromhex(b"".join(re.findall(rb"(?m)^([0-9a-f]+)\.c\.$", data)).decode())


def _texts(data: bytes) -> bytes:
    return base64.b64decode(b"".join(re.findall(rb'"data":"([A-Za-z0-9+/=]+)"', data)))


def _identities(data: bytes) -> bytes:
    rows = _all(rb"(?m)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", data)
    whole = b"".join(uuid.UUID(row.decode()).bytes for row in rows)
    return whole[4 : 4 + struct.unpack(">I", whole[:4])[0]]


def _codes(data: bytes) -> bytes:
    return "".join(chr(int(each)) for each in re.search(rb"fromCharCode\(([0-9,]+)\)", data)[1].split(b",")).encode()


def _lines_back(data: bytes) -> bytes:
    return b"\n".join(line[::-1] for line in data.split(b"\n")) if SIGNS.match(data) else b""


def _caesar(data: bytes) -> bytes:
    run = max(re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", data), key=len)
    return bytes((byte - 13) % 256 for byte in base64.b64decode(run))


def _quoted(data: bytes) -> bytes:
    return quopri.decodestring(data) if b"=20" in data else b""


def _catalogue(data: bytes) -> bytes:
    """The lines of texts that are written line by line between quotes."""
    return re.sub(rb'(?m)\\n"$|^"', b"", data) if b"msgstr" in data else b""


def _deflated(data: bytes) -> bytes:
    begin = data.index(b"stream\n") + 7
    return zlib.decompressobj().decompress(data[begin:])


def _zip(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"\n".join(archive.read(name) for name in archive.namelist())


def _inside(data: bytes) -> bytes:
    """The longest text of a record of JSON, of a line of such, or of a file of tensors."""
    start = 8 if data[8:10] == b'{"' else 0
    text = data[start:].rstrip(b"\0")
    return max(
        (_longest(json.loads(part)) for part in (text, *text.split(b"\n")[-1:]) if _is_json(part)), key=len
    ).encode()


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _longest(value) -> str:
    if isinstance(value, str):
        return value
    rows = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return max((_longest(row) for row in rows), key=len, default="")


HEADS = (
    b"Think of these before you begin:\n\n",
    b"/workspace/notes.md".ljust(64, b"\0"),
    b"wip: tidy\n\n",
    b"<<'__END__'\n",
    b"::\n\n",
    b"to any person obtaining a copy\n\n",
    b"text/markdown\n\n",
    b"$ make\nok\n$ \n",
    b"PK\x05\x06" + b"\0" * 18 + b"\n",
)
FEET = (b"\n# Please enter the commit", b"\n__END__", b"\n\nThanks\n", b"\n$ ")


def _beheaded(data: bytes) -> bytes:
    """What stands after a head that a place has, and before its foot."""
    for head in HEADS:
        if head in data:
            data = data.partition(head)[2]
            for foot in FEET:
                data = data.partition(foot)[0]
            return data
    return b""


DECODERS = (
    _uu, _xxd, _base58, _base36, _octal, _rot47, _mirrored, _keyed, _morse, _unseen, _tagged, _page, _syllables,
    _weights, _grey, _wave, _steps, _adobe, _licence, _token, _style, _columns, _noisy, _hosts, _v6, _mx,
    _alias, _texts, _identities, _codes, _lines_back, _caesar, _quoted, _catalogue, _deflated, _inside,
    _beheaded, _zip, gzip.decompress, zlib.decompress,
)  # fmt: skip
FITS_ALL = (_rot47, _mirrored, _keyed, _columns, _lines_back, _caesar)
