"""How far up the ladder a gain carries."""

import re
from collections.abc import Sequence

from rung.core.errors import UsageError
from rung.stats.inputs import unique
from rung.stats.verdict import Verdict


def rungs_held(verdicts: Sequence[tuple[str, Verdict]]) -> tuple[str, ...]:
    """The rungs of the ladder that are held: in order from G1, each at full alpha, up to the first not `improved`.

    A fixed sequence keeps the chance of any false rung at alpha without a correction, because a rung is only asked
    once all below it are held. Hand in every planned rung, G1 to G4, in order; G0 is no rung of it.
    Source: Maurer, Hothorn and Lehmacher 1995; Westfall and Krishen 2001 (fixed-sequence testing).

    >>> up, unclear = Verdict("improved", None), Verdict("inconclusive", None)
    >>> rungs_held([("G1", up), ("G2", unclear), ("G3", up)])
    ('G1',)
    """
    names = [name for name, _ in verdicts]
    unique(names, "rungs")
    strange = [name for name in names if not re.fullmatch(r"G[1-4]", name)]
    if strange or names != sorted(names):
        raise UsageError(f"the ladder is climbed in the order G1, G2, G3, G4; got {names}")
    held = []
    for name, verdict in verdicts:
        if verdict.word != "improved":
            break
        held.append(name)
    return tuple(held)
