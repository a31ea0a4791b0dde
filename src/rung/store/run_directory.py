"""The folder of a run: what lies where, who may write, and how a run is asked to stop.

config.resolved.json   the config with every default filled in     journal.sqlite   the record (see `journal`)
task_manifest.json     the tasks of the study                      states.git       the snapshots, for reading
secret                 the exam's secret, for its owner only       blobs/           large artifacts
report.html            the report                                  homes/           what agent programs work in
run.lock               who is writing now                          stop.request     somebody asked the run to stop
"""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rung.core.errors import StoreFault, UsageError
from rung.store.blobs import replace, sync
from rung.store.mounts import refuse_network

JOURNAL = "journal.sqlite"
"""A folder that holds one is a run's."""
BEFORE_IT = ("run.lock", "secret", "stop.request")
"""What a run leaves that died before its journal was made: with nothing else beside, the folder is a run's too."""
PASSING = (".DS_Store", ".new-")
"""What may lie in an empty folder without anybody having put it there."""


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """Where a run lies. The value is only a path with names; `prepare`, `existing` and `lock` look at the disk."""

    path: Path

    @property
    def journal(self) -> Path:
        """The record."""
        return self.path / JOURNAL

    @property
    def git(self) -> Path:
        """The snapshots, for reading with `git`."""
        return self.path / "states.git"

    @property
    def blobs(self) -> Path:
        """Artifacts too large for the journal."""
        return self.path / "blobs"

    @property
    def homes(self) -> Path:
        """What agent programs work in: forks of what was kept. All that is kept of them is in `blobs`."""
        return self.path / "homes"

    @property
    def config(self) -> Path:
        """The config with every default filled in."""
        return self.path / "config.resolved.json"

    @property
    def manifest(self) -> Path:
        """The tasks of the study."""
        return self.path / "task_manifest.json"

    @property
    def secret(self) -> Path:
        """The exam's secret, readable by its owner only."""
        return self.path / "secret"

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / "report.html"

    # ------------------------------------------------------------------------------------------ files

    def write_text(self, file: Path, text: str) -> None:
        """Put a file in place whole, so that it survives power loss."""
        self._write(file, text, mode=0o644)

    def keep_secret(self, text: str) -> None:
        """Keep the exam's secret. A run has one for life: the same again is nothing, another is refused."""
        kept = self.read_secret()
        if kept is None:
            self._write(self.secret, text, mode=0o600)
        elif kept != text:
            raise UsageError(f"{self.secret} holds another secret; a run keeps its own, so choose a new folder")

    def read_secret(self) -> str | None:
        """The exam's secret; None when none was kept yet."""
        try:
            return self.secret.read_text("utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{self.secret} cannot be read ({error.strerror}); run as its owner") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.secret} is no text; put back the secret this run was begun with") from error

    def _write(self, file: Path, text: str, *, mode: int) -> None:
        try:
            replace(file, text.encode("utf-8", "surrogatepass"), mode=mode)
            sync(file, self.path)
        except OSError as error:
            raise StoreFault("disk", f"{file.name} cannot be written ({error}); what was there is kept") from error

    # ------------------------------------------------------------------------------------------ stopping

    def request_stop(self) -> None:
        """Ask the run, from any process, to stop after what is in flight."""
        self._stop.touch()

    def stop_requested(self) -> bool:
        """Whether somebody asked. Cheap enough to be asked between any two steps."""
        return self._stop.exists()

    def clear_stop(self) -> None:
        """Forget the request: a run that starts again means to run."""
        try:
            self._stop.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{self._stop} cannot be removed ({error.strerror}); remove it, and run again") from error

    @property
    def _stop(self) -> Path:
        return self.path / "stop.request"

    # ------------------------------------------------------------------------------------------ one writer

    def running(self) -> bool:
        """Whether a process works on this run: it holds the lock for as long as it lives. Nothing is written."""
        file = self.path / "run.lock"
        try:
            handle = os.open(file, os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise UsageError(f"{file} cannot be read ({error.strerror}); ask its owner whether it runs") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only process that writes here. The lock goes with the process, however that ends."""
        file = self.path / "run.lock"
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"{file} cannot be written ({error.strerror}); choose a folder of your own") from error
        try:
            _take(handle, self.path)
            try:
                yield
            finally:  # said and not left to the close: a program being started still holds the file for a moment
                fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            os.close(handle)  # and the file stays: another process may have it open to ask for the lock


def prepare(path: Path, *, mounts: str | None = None) -> RunDirectory:
    """Create the folder of a run, or open the one that is there; raises `UsageError` when it cannot be one."""
    refuse_network(path, mounts)
    try:
        path.mkdir(parents=True, exist_ok=True)
        names = _names(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be used ({error.strerror}); choose an empty or new folder") from error
    foreign = [name for name in names if not name.startswith(PASSING)]
    if foreign and not _is_run(names):
        raise UsageError(
            f"{path} is not a run directory: holds {_some(_strange(foreign))}; choose an empty or new folder"
        )
    return RunDirectory(path)


def existing(path: Path) -> RunDirectory:
    """The folder of a run that is there, to read it or to ask it to stop; raises `UsageError` when it is none."""
    try:
        names = _names(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); give the folder of a run") from error
    if not _is_run(names):
        raise UsageError(f"{path} is not a run directory: holds {_some(names)}; give the folder of a run")
    return RunDirectory(path)


def _names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def _is_run(names: list[str]) -> bool:
    begun = [name for name in names if not name.startswith(PASSING)]
    return JOURNAL in names or ("run.lock" in begun and set(begun) <= set(BEFORE_IT))


def _strange(names: list[str]) -> list[str]:
    """What a run would not have left before its journal; all of it where that is everything."""
    return [name for name in names if name not in BEFORE_IT] or names


def _some(names: list[str]) -> str:
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (", ".join(map(repr, names[:3])) or "nothing") + rest


def _take(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path} is in use by {_holder(handle)}; wait for it, or stop it: rung stop {path}") from None
    owner = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
    os.ftruncate(handle, 0)
    os.pwrite(handle, owner.encode(), 0)


def _holder(handle: int) -> str:
    try:
        owner = json.loads(os.pread(handle, 4096, 0))
        return f"process {owner['pid']} on {owner['host']}"
    except (ValueError, KeyError, TypeError):  # it has the lock and has not signed yet
        return "another process"
