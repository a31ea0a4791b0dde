"""An image for a real engine, made of this machine's own Python: nothing is fetched from anywhere."""

import io
import subprocess
import tarfile
from pathlib import Path

IMAGE = "rung-test"
PROGRAMS = ("python3", "sh", "env", "yes", "true")


def answers() -> bool:
    """Whether an engine answers the docker command."""
    try:
        return subprocess.run(["docker", "version"], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def import_image() -> None:
    """Give the engine the image, if it has not got it."""
    if subprocess.run(["docker", "image", "inspect", IMAGE], capture_output=True).returncode:
        subprocess.run(["docker", "import", "-", IMAGE], input=_packed(), capture_output=True, check=True)


def _packed() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in ("bin", "lib", "lib64"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
            tar.addfile(link)
        for path in sorted(_files()):
            tar.add(path.resolve(), arcname=str(path), filter=_without_tests)
    return packed.getvalue()


def _without_tests(each: tarfile.TarInfo) -> tarfile.TarInfo | None:
    left_out = {"__pycache__", "test", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "tkinter"}
    return None if left_out & set(Path(each.name).parts) else each


def _files() -> set[Path]:
    programs = {Path("/usr/bin", name) for name in PROGRAMS}
    library = Path("/usr/lib", Path("/usr/bin/python3").resolve().name)
    needed = _libraries([*programs, *library.glob("lib-dynload/*.so")])
    return programs | {library} | needed


def _libraries(of: list[Path]) -> set[Path]:
    said = subprocess.run(["ldd", *map(str, of)], capture_output=True, text=True, check=True).stdout
    words = (word for word in said.split() if word.startswith("/lib"))
    return {Path("/usr" + word) for word in words if not word.endswith(":")}
