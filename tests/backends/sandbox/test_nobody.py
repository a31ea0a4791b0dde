"""Root and everybody else go different ways to a sandbox: what is promised must hold on both."""

import os
import subprocess
import tempfile
from pathlib import Path

from backends.sandbox import users


def test_every_promise_is_kept_for_an_unprivileged_user_as_well():
    if os.geteuid() != 0:
        return  # then all of it has been tried as such a user already
    ours = Path(__file__).parent
    files = [
        str(ours / name) for name in ("test_confined.py", "test_bubblewrap.py", "test_commands.py", "test_ahead.py")
    ]
    with tempfile.TemporaryDirectory(prefix="rung-nobody-") as folder:  # pytest's own is closed to others
        os.chown(folder, users.NOBODY, users.NOBODY)
        options = ["-q", "-p", "no:cacheprovider", f"--basetemp={folder}/base", "-k", "not unsafe"]
        command = users.command("pytest", *options, f"--rootdir={users.TESTS.parent}", *files)
        done = subprocess.run(command, env=users.environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
