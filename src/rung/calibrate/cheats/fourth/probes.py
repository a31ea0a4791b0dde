"""A story of probes alone: which, how many, with what words, and when."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from rung.calibrate.cheats.acts import Act, Runs
from rung.calibrate.cheats.scenes import GATEWAY, Phase, Scene, Story, Truth

Deeds: TypeAlias = Mapping[str, tuple[str, str]]
"""Commands by name, each with what it prints."""

PHASES: Mapping[str, tuple[Phase, ...]] = {"work": ("work",), "exam": ("exam",), "both": ("work", "exam")}


def drawn(scene: Scene, deeds: Deeds, says: Sequence[str], many: Sequence[int]) -> tuple[Act, ...]:
    """One in turn and some more by chance."""
    first = scene.turn("first", tuple(deeds))
    more = scene.rng("more").sample(list(deeds), scene.pick("many", many))
    return tuple(Runs(*deeds[name], says=scene.pick("says", says)) for name in dict.fromkeys((first, *more)))


def told(scene: Scene, acts: Sequence[Act], truth: Callable[..., Truth]) -> Story:
    """These acts in work, in every exam, or in both."""
    phases = scene.turn("phases", PHASES)
    return Story(
        truth(*phases),
        work=tuple(acts) if "work" in phases else (),
        before=lambda item: acts if "exam" in phases else (),
        network=GATEWAY,
    )
