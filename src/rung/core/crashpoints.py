"""Places where a crash is interesting, by label.

The code passes them by calling `reach(label)`, which does nothing. The crash tests put a function in `hook` that
kills the process at one of them, so that "a crash cannot hurt" is tried at each place and not only claimed.
"""

from collections.abc import Callable

LABELS = (
    "journal.commit.before",
    "journal.commit.after",
    "ref.update.before",
    "ref.update.after",
    "snapshot.before",
    "snapshot.after",
    "served.before",
    "served.after",
    "reply.before",
    "reply.after",
)

MODEL_LABELS = ("call.reserved", "call.answered", "call.recorded")
"""Those that are passed where a model is called: money is set aside, an answer is there, it is on record."""

TRAINING_LABELS = ("epoch.trained", "epoch.recorded")
"""Those that are passed where weights are trained: an epoch is done, it is on record."""

HOME_LABELS = (
    "home.blob.before",
    "home.blob.after",
    "home.manifest.before",
    "home.manifest.after",
    "home.laid.before",
    "home.laid.after",
    "home.forked.before",
    "home.forked.after",
    "home.discarded.before",
    "home.discarded.after",
)
"""Those that are passed where what an agent program left is kept, laid out, forked and thrown away."""

LEG_LABELS = ("leg.began", "leg.released", "leg.ended", "leg.departed")
"""Those that are passed in a session of an agent program."""

READ_LABEL = "home.read"
"""Passed when one of its files was read, before it is asked whether the file held still."""

hook: Callable[[str], None] | None = None


def reach(label: str) -> None:
    """Pass the labelled place; free unless a test has installed a hook."""
    if hook is not None:
        hook(label)
