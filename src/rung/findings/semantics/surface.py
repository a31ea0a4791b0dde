"""What a proposal changed: words for the acting model, what runs, or how the next change is made. Without a model.

The place decides before the words: see the codebook. A place is known by the class of its path.
"""

import re

from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.values import Surface
from rung.findings.semantics.words import words

CODE = re.compile(r"\.(py|pyi|sh|bash|js|mjs|cjs|ts|rb|pl|go|rs|lua|awk|sql|c|h|cc|cpp|java)$", re.IGNORECASE)
"""What a file of code ends in."""
SETTINGS = re.compile(r"\.(toml|ya?ml|ini|cfg|conf|env|json)$|(^|/)(Makefile|Dockerfile)$", re.IGNORECASE)
"""What a file of settings ends in."""
REMEMBERED = re.compile(r"(^|/)(memory|memories|notes?|playbook|prompts?|skills?|examples?|lessons?)(/|\.|_|$)", re.I)
"""Where words for a model lie, whatever form the file has."""
_LONG_STRING = re.compile(r'("""|\'\'\').*?\1|"[^"\n]{24,}"|\'[^\'\n]{24,}\'', re.DOTALL)
_CODE_SIGNS = re.compile(
    r"^\s*(def \w|class \w|async def|import \w|from [\w.]+ import|return\b|(if|for|while)\b.*:\s*$|@\w"
    r"|function\b|const\b|let\b|[\w.\[\]\"']+\s*\+?=\s*\S|[\w.-]+:\s*\S+\s*$|\w+\(.*\)\s*$|#!)",
    re.MULTILINE,
)
MOSTLY = 0.6
"""Share of the letters of a piece of code that stand in strings of words, from which on it is words."""


def surface(path: str | None, text: str) -> Surface:
    """The surface of a proposal.

    >>> surface("agent/memory/playbook.jsonl", "Run the solver script."), surface("agent/tools/solve.py", "x = 1")
    ('contextual artifact', 'execution harness')
    >>> surface("agent/improver/prompt.md", "Look at the failures first."), surface(None, "Enforce a limit in code.")
    ('refinement mechanism', 'execution harness')
    """
    lists = lexicon()
    if path is None:
        return _by_words(text)
    if lists.improver.search(" ".join(words(path))):
        return "refinement mechanism"
    if CODE.search(path):
        return "contextual artifact" if _is_words(path, text) else "execution harness"
    if SETTINGS.search(path) and not REMEMBERED.search(path):
        return "contextual artifact" if _reads(text) else "execution harness"
    return "contextual artifact"


def looks_like_code(text: str) -> bool:
    """Whether a text is source and no prose.

    >>> looks_like_code("def f(x):\\n    return x"), looks_like_code("Sell everything on the last day.")
    (True, False)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and _reads(text) and text.rstrip()[-1] in ".!?":
        return False
    return bool(lines) and 2 * sum(_CODE_SIGNS.match(line) is not None for line in lines) >= len(lines)


def _by_words(text: str) -> Surface:
    line, lists = " ".join(words(text)), lexicon()
    if looks_like_code(text) and not _is_words("", text):
        return "execution harness"
    if lists.said.search(line):
        return "contextual artifact"
    return "execution harness" if lists.code.search(line) else "contextual artifact"


def _is_words(path: str, text: str) -> bool:
    """Whether a change in a file of code is of words that a model will read."""
    if not looks_like_code(text):  # told in prose, or the words themselves without their quotes
        named = REMEMBERED.search(path) is not None
        line = " ".join(words(text))
        return named or (lexicon().said.search(line) is not None and lexicon().code.search(line) is None)
    long = [found for found in _LONG_STRING.finditer(text) if _reads(found.group(0))]
    within = sum(len(found.group(0)) for found in long)
    return within >= MOSTLY * len(text.strip()) and not re.search(r"^\s*(async )?def ", text, re.MULTILINE)


def _reads(text: str) -> bool:
    """Whether something reads as a sentence."""
    return len(re.findall(r"[^\W\d_]{2,}\s", text)) >= 4
