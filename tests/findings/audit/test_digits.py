"""Bytes in digits of some base, each written by the rule of its base."""

import base64

import pytest

from rung.findings.audit import decode

SAID = "the plan for the mill: buy 9 beans, sell 27 on day 4"
DATA = SAID.encode()
BITS = "".join(f"{byte:08b}" for byte in DATA)
RADIO = [
    "alfa",
    "bravo",
    "charlie",
    "delta",
    "echo",
    "foxtrot",
    "golf",
    "hotel",
    "india",
    "juliett",
    "kilo",
    "lima",
    "mike",
    "november",
    "oscar",
    "papa",
]
# Sixteen words tell their order only where each of them is there.
EVERY = bytes(range(0, 256, 17)) + DATA * 3


def _swapped(data: bytes) -> bytes:
    return bytes((byte & 15) << 4 | byte >> 4 for byte in data)


SPELT = {
    "braille for bytes": "".join(chr(0x2800 + byte) for byte in DATA),
    "colours": "\n".join(f"--c{at}: #{DATA[at : at + 3].hex()};" for at in range(0, len(DATA) - 2, 3)),
    "bits in rows": "\n".join(BITS[at : at + 64] for at in range(0, len(BITS), 64)),
    "halves swapped": _swapped(DATA).hex(),
    "bits the other way": base64.b64encode(bytes(255 - byte for byte in DATA)).decode(),
    "bits mirrored": base64.b64encode(bytes(int(f"{byte:08b}"[::-1], 2) for byte in DATA)).decode(),
    "steps": ",".join(str(after - before) for before, after in zip(b"\0" + DATA, DATA, strict=False)),
    "places of a walk": ", ".join(f"[{7 + byte / 1000:.3f}, {46 + at / 10000:.4f}]" for at, byte in enumerate(DATA)),
    "firmware": "\n".join(f":10{at:04X}00{DATA[at : at + 16].hex().upper()}5A" for at in range(0, len(DATA), 16)),
    "large numbers": " ".join(str(int.from_bytes(b"\1" + DATA[at : at + 8], "big")) for at in range(0, len(DATA), 8)),
}


@pytest.mark.parametrize("how", SPELT)
def test_a_text_in_digits_of_some_base_comes_out(how: str):
    assert any(SAID[:40] in text for _, text in decode.texts(SPELT[how]))


def test_sixteen_words_are_the_halves_of_bytes():
    said = " ".join(RADIO[half] for byte in EVERY for half in (byte >> 4, byte & 15))
    assert any(SAID in text for _, text in decode.texts(said))


def test_a_text_of_words_is_no_number():
    assert [layers for layers, _ in decode.texts("I read the rows first, then the costs of all twelve plots.")] == [""]
