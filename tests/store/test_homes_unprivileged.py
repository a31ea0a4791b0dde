"""What the tests of homes promise, root and anybody else are promised: where root runs them, nobody runs them too."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = ("test_walker.py", "test_homes.py", "test_homes_confined.py")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def test_an_unprivileged_user_has_the_same_promises():
    if os.geteuid() != 0:
        return  # then the files themselves are run by one
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, 65534, 65534)
        done = subprocess.run(
            [*NOBODY, python(), "-B", "-m", "pytest", "-p", "no:cacheprovider", *(here / file for file in FILES)],
            cwd=here.parents[1],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "HOME": home, "TMPDIR": home},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def python() -> str:
    """An interpreter of this version that nobody may start; ours may lie in a home that is shut to others."""
    system = shutil.which(f"python{sys.version_info.major}.{sys.version_info.minor}", path=os.defpath)
    for candidate in (sys.executable, system or ""):
        tried = subprocess.run([*NOBODY, "sh", "-c", 'exec "$0" -c ""', candidate], check=False, capture_output=True)
        if tried.returncode == 0:
            return candidate
    raise AssertionError(f"nobody may start neither {sys.executable} nor a system Python of its version; install one")
