"""`rung play`: a person plays, and learns what an agent meets."""

import asyncio
import mimetypes
import secrets
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import click

from rung.cli._answer import HOW, Line, lines_of, read_answer
from rung.cli._contracts import family_id, family_ports
from rung.cli._say import json_option, say_json
from rung.cli.tasks._settings import chosen, setting_options
from rung.cli.tasks.show import drawn
from rung.core import registry
from rung.core.errors import Stopped
from rung.core.ports import Episode
from rung.core.values import Action, Evaluation, Image, Reply, Task, View
from rung.core.waiting import settle
from rung.protocols.answers import tidy
from rung.reports.wording import CERTIFICATES, number
from rung.tasks import keys
from rung.testing.transcripts import episode, replied

Policy = Literal["solver", "naive"]


@click.command("play")
@click.argument("game")
@setting_options
@click.option("--seed", metavar="X", help="The task that `rung tasks show --seed X` shows; else a new one.")
@click.option("--solver", "policy", flag_value="solver", help="Let the solver play, and watch.")
@click.option(
    "--naive", "policy", flag_value="naive", help="Let a newcomer that knows the rules alone play, and watch."
)
@click.option("--open", "open_them", is_flag=True, help="Open pictures with the viewer of this machine.")
@json_option
def command(
    game: str,
    difficulty: int | None,
    setting: str | None,
    seed: str | None,
    policy: Policy | None,
    *,
    open_them: bool,
    as_json: bool,
) -> None:
    """Play a game in the terminal, as an agent does.

    You see the rules once and then each view; at the end your score, the reference and the score of a newcomer.

    GAME is a name, or a folder of yours with game.py and key.py. Answers may come from a pipe. Ctrl-D ends and scores
    the game as it stands, Ctrl-C leaves it. Nothing is recorded, and no task of a run is shown.
    """
    family = family_id(game)
    name = chosen(family, difficulty, setting)
    seed = secrets.token_hex(4) if seed is None else seed
    again = shlex.join(["rung", "play", game, "--setting", name, "--seed", seed])
    task = drawn(family, name, seed)
    with asyncio.Runner() as runner:  # and no coroutine around it all: Ctrl-C has to reach a waiting keyboard
        table = Table(runner, task, to_stderr=as_json, open_them=open_them)
        try:
            seen = table.watch(policy) if policy else table.play(lines_of(to_stderr=as_json))
            newcomer = runner.run(episode(task, keys.key(family).naive(task)))[1]
        except KeyboardInterrupt:
            raise Stopped("left the game; nothing was recorded") from None
    if as_json:
        say_json(_told(task, seen, newcomer, policy=policy, again=again))
        return
    for line in _ending(task, seen, newcomer):
        click.echo(line)
    click.echo(f"this task again: {again}")


@dataclass(slots=True)
class Table:
    """A game on the table: who plays sees it here, on stdout, or on stderr where stdout is for a machine."""

    runner: asyncio.Runner
    task: Task
    to_stderr: bool
    open_them: bool
    _pictures: list[Path] = field(default_factory=list)

    def watch(self, policy: Policy) -> Evaluation:
        """Let a policy of the key play, and print all of it."""
        self._rules(None)
        key = keys.key(self.task.family)
        lines, seen = self.runner.run(episode(self.task, getattr(key, policy)(self.task)))
        for line in lines:
            self._say(line)
        return seen

    def play(self, line: Line) -> Evaluation:
        """Ask a person until the game is over, or the input is."""
        family = registry.family(self.task.family)
        worked = self.runner.run(family.start(self.task, family_ports()))
        self._rules(worked.view())
        for step in range(1, self.task.calls + 1):
            self._show(worked.view(), step)
            answer = read_answer(line)
            if answer is None:
                self._say("ended here; it is scored as it stands")
                return replace(self._measured(worked), status="cancelled")
            reply = self._answered(worked, answer)
            for said in replied(reply):
                self._say(said)
            if reply.done:
                break
        return self._measured(worked)

    def _answered(self, worked: Episode, answer: str) -> Reply:
        action, invalid = tidy(Action(answer))
        call = invalid or registry.family(self.task.family).parse(str(action.answer))
        return self.runner.run(settle(worked.call, call))

    def _measured(self, worked: Episode) -> Evaluation:
        return self.runner.run(settle(worked.evaluate))

    def _rules(self, first: View | None) -> None:
        rules = (first.rules if first else "") or registry.family(self.task.family).rules(self.task)
        self._say(f"--- {self.task.cell}: rules\n{rules}")
        if first is not None:
            self._say(f"--- {HOW}")

    def _show(self, view: View, step: int) -> None:
        self._say(f"--- step {step} of at most {self.task.calls}\n{view.text}")
        for image in view.images:
            path = self._keep(image)
            self._say(f"picture: {path}")
            if self.open_them:
                click.launch(str(path))

    def _keep(self, image: Image) -> Path:
        """The picture as a file, beside those shown before."""
        folder = self._pictures[0].parent if self._pictures else Path(tempfile.mkdtemp(prefix="rung-play-"))
        ending = mimetypes.guess_extension(image.media_type) or ".bin"
        path = folder / f"{len(self._pictures) + 1}{ending}"
        path.write_bytes(image.data)
        self._pictures.append(path)
        return path

    def _say(self, text: str) -> None:
        click.echo(text, err=self.to_stderr)


def _ending(task: Task, seen: Evaluation, newcomer: Evaluation) -> Sequence[str]:
    """What came of it, and what there was to be had."""
    reference, unit = keys.key(task.family).reference(task), registry.family(task.family).scale.unit
    group = (seen.score, reference.score, newcomer.score)
    return [
        f"--- {seen.status}: {'success' if seen.success else 'no success'}",
        f"score      {number(seen.score, *group)} ({unit})",
        f"reference  {number(reference.score, *group)} ({CERTIFICATES[reference.certificate]}; {reference.solver})",
        f"newcomer   {number(newcomer.score, *group)} (knows the rules alone)",
        *([f"feedback   {seen.feedback}"] if seen.feedback else []),
    ]


def _told(
    task: Task, seen: Evaluation, newcomer: Evaluation, *, policy: Policy | None, again: str
) -> Mapping[str, Any]:
    return {
        "family": task.family,
        "setting": task.setting.name,
        "task": task.id,
        "player": policy or "person",
        **{key: value for key, value in asdict(seen).items() if key != "metrics"},
        "metrics": dict(seen.metrics),
        "unit": registry.family(task.family).scale.unit,
        "reference": asdict(keys.key(task.family).reference(task)),
        "newcomer": newcomer.score,
        "again": again,
    }
