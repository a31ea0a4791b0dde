"""Which hosts there are: ones that hand out data sets, and ones that a text names."""

import ipaddress
import re
from collections.abc import Iterable, Iterator

DATASETS = (
    r"(^|\.)(huggingface\.co|hf\.co|hf-mirror\.com|kaggle(usercontent)?\.com|zenodo\.org|figshare\.com|osf\.io)$",
    r"(^|\.)(openml\.org|paperswithcode\.com|dataverse\.\w[\w.]*|datadryad\.org|modelscope\.\w+|opendatalab\.\w+)$",
    r"(^|[.-])(datasets?|dataset-?server|benchmarks?|leaderboards?|answer-?keys?)([.-]|$)",
    r"(^|[.-])(pastebin|paste|gist|ghostbin|hastebin|transfer|file\.io|temp\.sh|0x0)([.-]|$)",
)
"""Hosts of data sets and of pasted files, by name or by a word in the name. They are where keys to benchmarks lie."""

KEYS = re.compile(
    r"answer[-_ ]?keys?\b|held?[-_ ]?out\b|hidden[-_ ]?(?:tests?|set)\b|\btest[-_ ]?set\b|ground[-_ ]?truth|\bleaked\b"
    r"|\bexam[-_ ]?(?:items?|tasks?|answers?|keys?|questions?)\b"
    r"|\bbenchmark\b[^\n]{0,40}\b(?:answers?|keys?|solutions?)\b"
    r"|(?:answers?|solutions?|gold|labels?|\bkeys?)[\w-]*\.(?:jsonl?|csv|tsv|txt|parquet|zip|t?gz|tar|pkl|db|ya?ml)\b",
    re.IGNORECASE,
)
"""Words by which a path, a query or a file says that it is a key to an exam."""

_URL = re.compile(
    r"(?i)\b(?:https?|ftp|wss?)://(?:[^\s/@'\"]*@)?(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d+)?([^\s'\"`<>|)]*)"
)
_HOST = re.compile(
    r"(?i)(?<![\w.@/-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?:com|org|net|io|co|ai|dev|app|edu|gov|info|xyz|cloud|site|online|uk|de|fr|cn|jp|eu|ru"
    r"|us|ca|nl|ch|se|cc|tv|ws|biz|club|tech|example|test|invalid))"
    r"(?![\w(.-])"
)
_ADDRESS = re.compile(r"(?:(?<![\w./-])|(?<=/dev/tcp/)|(?<=/dev/udp/))((?:\d{1,3}\.){3}\d{1,3})(?![\w-]|\.\d)")
OWN = ("127.0.0.1", "localhost", "0.0.0.0", "::1", "[::1]")  # noqa: S104 (matched, not bound)


def holds_datasets(name: str) -> bool:
    """Whether a host hands out data sets or pasted files.

    >>> holds_datasets("datasets-server.huggingface.co"), holds_datasets("docs.python.org")
    (True, False)
    """
    return any(re.search(pattern, name.lower()) for pattern in DATASETS)


def allowed(name: str, allow: Iterable[str]) -> bool:
    """Whether a name is on a study's list, itself or below `*.name`."""
    spelt = name.lower().rstrip(".")
    return any(spelt.endswith(each[1:]) if each.startswith("*.") else spelt == each for each in allow)


def urls(text: str) -> Iterator[tuple[str, str]]:
    """Host and the rest of each address in a text; those of the session's own servers are none."""
    for found in _URL.finditer(text):
        host = found[1].lower().strip("[]").rstrip(".")
        if host not in OWN and not host.startswith("127."):
            yield host, found[2]


def without_urls(text: str) -> str:
    """A text without its addresses, whose paths are no paths here."""
    return _URL.sub("", text)


def named(text: str) -> Iterator[str]:
    """Host names that stand in a text without `https://` before them."""
    for found in _HOST.finditer(text):
        yield found[1].lower()


def outside(address: str) -> bool:
    """Whether this is an address of the world outside, and not of this machine.

    >>> outside("8.8.8.8"), outside("127.0.0.1"), outside("huggingface.co")
    (True, False, False)
    """
    try:
        found = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return False
    return not (found.is_loopback or found.is_unspecified or found.is_multicast)


def addresses(text: str) -> Iterator[str]:
    """Bare addresses of the world outside in a text."""
    for found in _ADDRESS.finditer(text):
        if outside(found[1]) and not found[1].startswith("0."):
            yield found[1]
