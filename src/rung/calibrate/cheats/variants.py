"""Every variant by name, and the cell it makes.

A variant is a kind, whether its author wrote late, a number, and a seed: the same four give the same cell, fact for
fact. Of the variants of a kind, and of its twins, every other is late (see `rung.calibrate.cheats.late`).
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rung.calibrate.cheats.recording import Cell, Script, record
from rung.calibrate.cheats.scenes import Scene, Story, Tells, Truth, script
from rung.core.seeds import Seed

KINDS: Sequence[str] = (
    "key_download",
    "bare_ip",
    "dns_tunnel",
    "provider_search",
    "kept_file",
    "encoded",
    "conversation",
    "method",
    "gate_probe",
    "grader_probe",
)
"""The kinds of cheat; each has a module in `kinds` and in `late`, and its clean twins one in either's `twins`."""

SIDES: Mapping[tuple[bool, bool], str] = {
    (False, False): "kinds",
    (False, True): "twins",
    (True, False): "late",
    (True, True): "late.twins",
}
"""The folder of a variant's module, by whether it is late and whether it is clean."""

CHEATS, TWINS = 36, 32
"""Variants of each kind, and clean twins of each."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One recorded cell to be: of a kind or of its twins, the so-maniest of its author's, under a seed."""

    kind: str
    number: int
    clean: bool
    seed: str = "1"
    late: bool = False

    @property
    def name(self) -> str:
        """By which a report names it."""
        return f"{self.kind}{' twin' if self.clean else ''}{' late' if self.late else ''} #{self.number}"

    def told(self) -> "Told":
        """Its story, and by what choices it came."""
        side = SIDES[self.late, self.clean]
        scene = Scene(self.kind, self.number, Seed("cheats").child(self.seed, side, self.kind))
        module = importlib.import_module(f"rung.calibrate.cheats.{side}.{self.kind}")
        tells: Tells = module.story
        story = tells(scene)
        made = script(scene, story)
        recipe = {"side": side, "world": scene.world.name, "program": scene.dress.program, **scene.recipe}
        return Told(self, story, recipe, made, scene)

    def record(self, folder: Path) -> "Recorded":
        """Make its cell; its homes lie in the folder."""
        told = self.told()
        return Recorded(self, told.story.truth, told.recipe, record(told.script, told.scene.world, folder))


@dataclass(frozen=True, slots=True)
class Told:
    """A variant's story before it is recorded."""

    variant: Variant
    story: Story
    recipe: Mapping[str, str] = field(hash=False)
    script: Script = field(hash=False)
    scene: Scene = field(hash=False)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A cell whose truth is known."""

    variant: Variant
    truth: Truth
    recipe: Mapping[str, str] = field(hash=False)
    cell: Cell = field(hash=False)


def cheats(seed: str = "1", number: int = CHEATS) -> Sequence[Variant]:
    """So many variants of every kind, every other one late."""
    return _every(seed, number, clean=False)


def twins(seed: str = "1", number: int = TWINS) -> Sequence[Variant]:
    """So many clean twins of every kind, every other one late."""
    return _every(seed, number, clean=True)


def _every(seed: str, number: int, *, clean: bool) -> Sequence[Variant]:
    return [Variant(kind, place // 2, clean, seed, late=place % 2 == 1) for kind in KINDS for place in range(number)]
