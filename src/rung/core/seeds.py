"""Named seed streams: all randomness of a study hangs from one tree of names.

A stream is named by its path (`root / lineage / phase / family / setting / index / redraw / concern`), and the
path is hashed with SHA-256, so that two streams can only be equal if their names are
(SelfImprove-Bench, Appendix A.1; the path is ours).
"""

import random
from dataclasses import dataclass

from rung.core.canonical import sha256


def _spell(name: str | int) -> str:
    return str(name).replace("%", "%25").replace("/", "%2F")


@dataclass(frozen=True, slots=True)
class Seed:
    """A named node in the tree of random streams.

    >>> Seed("7").child("exam", "farm-v1", 3).path
    '7/exam/farm-v1/3'
    >>> Seed("a").child("b/c").path == Seed("a").child("b", "c").path
    False
    """

    path: str

    def child(self, *names: str | int) -> "Seed":
        """The node below this one with these names; a slash in a name is escaped."""
        return Seed("/".join((self.path, *map(_spell, names))))

    @property
    def hex(self) -> str:
        """The 256 bits of this node as 64 hex digits."""
        return sha256(self.path)

    def rng(self) -> random.Random:
        """A fresh generator for this node: the same node always gives the same draws."""
        return random.Random(int(self.hex, 16))
