"""What the journal says of a program that has gone: what was kept of its folders, whom it reached, how it ended."""

from rung.backends.network.summary import Summary
from rung.core.canonical import JSON
from rung.core.confined import Departed, Ended
from rung.protocols.vigil import Vigil
from rung.store.homes import Kept


def kept(tree: Kept) -> JSON:
    """What was kept of a tree, in numbers, and what could not be."""
    return {
        "files": tree.files,
        "folders": tree.folders,
        "links": tree.links,
        "bytes": tree.bytes,
        "findings": [{"path": each.path, "trouble": each.trouble, "detail": each.detail} for each in tree.findings],
        "more_findings": tree.more,
    }


def reached(summary: Summary) -> JSON:
    """Whom it reached or tried to, and whether the record can say so; how often and how much is an observation."""
    return {
        "incomplete": list(summary.why),
        "names": sorted({each.name for each in summary.named}),
        "bare": sorted({f"{each.proto} {each.dst} {each.port}" for each in summary.bare}),
        "asked": sorted(set(summary.asked)),
        "let_out": sum(each.sent for each in summary.named) > 0,
    }


def measured(ended: Ended, summary: Summary, vigil: Vigil) -> dict[str, JSON]:
    """What differs from one run to the next: time, bytes, packets."""
    return {
        "seconds": ended.seconds,
        "idle_seconds": vigil.idle,
        "dropped": ended.dropped,
        "forced": ended.forced,
        "enforced_by": dict(ended.enforced_by),
        "network": summary.json(),
    }


def detail(gone: Departed) -> str:
    """How it came to its end, in a line."""
    ended = gone.ended
    how = {
        "exited": f"exited with status {ended.status}",
        "signalled": f"ended by signal {ended.signal}",
    }.get(ended.reason, ended.reason.replace("_", " "))
    parts = [how if gone.asked is None else f"ended by us: {gone.asked.replace('_', ' ')}"]
    parts += [ended.why] if ended.why and gone.asked is None else []
    parts += [f"its model's last answer was {gone.statuses[-1]}"] if gone.statuses and gone.statuses[-1] != 200 else []
    parts += [f"it said {gone.words[:200]!r}"] if gone.words else []
    return "; ".join(parts)
