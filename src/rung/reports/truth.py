"""The truth beside what was said of it: the true gain of a phantom is known, so each of its rows has a right word."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from rung.agents import phantom
from rung.core.config import AgentConfig
from rung.reports.values import LadderReport, Rung, Sign

Found: TypeAlias = Literal["agrees", "missed", "false", "no verdict"]
LEVELS = ("G0", "G1", "G2", "G3", "G4")


def signs(about: Mapping[str, Any], *, worked: int) -> Mapping[str, Sign | None]:
    """The sign of an arm's true gain on each level after so many worked tasks; None where nobody knows it.

    It is known of a phantom under its own method (see `rung.agents.phantom`), and of one that is frozen or a control.
    """
    kind, method = str(about["agent"]["kind"]), about["method"]["name"]
    name, _, variant = kind.partition(":")
    if name != "phantom" or variant not in phantom.RUNGS or method not in ("phantom", "static"):
        return dict.fromkeys(LEVELS)
    if method == "static" or "control" in about:  # `controls` of phantoms take nothing over that changes anything
        return dict.fromkeys(LEVELS, 0)
    options = AgentConfig(**about["agent"]).options
    made = cast(phantom.Phantom, phantom.make(variant, options))
    return {level: _sign(made.true_gain(cast(Any, level), refinements=worked)) for level in LEVELS}


def _sign(gain: float) -> Sign:
    return 1 if gain > 0 else -1 if gain < 0 else 0


def found(rung: Rung) -> Found | None:
    """Whether a verdict agrees with the truth; None where there is no truth to know.

    An effect called anything else is missed, no effect called one is false, and so is an effect of the wrong sign.
    """
    word = rung.verdict.word
    if rung.truth is None:
        return None
    if word in ("not estimable", "contaminated", "incomplete"):
        return "no verdict"
    said = 1 if word == "improved" else -1 if word == "regressed" else 0
    if said == rung.truth:
        return "agrees"
    return "missed" if said == 0 else "false"


@dataclass(frozen=True, slots=True)
class Tally:
    """The rows whose truth is known, by what was said of them."""

    rows: int
    agree: int
    missed: tuple[str, ...]
    false: tuple[str, ...]
    open: tuple[str, ...]


def tally(report: LadderReport) -> Tally:
    """Count how many rows agree with the truth, and name those that do not."""
    known = [(rung, found(rung)) for arm in report.arms for rung in arm.rungs if rung.truth is not None]
    named = {
        what: tuple(f"{rung.arm} {rung.level}" for rung, said in known if said == what)
        for what in ("agrees", "missed", "false", "no verdict")
    }
    return Tally(len(known), len(named["agrees"]), named["missed"], named["false"], named["no verdict"])


def phantoms(kinds: Iterable[str]) -> bool:
    """Whether all these agents are scripted."""
    return all(kind.startswith("phantom:") for kind in kinds)
