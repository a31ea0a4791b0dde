"""From an edited desk to a candidate with its manifest, or to why there is none."""

from collections.abc import Mapping, Sequence
from itertools import islice

from rung.core.canonical import JSON
from rung.core.ports import RefineContext
from rung.core.values import Candidate, Skipped, State
from rung.methods._kernel.desk import Desk
from rung.methods._kernel.session import Session

MOST_OPINIONS = 80
MOST_RECORDS = 200
MAX_OPINION = 500
"""Characters of an opinion that was read from a difference."""


def candidate(
    context: RefineContext,
    desk: Desk,
    session: Session,
    about: Mapping[str, JSON],
    *,
    beside: Mapping[str, bytes] | None = None,
) -> Sequence[Candidate]:
    """The desk as one candidate, with what was edited and refused in its manifest; `Skipped` where nothing changed.

    `beside` are files of the method's own that go into the state with it. However the session ended, what was edited
    stands; a method that wants it finished looks at `session.ended` first.
    """
    changes = desk.changes()
    if not changes:
        return Skipped(_why(desk, session), {**about, **_worked(desk, session)})
    manifest: dict[str, JSON] = {
        "evidence": [context.feedback.id],
        "files": sorted(changes),
        "opinions": opinions(desk),
        **about,
        **_worked(desk, session),
    }
    return [Candidate(context.snapshot, State({**desk.files, **(beside or {})}), manifest)]


def _worked(desk: Desk, session: Session) -> dict[str, JSON]:
    """What was edited and refused, and how the session went."""
    return {
        "edits": desk.records[:MOST_RECORDS],
        "refused": desk.refusals[:MOST_RECORDS],
        "session": session.to_json(),
    }


def _why(desk: Desk, session: Session) -> str:
    reasons = [*session.sent_back, *(str(each["why"]) for each in desk.refusals if isinstance(each, Mapping))]
    refused = f"; refused: {'; '.join(reasons)}" if reasons else ""
    return f"nothing was edited: the session ended by {session.ended} after {session.turns} turns{refused}"


def opinions(desk: Desk) -> list[JSON]:
    """The lines that were added and taken away, as opinions."""
    return [{**each, "text": str(each["text"])[:MAX_OPINION]} for each in islice(desk.hunks(), MOST_OPINIONS)]
