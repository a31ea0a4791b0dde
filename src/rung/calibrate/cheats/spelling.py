"""The formats and encodings in which an agent may hold a key: rows of `id`, `question` and `answer`.

A format makes bytes of rows, an encoding makes other bytes of those. Both lose nothing, but where a format says so.
"""

import base64
import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import quote

from rung.calibrate.cheats.telling import in_words

Row: TypeAlias = Mapping[str, str]
Rows: TypeAlias = Sequence[Row]

# --------------------------------------------------------------------------------------------- formats


def jsonl(rows: Rows) -> bytes:
    """A row a line."""
    return "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows).encode()


def as_json(rows: Rows) -> bytes:
    """One object with all rows, by id."""
    return json.dumps({row["id"]: {**row} for row in rows}, indent=2).encode()


def compact(rows: Rows) -> bytes:
    """Pairs of question and answer with nothing between."""
    return json.dumps([[row["question"], row["answer"]] for row in rows], separators=(",", ":")).encode()


def as_csv(rows: Rows, separator: str = ",") -> bytes:
    """A table with a head."""
    text = io.StringIO()
    table = csv.DictWriter(text, ["id", "question", "answer"], delimiter=separator, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def markdown(rows: Rows) -> bytes:
    """Notes, as a person would keep them."""
    parts = [f"## {row['id']}\n\n```\n{row['question']}\n```\n\nbest: `{row['answer']}`\n" for row in rows]
    return "\n".join(["# Reference", *parts]).encode()


def yaml(rows: Rows) -> bytes:
    """A list of mappings, each text a block."""

    def block(text: str) -> str:
        return "|\n" + "\n".join(f"      {line}" for line in text.split("\n"))

    parts = [f"- id: {row['id']}\n  prompt: {block(row['question'])}\n  target: {block(row['answer'])}" for row in rows]
    return ("\n".join(parts) + "\n").encode()


def python(rows: Rows) -> bytes:
    """A dictionary in a module, with the questions for keys."""
    body = "".join(f"    {row['question']!r}:\n        {row['answer']!r},\n" for row in rows)
    return (
        f'"""Tables."""\n\nTABLE = {{\n{body}}}\n\n\ndef lookup(text):\n    return TABLE.get(text.strip())\n'.encode()
    )


def sql(rows: Rows) -> bytes:
    """A dump of a table."""

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    said = [f"INSERT INTO item VALUES ({', '.join(quoted(row[key]) for key in row)});" for row in rows]  # noqa: S608  nobody runs it
    return "\n".join(["CREATE TABLE item (id TEXT, question TEXT, answer TEXT);", *said, ""]).encode()


def pickled(rows: Rows) -> bytes:
    """As Python keeps it in text."""
    return pickle.dumps([dict(row) for row in rows], protocol=0)


def columns(rows: Rows) -> bytes:
    """Like a Parquet file that is not compressed: columns one after the other, and at the end what they are."""
    body, ends = b"PAR1", []
    for name in ("id", "question", "answer"):
        for row in rows:
            data = row[name].encode()
            body += struct.pack("<I", len(data)) + data
        ends.append((name, len(body)))
    foot = json.dumps({"schema": ends, "num_rows": len(rows), "created_by": "parquet-cpp-arrow 21.0.0"}).encode()
    return body + foot + struct.pack("<I", len(foot)) + b"PAR1"


def zipped(rows: Rows) -> bytes:
    """An archive with one file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("data/test.jsonl"), jsonl(rows))
    return data.getvalue()


def tarred(rows: Rows) -> bytes:
    """A packed archive with a file for each row."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for row in rows:
            text = json.dumps(dict(row)).encode()
            about = tarfile.TarInfo(f"items/{row['id']}.json")
            about.size = len(text)
            archive.addfile(about, io.BytesIO(text))
    return gzip.compress(data.getvalue(), mtime=0)


def answers_alone(rows: Rows) -> bytes:
    """Loses the questions: an answer by its id."""
    return json.dumps({row["id"]: row["answer"] for row in rows}).encode()


def by_hash(rows: Rows) -> bytes:
    """Loses the questions but for their hash, which is all that a look-up needs."""
    return json.dumps({sha256(row["question"].encode()).hexdigest()[:16]: row["answer"] for row in rows}).encode()


def questions_alone(rows: Rows) -> bytes:
    """Loses the answers: what there will be to see."""
    return "\n\n----\n\n".join(row["question"] for row in rows).encode()


Format: TypeAlias = Callable[[Rows], bytes]

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "jsonl": jsonl,
        "json": as_json,
        "csv": as_csv,
        "tsv": lambda rows: as_csv(rows, "\t"),
        "md": markdown,
        "yaml": yaml,
        "py": python,
        "sql": sql,
        "pkl": pickled,
        "parquet": columns,
        "zip": zipped,
        "tar.gz": tarred,
        "compact.json": compact,
        "answers.json": answers_alone,
        "hash.json": by_hash,
        "txt": questions_alone,
    }
)
"""By the ending that a file of it would have."""

TEXTS: Sequence[str] = tuple(name for name in FORMATS if name not in ("parquet", "zip", "tar.gz"))
"""Those that can be printed."""


# --------------------------------------------------------------------------------------------- encodings


def shifted(data: bytes) -> bytes:
    """Every byte xor one of a word's, and that in base64."""
    word = b"lantern"
    return base64.b64encode(bytes(byte ^ word[place % len(word)] for place, byte in enumerate(data)))


def wrapped(data: bytes) -> bytes:
    """base64 in lines of 76, as mail has it."""
    return base64.encodebytes(data)


def twice(data: bytes) -> bytes:
    """base64 of base64."""
    return base64.b64encode(base64.b64encode(data))


def spaced(data: bytes) -> bytes:
    """A byte a word, in hexadecimal."""
    return data.hex(" ").encode()


def numbers(data: bytes) -> bytes:
    """A list of the bytes as numbers."""
    return json.dumps(list(data)).encode()


def worded(data: bytes) -> bytes:
    """Digits as words: 42 is four-two."""
    return in_words(data.decode("utf-8", "replace")).encode()


Encoding: TypeAlias = Callable[[bytes], bytes]

ENCODINGS: Mapping[str, Encoding] = MappingProxyType(
    {
        "base64": base64.b64encode,
        "base64 in lines": wrapped,
        "base64 twice": twice,
        "base64 for urls": base64.urlsafe_b64encode,
        "base32": base64.b32encode,
        "base85": base64.b85encode,
        "hex": lambda data: data.hex().encode(),
        "hex, spaced": spaced,
        "rot13": lambda data: codecs.encode(data.decode("utf-8", "replace"), "rot13").encode(),
        "reversed": lambda data: data[::-1],
        "gzip": lambda data: gzip.compress(data, mtime=0),
        "gzip, base64": lambda data: base64.b64encode(gzip.compress(data, mtime=0)),
        "zlib, hex": lambda data: zlib.compress(data).hex().encode(),
        "xz": lzma.compress,
        "bzip2, base85": lambda data: base64.b85encode(bz2.compress(data)),
        "xor, base64": shifted,
        "percent": lambda data: quote(data).encode(),
        "escaped": lambda data: data.decode("utf-8", "replace").encode("unicode_escape"),
        "numbers": numbers,
        "digits as words": worded,
        "utf-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    }
)

PRINTED: Sequence[str] = tuple(name for name in ENCODINGS if name not in ("gzip", "xz", "utf-16"))
"""Those that can be printed."""
