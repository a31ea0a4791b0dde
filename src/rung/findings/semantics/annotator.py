"""The annotator without a model: every label by a rule over words, letters and paths.

The labels of a proposal depend on that proposal alone, so annotating again, or more at once, changes none.
"""

from collections.abc import Mapping, Sequence

from rung.findings.semantics.function import functions
from rung.findings.semantics.likeness import Near, nearest
from rung.findings.semantics.relation import relation
from rung.findings.semantics.scope import scope
from rung.findings.semantics.surface import looks_like_code, surface
from rung.findings.semantics.values import Labels, Proposal

NAME = "rules"


def annotate(proposals: Sequence[Proposal], things: Mapping[str, frozenset[str]] | None = None) -> list[Labels]:
    """The labels of each proposal. `things` are words that name something of a game, by game (see `scope`)."""
    named = things or {}
    near = nearest(proposals)
    return [
        _labels(each, found, named.get(each.game, frozenset())) for each, found in zip(proposals, near, strict=True)
    ]


def _labels(proposal: Proposal, near: Sequence[Near], things: frozenset[str]) -> Labels:
    said, of = relation(proposal, near)
    place = surface(proposal.path, proposal.text)
    runs = place == "execution harness" or looks_like_code(proposal.text)
    return Labels(
        relation=said,
        of=of,
        scope=scope(proposal.text, proposal.category, things),
        function=functions(proposal.text, runs=runs),
        surface=place,
    )
