"""`rung serve`: addresses for an agent that cannot be launched here."""

import asyncio
import json
import shlex
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rung.backends.servers.far_desk import far_desk
from rung.backends.servers.mcp import Doors, over_stdio
from rung.backends.servers.serving import serving
from rung.cli._border import Invocation
from rung.cli._runs import opened
from rung.cli._say import json_option
from rung.cli.run import slug, stopping
from rung.core import config
from rung.core.errors import UsageError
from rung.protocols import instructions, launch, served
from rung.protocols.instructions import Instructions
from rung.protocols.plan import Plan
from rung.protocols.served import Address, Front
from rung.protocols.study import Arm, Bench
from rung.store.run_directory import RunDirectory

PORT = 8710
HEADS = {
    "work": "over the working session, as system text where there is a place for it",
    "exam": "over each exam, in its place",
    "first": "the first message of either",
}
KEEP = "Keep a copy of the agent as it is now, before it works: the exam asks for forks of it."
FORK = (
    "Each exam address is for one fork: A0 of the agent as it was before its work, the others of the agent as it came "
    "out of it. That they are forks is yours to attest; the record says so."
)


@click.command("serve")
@click.argument("file", metavar="[CONFIG]", required=False, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run's folder; else runs/<its name>.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over the config; repeatable.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port on loopback.")
@click.option("--finish", type=click.Choice(["work", "exam"]), multiple=True, help="End a phase as it stands.")
@click.option("--instructions", is_flag=True, help="Print what the agent is to be told, and serve nothing.")
@click.option("--stdio", metavar="URL", help="Hand an address on over stdin and stdout, for programs without HTTP.")
@json_option
@click.pass_obj
def command(invocation: Invocation, /, **given: Any) -> None:
    """Serve a study to an agent that cannot be launched here.

    It is recorded as any other. Prints an address for each working session, over MCP and plain HTTP, with a token that
    opens it; when the work is done, one for each exam attempt. All are on this machine alone. Running the same command
    again goes on, with the same addresses. Whatever agent and method the config names, the agent that comes to the
    address is the one measured.

    With --instructions it prints what the agent is to be told over its work and over an exam, so that it is measured
    like one that is launched here. With --finish work what has not been worked is left, and with --finish exam what
    has not been sat.
    """
    asked = Asked(**given)
    if asked.stdio is not None:
        asyncio.run(_hand_on(asked.stdio))
        return
    if asked.file is None:
        raise UsageError("give a CONFIG to serve, or --stdio URL to hand an address on")
    study = config.read(asked.file, overrides=asked.overrides)
    if asked.instructions:
        _instruct(instructions.read(study, base=asked.file.parent), as_json=asked.as_json)
        return
    directory = RunDirectory(asked.out if asked.out is not None else Path("runs") / slug(study.name))
    invocation.resume = asked.again(directory.path)
    listening = _listening(asked.port)
    teller = Teller(listening.getsockname()[1], as_json=asked.as_json)

    async def protocol(drawn: Plan, arms: tuple[Arm, ...], bench: Bench) -> None:
        async with Doors() as doors, serving(doors, listening) as serves:
            front = Front(doors, str(directory.read_secret()), teller.tell, asked.finish)
            await served.conduct(drawn, arms, bench, front=front)
            serves.check()

    def planned(_: Plan) -> None:
        invocation.begun = True

    wishes = launch.Wishes(base=asked.file.parent, planned=planned, warn=_warn)
    with listening, stopping(directory, invocation):
        launch.run(study, directory.path, wishes, arms=served.arms(study), protocol=protocol)
    with opened(directory.path) as (_, journal):
        teller.end(directory, journal.digest())


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller asked for. Each field is an argument or an option."""

    file: Path | None
    out: Path | None
    overrides: Sequence[str]
    port: int
    finish: Sequence[str]
    stdio: str | None
    instructions: bool
    as_json: bool

    def again(self, out: Path) -> str:
        """The command that goes on, for a shell."""
        words = ["rung", "serve", str(self.file), "--out", str(out)]
        words += ["--port", str(self.port)] if self.port != PORT else []
        for override in self.overrides:
            words += ["--set", override]
        return shlex.join(words)


@dataclass(slots=True)
class Teller:
    """Says addresses as they are opened: a line each, with what is to be done before the first of a phase."""

    port: int
    as_json: bool
    phase: str = ""

    def tell(self, address: Address) -> None:
        """Say one."""
        if self.phase != address.phase:
            self.phase = address.phase
            click.echo(KEEP if address.phase == "work" else FORK, err=True)
        url = f"http://127.0.0.1:{self.port}/s/{address.token}/mcp"
        if self.as_json:
            told = {"phase": address.phase, "who": address.who, "path": address.path, "url": url}
            click.echo(json.dumps(told))
        else:
            click.echo(f"{address.phase}  {address.who}  {url}")

    def end(self, directory: RunDirectory, digest: str) -> None:
        """Say that all is done."""
        if self.as_json:
            click.echo(json.dumps({"phase": "done", "run": str(directory.path), "digest": digest}))
        else:
            click.echo(f"done; for the report: {shlex.join(['rung', 'report', str(directory.path)])}")


def _instruct(texts: Instructions, *, as_json: bool) -> None:
    """What an agent is to be told over its work, over an exam, and first in either."""
    told = {"work": texts.work, "exam": texts.exam, "first": texts.first}
    if as_json:
        click.echo(json.dumps(told))
        return
    for name, text in told.items():
        click.echo(f"--- {HEADS[name]}\n{text}\n")


async def _hand_on(address: str) -> None:
    async with far_desk(address) as desk:
        await over_stdio(desk)


def _listening(port: int) -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError as error:
        made.close()
        raise UsageError(f"port {port} cannot be had ({error.strerror}); give another --port") from None
    made.listen(128)
    made.setblocking(False)
    return made


def _warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)
