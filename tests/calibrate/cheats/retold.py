"""Whether a text tells an answer in its own words: what is left of it, once all other words are taken out."""

FORM = frozenset({"plan", "plays", "actions", "first", "second", "false", "answer"})
"""Words of an answer's form, which who retells it leaves out."""


def names(answers: list[str]) -> frozenset[str]:
    """The names that stand in any of some answers, which are words and numbers in words."""
    return frozenset(word for answer in answers for word in answer.split()) - FORM


def tells(text: str, answer: str, known: frozenset[str]) -> bool:
    """Whether the known words of a text have those of an answer in their order, with none of them between."""
    wanted = _known(answer, known)
    return len(wanted.split()) >= 8 and wanted in _known(text, known)


def _known(text: str, known: frozenset[str]) -> str:
    return f" {' '.join(word for word in text.split() if word in known)} "
