"""Which pairs of curves cannot have begun from one baseline, with the arithmetic, for a terminal."""

from collections.abc import Iterator, Sequence

from rung.reanalysis.baselines import Pair
from rung.reports.wording import clean, counted

ASSUMED = (
    "every printed number is exact to its last digit",
    "all eleven checkpoints are valid, or as many fewer as the mean of whole scores demands",
    "Nullify, Tetris, Snake and PvZ score whole numbers, so that the mean of three episodes is a number of thirds",
    "no score is below 0, and none of Trust Evolution below -10",
)
UNSAID = (
    "that the other pairs did begin from one baseline: some start fits both, and no more is shown",
    "which of the two baselines is wrong, or why they differ",
)


def lines(pairs: Sequence[Pair]) -> Iterator[str]:
    """The pairs that are flagged, each with its arithmetic; then all others, what was assumed and what is not said."""
    flagged = [pair for pair in pairs if pair.flagged]
    of = counted(len(pairs), "pair")
    yield f"Baselines of two pathways, out of Avg., Max. and AUC+: {len(flagged)} of {of} not common"
    for pair in flagged:
        rests = "by its bounds" if pair.basis == "bounds" else "by a search of all curves of thirds"
        yield ""
        yield f"✗ {clean(pair.game)}, {clean(pair.model)}: no common baseline, {rests}"
        if not pair.sturdy:
            yield "    not shown if a checkpoint of either curve was not valid"
        yield from (f"    {clean(line)}" for line in pair.arithmetic)
    yield ""
    yield "A common baseline is possible:"
    for game in dict.fromkeys(pair.game for pair in pairs):
        rest = [pair.model for pair in pairs if pair.game == game and not pair.flagged]
        yield f"    {clean(game)}: {', '.join(map(clean, rest)) or 'none'}"
    yield ""
    yield from (f"assumed: {each}" for each in ASSUMED)
    yield "What cannot be said from this:"
    yield from (f"- {each}" for each in UNSAID)
