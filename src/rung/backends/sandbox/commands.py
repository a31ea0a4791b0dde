"""Single commands in a confiner: the sandbox port of agents and methods whose own code runs.

Each command has a folder of its own with the files it is given, no network, and bounds that are small beside those of
an agent program. Nothing that it writes is kept.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rung.backends.sandbox.plain import KEPT, lay_out
from rung.core.confined import Bind, Bounds, Confiner, Ended, Program
from rung.core.errors import InstrumentFault
from rung.core.ports import Ran

WORK = "/workspace"
PATH = "/usr/local/bin:/usr/bin:/bin"

BOUNDS = Bounds(
    memory_mb=2048, address_mb=4096, processes=64, open_files=256, file_mb=64, written_mb=128, written_files=5_000,
    output_mb=8,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands in a confiner (see `rung.core.ports.Sandbox`). Its seconds are those of a clock on the wall."""

    confiner: Confiner
    bounds: Bounds = BOUNDS
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.confiner.name)

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        """Run one command over these files, without a shell and without a network."""
        with tempfile.TemporaryDirectory(prefix="rung-", ignore_cleanup_errors=True) as folder:
            work = Path(folder) / "work"
            work.mkdir()
            lay_out(work, files)
            return await self._ran(tuple(argv), work, seconds, stdin)

    async def _ran(self, argv: tuple[str, ...], work: Path, seconds: float, stdin: bytes) -> Ran:
        kept = {"out": bytearray(), "err": bytearray()}

        def hear(stream: str, data: bytes) -> None:
            kept[stream] += data
            del kept[stream][:-KEPT]

        path, python = _python()
        program = Program(
            argv,
            {"PATH": path, "HOME": WORK, "LANG": "C.UTF-8"},
            (*python, Bind(work, WORK, writable=True)),
            cwd=WORK,
            bounds=replace(self.bounds, seconds=seconds),
            stdin=stdin,
        )
        async with await self.confiner.start(program, hear=hear) as held:
            await held.release()
            ended = await held.wait()
        return _told(ended, bytes(kept["out"]), bytes(kept["err"]))


def _python() -> tuple[str, tuple[Bind, ...]]:
    """Where programs are looked for; where the system has no Python, with the one that runs this."""
    if any(Path(folder, "python3").exists() for folder in PATH.split(":")):
        return PATH, ()
    prefix = Path(sys.base_prefix)
    seen = prefix.is_relative_to("/usr")  # as every program sees it
    return f"{PATH}:{prefix}/bin", () if seen else (Bind(prefix, str(prefix)),)


def _told(ended: Ended, out: bytes, err: bytes) -> Ran:
    """How it ended, as the port says it; what broke here is a fault."""
    if ended.reason in ("sandbox_failed", "instrument_lost"):
        raise InstrumentFault("sandbox", ended.why or ended.reason)
    return Ran(ended.status if ended.reason == "exited" else None, out, err, late=ended.reason == "wall_clock")
