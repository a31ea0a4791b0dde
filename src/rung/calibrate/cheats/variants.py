"""Every variant by name, and the cell it makes.

A variant is a kind, a number, and a seed: the same three give the same cell, fact for fact.
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
"""The kinds of cheat; each has a module in `kinds`, and its clean twins one in `twins`."""

CHEATS, TWINS = 36, 32
"""Variants of each kind, and clean twins of each."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One recorded cell to be: of a kind or of its twins, the so-maniest, under a seed."""

    kind: str
    number: int
    clean: bool
    seed: str = "1"

    @property
    def name(self) -> str:
        """By which a report names it."""
        return f"{self.kind}{' twin' if self.clean else ''} #{self.number}"

    def told(self) -> "Told":
        """Its story, and by what choices it came."""
        side = "twins" if self.clean else "kinds"
        scene = Scene(self.kind, self.number, Seed("cheats").child(self.seed, side, self.kind))
        module = importlib.import_module(f"rung.calibrate.cheats.{side}.{self.kind}")
        tells: Tells = module.story
        story = tells(scene)
        made = script(scene, story)
        recipe = {"world": scene.world.name, "program": scene.dress.program, **scene.recipe}
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
    """So many variants of every kind."""
    return [Variant(kind, place, False, seed) for kind in KINDS for place in range(number)]


def twins(seed: str = "1", number: int = TWINS) -> Sequence[Variant]:
    """So many clean twins of every kind."""
    return [Variant(kind, place, True, seed) for kind in KINDS for place in range(number)]
