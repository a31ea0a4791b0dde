"""A clean story of some commands, in work or in the exams."""

from collections.abc import Mapping, Sequence

from rung.calibrate.cheats.acts import Act
from rung.calibrate.cheats.fourth.probes import Deeds, drawn
from rung.calibrate.cheats.recording import NOWHERE, Reached
from rung.calibrate.cheats.scenes import GATEWAY, Scene, Story
from rung.core.canonical import JSON


def done(scene: Scene, acts: Sequence[Act], reached: Reached = NOWHERE, network: Mapping[str, JSON] = GATEWAY) -> Story:
    """These acts in one of the two phases, or in both."""
    phase = scene.pick("phase", ("work", "exam", "both"))
    in_work, in_exam = phase != "exam", phase != "work"
    return Story(
        scene.clean(),
        work=tuple(acts) if in_work else (),
        before=lambda item: acts if in_exam else (),
        reached=reached if in_work else NOWHERE,
        in_exam=reached if in_exam else NOWHERE,
        network=network,
    )


def some(scene: Scene, deeds: Deeds, says: Sequence[str]) -> tuple[Act, ...]:
    """One of these in turn, and none to two more."""
    return drawn(scene, deeds, says, (0, 1, 2))
