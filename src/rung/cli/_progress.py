"""How far a run is, on stderr: a bar on a terminal, else a plain line now and then."""

import sys
import time
from typing import Self

import click

from rung.core.values import Fault, Outcome
from rung.protocols.forecast import Extent, extent
from rung.protocols.plan import Plan


class Meter:
    """Counts attempts done of those planned, and faults. Trials and reruns come on top of a plan and are left out."""

    def __init__(self) -> None:
        self.done = 0
        self.faults = 0
        self._extent: Extent | None = None
        self._controls = 1

    def planned(self, plan: Plan) -> None:
        """Begin with this plan."""
        self._extent = extent(plan.config)

    def saw(self, path: str, outcome: Outcome) -> None:
        """Take note of one attempt, worked now or read back from the record."""
        self.faults += isinstance(outcome, Fault)
        if "/trial/" in path or "/again/" in path:
            return
        self.done += 1
        control, _, number = path.split("/")[0].partition("-")
        if control == "static" and number.isdigit():  # arms that begin apart have static arms of their own
            self._controls = max(self._controls, int(number))

    @property
    def total(self) -> int:
        """Attempts planned, as far as is known now."""
        return self._extent.attempts(self._controls) if self._extent is not None else 0

    @property
    def text(self) -> str:
        """All of it in one line."""
        faults = "1 fault" if self.faults == 1 else f"{self.faults} faults"
        return f"{self.done:,} of {self.total:,} attempts, {faults}"


class Lines:
    """Plain lines, for logs: few of them, and none for a run that is over at once."""

    seconds_between = 3.0

    def draw(self, meter: Meter) -> None:
        """One line."""
        click.echo(meter.text, err=True)

    def close(self, meter: Meter) -> None:
        """The last line, unless nothing was ever planned."""
        if meter.total:
            self.draw(meter)


class Bar:
    """A bar that is drawn over itself, for terminals."""

    seconds_between = 0.1

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), auto_refresh=False)
        self._task = self._progress.add_task("drawing the tasks", total=None)
        self._progress.start()

    def draw(self, meter: Meter) -> None:
        """Move it."""
        self._progress.update(self._task, completed=meter.done, total=meter.total, description=meter.text)
        self._progress.refresh()

    def close(self, meter: Meter) -> None:
        """Leave it as it is at the end."""
        if meter.total:
            self.draw(meter)
        self._progress.stop()


class Progress:
    """Watches a run and shows it; a context, so that the terminal is whole again whatever happens."""

    def __init__(self) -> None:
        self.meter = Meter()
        self._face: Bar | Lines = Bar() if sys.stderr.isatty() else Lines()
        self._drawn = time.monotonic()

    def planned(self, plan: Plan) -> None:
        """Begin with this plan."""
        self.meter.planned(plan)
        self._draw_now_and_then()

    def watch(self, path: str, outcome: Outcome) -> None:
        """Take note of one attempt."""
        self.meter.saw(path, outcome)
        self._draw_now_and_then()

    def _draw_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._drawn >= self._face.seconds_between:
            self._drawn = now
            self._face.draw(self.meter)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._face.close(self.meter)
