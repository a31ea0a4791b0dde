"""Texts behind encodings, and hostile ones: whatever it is, it ends, and takes no more than its bounds."""

import base64
import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import zipfile
import zlib

import pytest

from rung.findings.audit.decode import DEEPEST, MOST_BYTES, Decoded, texts

TEXT = "the toll at bridge 48815 near Wexcombe is nine florins"


def found(data: bytes | str) -> list[str]:
    return [layers for layers, text in texts(data) if TEXT in text]


def archive(kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("a/key.txt", TEXT)
    else:
        with tarfile.open(fileobj=out, mode="w") as packed_tar:
            member = tarfile.TarInfo("../../key.txt")
            member.size = len(TEXT)
            packed_tar.addfile(member, io.BytesIO(TEXT.encode()))
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "layers"),
    [
        (gzip.compress(TEXT.encode(), mtime=0), "gzip"),
        (zlib.compress(TEXT.encode()), "zlib"),
        (bz2.compress(TEXT.encode()), "bzip2"),
        (lzma.compress(TEXT.encode()), "xz"),
        (archive("zip"), "zip"),
        (archive("tar"), "tar"),
        (gzip.compress(archive("tar"), mtime=0), "gzip, tar"),
        (base64.b64encode(gzip.compress(TEXT.encode(), mtime=0)), "base64, gzip"),
        (base64.urlsafe_b64encode(TEXT.encode()), "base64"),
        (b"\0\1\2" * 50 + TEXT.encode() + b"\0\xff" * 50, ""),
        (f"x = [{', '.join(map(hex, TEXT.encode()))}]", "split hex"),
    ],
)
def test_a_text_is_found_behind_its_layers(data: bytes | str, layers: str):
    assert layers in found(data)


def test_a_bomb_ends_at_the_bound():
    bomb = gzip.compress(b"a" * (64 << 20), mtime=0)
    state = Decoded(left=1 << 20)
    assert sum(len(text) for _, text in texts(bomb, state)) <= 1 << 20
    assert not state.whole


def test_no_text_is_taken_beyond_what_is_left():
    assert list(texts(TEXT, Decoded(left=len(TEXT) - 1))) == []


def test_layers_end_at_the_deepest():
    data = TEXT.encode()
    for _ in range(DEEPEST + 2):
        data = gzip.compress(data, mtime=0)
    assert found(data) == []


def test_broken_archives_and_lies_in_headers_are_texts_like_any():
    for data in (b"PK\x03\x04" + os.urandom(100), b"\x1f\x8b" + b"x" * 50, b"BZhxxxx", archive("zip")[:60]):
        assert all(isinstance(text, str) for _, text in texts(data))
    locked = bytearray(archive("zip"))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1  # a member that says it has a password
    assert found(bytes(locked)) == []


@pytest.mark.parametrize(
    "data",
    [
        b"a" * 300_000,
        b"aaaa," * 60_000,
        b"0x41, " * 50_000,
        b"%41" * 100_000,
        b"\\x41" * 75_000,
        b"/" * 300_000,
        random.Random(1).randbytes(300_000),
        base64.b64encode(random.Random(2).randbytes(200_000)),
    ],
    ids=lambda data: repr(data[:6]),
)
def test_what_is_made_to_be_slow_is_read_within_its_bounds(data: bytes):
    state = Decoded()
    assert sum(len(text) for _, text in texts(data, state)) <= MOST_BYTES
    assert state.left >= 0


def test_text_that_is_no_utf_8_is_read_as_far_as_it_is():
    assert found(TEXT.encode() + b"\xff\xfe\xfd and \xc3\x28 more") == [""]
