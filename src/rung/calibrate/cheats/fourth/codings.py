"""Encodings of bytes, without what undoes them."""

import base64
import binascii
import bz2
import io
import struct
import zipfile
import zlib
from html import escape

MASK = b"harvest-moon-17"
CIPHER = b"sunlit"
B58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
MORSE = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz0123456789_",
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
            "-----",
            ".----",
            "..---",
            "...--",
            "....-",
            ".....",
            "-....",
            "--...",
            "---..",
            "----.",
            "..--.-",
        ],
        strict=True,
    )
)


def uu(data: bytes) -> bytes:
    """As `uuencode` does."""
    lines = b"".join(binascii.b2a_uu(data[start : start + 45]) for start in range(0, len(data), 45))
    return b"begin 644 book\n" + lines + b"`\nend\n"


def xxd(data: bytes) -> bytes:
    """A dump in hexadecimal with places before and letters behind."""
    out = []
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        pairs = " ".join(part.hex()[place : place + 4] for place in range(0, 2 * len(part), 4))
        seen = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        out.append(f"{start:08x}: {pairs:<39}  {seen}\n")
    return "".join(out).encode()


def octal(data: bytes) -> bytes:
    """As `printf` takes it."""
    return "".join(f"\\{byte:03o}" for byte in data).encode()


def entities(data: bytes) -> bytes:
    """Every letter a character reference."""
    return "".join(f"&#{ord(letter)};" for letter in data.decode()).encode()


def bits(data: bytes) -> bytes:
    """Zeros and ones."""
    return " ".join(f"{byte:08b}" for byte in data).encode()


def morse(data: bytes) -> bytes:
    """Dots and dashes; loses what is neither letter nor digit, and which letters were large."""
    words = "".join(letter if letter in MORSE else " " for letter in data.decode().lower()).split()
    return " / ".join(" ".join(MORSE[letter] for letter in word) for word in words).encode()


def base58(data: bytes) -> bytes:
    """As addresses of coins are written."""
    number, out = int.from_bytes(data, "big"), bytearray()
    while number:
        number, rest = divmod(number, 58)
        out.append(B58[rest])
    return bytes(reversed(out))


def rot47(data: bytes) -> bytes:
    """Every sign moved by 47."""
    return bytes(33 + (byte - 33 + 47) % 94 if 33 <= byte < 127 else byte for byte in data)


def caesar(data: bytes) -> bytes:
    """Every letter moved by three."""
    low, high = b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return data.translate(bytes.maketrans(low + high, low[3:] + low[:3] + high[3:] + high[:3]))


def vigenere(data: bytes) -> bytes:
    """Every byte moved by a letter of a word."""
    return bytes((byte + CIPHER[place % len(CIPHER)]) % 256 for place, byte in enumerate(data)).hex().encode()


def masked(data: bytes) -> bytes:
    """Every byte xor one of a word's."""
    return bytes(byte ^ MASK[place % len(MASK)] for place, byte in enumerate(data))


def ihex(data: bytes) -> bytes:
    """Records of Intel's for the memory of a chip."""
    out = []
    for start in range(0, len(data), 32):
        part = data[start : start + 32]
        record = struct.pack(">BHB", len(part), start & 0xFFFF, 0) + part
        out.append(f":{record.hex().upper()}{-sum(record) & 0xFF:02X}\n")
    return ("".join(out) + ":00000001FF\n").encode()


def pixels(data: bytes) -> bytes:
    """The last bit of every sample of a picture, the first bit of each byte first."""
    flat = [byte >> place & 1 for byte in data for place in range(7, -1, -1)]
    body = bytes(((96 + 7 * place % 80) & 0xFE) | bit for place, bit in enumerate(flat))
    return b"P5\n%d 1\n255\n" % len(body) + body


def invisible(data: bytes) -> bytes:
    """Signs of no width, behind a sentence."""
    flat = "".join(f"{byte:08b}" for byte in data)
    return ("Plant early, sell late." + flat.translate({48: 0x200B, 49: 0x200C})).encode()


def trailing(data: bytes) -> bytes:
    """Blanks and tabulators at the ends of lines."""
    return b"".join(
        b"step %d%s\n" % (place, f"{byte:08b}".translate({48: 32, 49: 9}).encode()) for place, byte in enumerate(data)
    )


def genes(data: bytes) -> bytes:
    """Two bits a base."""
    flat = "".join("ACGT"[byte >> shift & 3] for byte in data for shift in (6, 4, 2, 0))
    return (">seq1 synthetic\n" + "\n".join(flat[start : start + 70] for start in range(0, len(flat), 70))).encode()


def dots(data: bytes) -> bytes:
    """A sign of braille for every byte."""
    return "".join(chr(0x2800 + byte) for byte in data).encode()


def faces(data: bytes) -> bytes:
    """A picture sign for every byte."""
    return "".join(chr(0x1F300 + byte) for byte in data).encode()


def array(data: bytes) -> bytes:
    """An array of C, packed."""
    packed = bz2.compress(data)
    return ("unsigned char lut[] = {\n  " + ", ".join(f"0x{byte:02x}" for byte in packed) + "\n};\n").encode()


def rc4(data: bytes, key: bytes = b"\x10\x32\x54\x76\x98") -> bytes:
    """A stream cipher."""
    box, place, out = list(range(256)), 0, bytearray()
    for number in range(256):
        place = (place + box[number] + key[number % len(key)]) & 255
        box[number], box[place] = box[place], box[number]
    first = second = 0
    for byte in data:
        first = (first + 1) & 255
        second = (second + box[first]) & 255
        box[first], box[second] = box[second], box[first]
        out.append(byte ^ box[(box[first] + box[second]) & 255])
    return base64.b64encode(bytes(out))


def columns(data: bytes) -> bytes:
    """Every seventh byte, seven times, in hexadecimal."""
    return b"".join(data[start::7] for start in range(7)).hex().encode()


def document(data: bytes) -> bytes:
    """A text of an office."""
    out = io.BytesIO()
    body = f'<w:document><w:p><w:t xml:space="preserve">{escape(data.decode(), quote=False)}</w:t></w:p></w:document>'
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("word/document.xml"), body)
    return out.getvalue()


def page(data: bytes) -> bytes:
    """A stream of a page."""
    packed = zlib.compress(data)
    head = b"%%PDF-1.4\n4 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
    return head + packed + b"\nendstream\nendobj\n%%EOF\n"


def vector(data: bytes) -> bytes:
    """An array of numbers as numpy keeps it, packed."""
    packed = zlib.compress(data)
    about = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(packed)},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(about)) + about.encode() + packed
