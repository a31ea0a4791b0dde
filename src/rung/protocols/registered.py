"""A plan that was registered beforehand: a file that says what a study will do and claim, and its hash.

`rung plan --register` writes one, `rung run --plan FILE` takes it: before the first attempt it becomes the fact
`registered` under `plan`, and a report holds the run against it. The file is canonical JSON, `{"plan": {...},
"sha256": "..."}`, where the hash is of the plan's canonical JSON; whoever keeps the hash elsewhere can prove when the
plan was made.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rung.core.canonical import JSON, canonical, fingerprint
from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Journal

NAME = "plan.registered.json"
"""The file beside a config."""

AGAIN = "`rung plan CONFIG --register` writes one"


@dataclass(frozen=True, slots=True)
class Registered:
    """The content of a registered plan, and its hash."""

    content: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """The hash that stands in the file."""
        return fingerprint(cast(JSON, self.content))


def identity(config: Config, plugins: Mapping[str, str]) -> str:
    """The hash of all that makes it this study, but for the exam's secret, which is drawn when it begins."""
    return fingerprint({**config.identity(), "plugins": dict(plugins)})


def spell(plan: Registered) -> str:
    """The file of a registered plan."""
    return canonical({"plan": cast(JSON, plan.content), "sha256": plan.sha256}) + "\n"


def read(file: Path) -> Registered:
    """A registered plan from its file. Raises `UsageError` for one that was edited, or is none."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        content, said = document["plan"], document["sha256"]
        found = Registered({**content})
        hashed, _ = found.sha256, str(content["config"])
    except OSError as error:
        raise UsageError(f"--plan {file} cannot be read ({error.strerror}); {AGAIN}") from None
    except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
        raise UsageError(f"--plan {file} is no registered plan ({type(error).__name__}: {error}); {AGAIN}") from None
    if hashed != said:
        raise UsageError(
            f"--plan {file} was edited after it was registered: its content has the hash {hashed[:16]}..., and sha256 "
            f"says {str(said)[:16]!r}...; put it back as it was, or register anew with `rung plan CONFIG --register`"
        )
    return found


def refuse_another(plan: Registered, config: Config, plugins: Mapping[str, str]) -> None:
    """Refuse a plan that is about another study than this config's."""
    wanted, seen = identity(config, plugins), plan.content["config"]
    if seen != wanted:
        raise UsageError(
            f"--plan is for another config: it registers {str(seen)[:16]!r}... ({plan.content.get('name')!r}), and "
            f"this config is {wanted[:16]!r}...; give the config back as it was, or register this one with "
            "`rung plan CONFIG --register`"
        )


def of(journal: Journal) -> Registered | None:
    """The plan that was registered for a run; None where none was."""
    fact = cast("Mapping[str, Any] | None", journal.get("plan", "registered"))
    return None if fact is None else Registered({**fact["plan"]})


def put(plan: Registered, journal: Journal) -> None:
    """Make it a fact, before the first attempt. Refused once there is one, for then it was not made beforehand."""
    old = cast("Mapping[str, Any] | None", journal.get("plan", "registered"))
    if old is not None and old["sha256"] != plan.sha256:
        raise UsageError(
            f"--plan: this run was begun with the registered plan {str(old['sha256'])[:16]}..., and this one is "
            f"{plan.sha256[:16]}...; give that one, or none"
        )
    if old is None and next(iter(journal.facts(kind="arm")), None) is not None:
        raise UsageError(
            "--plan: this run was begun without a registered plan, so none can be made beforehand; leave it out, or "
            "choose another --out for a new run"
        )
    journal.put("plan", "registered", {"sha256": plan.sha256, "plan": cast(JSON, dict(plan.content))})
