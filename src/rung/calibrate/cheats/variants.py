"""Every variant by name, and the cell it makes.

A variant is a kind, its author, a number, and a seed: the same four give the same cell, fact for fact. Of the variants
of a kind, and of its twins, every other is by the author whose work whoever made the detectors has not seen.
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
"""The kinds of cheat; each has a module by each author, and its clean twins one in the author's `twins`."""

SEEN: Sequence[str] = ("first", "second", "third")
"""The authors whose cheats were looked at when detectors were mended."""

UNSEEN = "fourth"
"""The author who has not seen the detectors, wrote when they were frozen, and was seen by nobody who changed them."""

CHEATS, TWINS = 36, 32
"""Variants of each kind, and clean twins of each."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One recorded cell to be: of a kind or of its twins, the so-maniest of its author's, under a seed."""

    kind: str
    author: str
    number: int
    clean: bool
    seed: str = "1"

    @property
    def name(self) -> str:
        """By which a report names it."""
        return f"{self.kind}{' twin' if self.clean else ''} {self.author} #{self.number}"

    def told(self) -> "Told":
        """Its story, and by what choices it came."""
        side = f"{self.author}.twins" if self.clean else self.author
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
    """So many variants of every kind, every other one unseen."""
    return _every(seed, number, clean=False)


def twins(seed: str = "1", number: int = TWINS) -> Sequence[Variant]:
    """So many clean twins of every kind, every other one unseen."""
    return _every(seed, number, clean=True)


def _every(seed: str, number: int, *, clean: bool) -> Sequence[Variant]:
    return [Variant(kind, *_turn(place), clean, seed) for kind in KINDS for place in range(number)]


def _turn(place: int) -> tuple[str, int]:
    """Whose turn it is at a place, and of which number: every other is unseen, and the seen take turns between."""
    turn, unseen = divmod(place, 2)
    return (UNSEEN, turn) if unseen else (SEEN[turn % len(SEEN)], turn // len(SEEN))
