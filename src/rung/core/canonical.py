"""One spelling of a value: canonical JSON, and the hashes made from it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from rung.core.errors import UsageError

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None

_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: JSON) -> str:
    """The one JSON text of a value: sorted keys, no spaces, no NaN.

    >>> canonical({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    try:
        return _encoder.encode(value)
    except ValueError as error:
        raise UsageError(f"a recorded number must be finite: {error}") from error


def sha256(data: bytes | str) -> str:
    """SHA-256 as 64 hex digits; text is taken as UTF-8, lone surrogates kept."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def fingerprint(value: JSON) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return sha256(canonical(value))
