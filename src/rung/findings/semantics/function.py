"""Which abilities a proposal works on, from its words, without a model."""

from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.values import FUNCTIONS, Function
from rung.findings.semantics.words import words

ENOUGH = 0.5
"""Hints give a function when there are more of them than this share of the most that any has."""


def functions(text: str, *, runs: bool = False) -> frozenset[Function]:
    """The functions of a proposal; one that runs works on execution as well.

    >>> sorted(functions("Compute the profit of each crop and plant the best first."))
    ['planning', 'reasoning']
    """
    line = " ".join(words(text))
    lists = lexicon()
    told = {each for each in FUNCTIONS if lists.function[each].search(line)}
    hints = {each: len(set(lists.hint[each].findall(line))) for each in FUNCTIONS}
    most = max(hints.values())
    hinted = {each for each in FUNCTIONS if hints[each] > max(ENOUGH * most, 1 if told else 0)}
    run: set[Function] = {"execution"} if runs else set()
    return frozenset(told | hinted | run) or frozenset({"planning"})
