"""The archive: every agent that was ever made, with the improver that it brings, kept in a state as plain files.

    method/archive/nodes.jsonl    a node a line, oldest first: who made it, when, and its files by their SHA-256
    method/archive/scores.json    how many attempts were counted, which node acts, and what each node scored, and where
    method/archive/blobs/SHA      the content of files; what several nodes have is kept once

A node is an agent (`agent/`) and its improver (`method/improver/`) together. No score changes a line of a node, so
`git blame` tells when each came. Files that somebody else has edited are read as far as they hold nodes; where they
hold none, the archive begins anew with what acts now as its root.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rung.core.canonical import JSON, canonical, sha256
from rung.core.values import State

IMPROVER = "method/improver/"
NODES = "method/archive/nodes.jsonl"
SCORES = "method/archive/scores.json"
FOLDER, BLOBS = "method/archive/", "method/archive/blobs/"
ROOT = "n0"
MAX_BYTES = 4 << 20
"""Bytes of the content of all nodes together."""

_NAME = re.compile(r"n(0|[1-9][0-9]{0,6})")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Measured:
    """One attempt of a node: family and setting, and its score there."""

    bucket: str
    score: float


@dataclass(frozen=True, slots=True)
class Node:
    """One agent with its improver.

    `born` is the number of attempts before it was made. Of a node that may not be a `parent` any more, `unfit` says
    why: its improver failed. It may act all the same.
    """

    id: str
    parent: str | None
    born: int
    files: Mapping[str, str] = field(hash=False)
    unfit: str = ""

    def line(self) -> str:
        """The record as its line."""
        return canonical(
            {"born": self.born, "files": self.files, "id": self.id, "parent": self.parent, "unfit": self.unfit}
        )


@dataclass(frozen=True, slots=True)
class Archive:
    """All nodes, oldest first; which of them acts; how many attempts were counted; and the scores of each node."""

    nodes: tuple[Node, ...]
    acting: str = ROOT
    counted: int = 0
    scores: Mapping[str, tuple[Measured, ...]] = field(default_factory=dict, hash=False)

    def node(self, name: str) -> Node:
        """The node of this name."""
        return next(each for each in self.nodes if each.id == name)

    def children(self, name: str) -> int:
        """How many nodes were made from this one."""
        return sum(each.parent == name for each in self.nodes)

    def measured(self, name: str) -> tuple[Measured, ...]:
        """What a node scored so far."""
        return self.scores.get(name, ())

    def with_attempts(self, seen: Sequence[Measured | None], total: int) -> "Archive":
        """The archive once it counts these attempts of the node that acts; one without a score counts for nothing."""
        found = tuple(each for each in seen if each is not None)
        scores = {**self.scores, self.acting: (*self.measured(self.acting), *found)} if found else self.scores
        return replace(self, counted=total, scores=scores)

    def with_child(self, files: Mapping[str, bytes], parent: str, *, unfit: str = "") -> tuple["Archive", Node]:
        """The archive with one node more, and the node. It does not act yet."""
        number = 1 + max(int(each.id[1:]) for each in self.nodes)
        digests = {path: sha256(data) for path, data in sorted(files.items())}
        node = Node(f"n{number}", parent, self.counted, digests, unfit)
        return replace(self, nodes=(*self.nodes, node)), node

    def marked_unfit(self, name: str, why: str) -> "Archive":
        """The archive in which a node may not be a parent any more."""
        marked = tuple(replace(each, unfit=why) if each.id == name else each for each in self.nodes)
        return replace(self, nodes=marked)


def own(state: State) -> Mapping[str, bytes]:
    """The files of a state that make up a node: the agent and its improver."""
    return {path: data for path, data in state.files.items() if path.startswith(("agent/", IMPROVER))}


# --------------------------------------------------------------------------------------------- bounds


def within(archive: Archive, values: Mapping[str, float], most: int, sizes: Mapping[str, int]) -> Archive:
    """The archive with at most so many nodes and MAX_BYTES of content; `sizes` are bytes by SHA-256.

    What goes is neither the root, nor acts, nor came last: those without an improver that runs first, then the least
    valued, the oldest among equals. What was made from it counts as made from its parent.
    """
    nodes = list(archive.nodes)
    staying = {ROOT, archive.acting, nodes[-1].id}
    while len(nodes) > most or _bytes(nodes, sizes) > MAX_BYTES:
        going = [each for each in nodes if each.id not in staying]
        if not going:
            break
        gone = min(going, key=lambda each: (not each.unfit, values.get(each.id, 0.0)))
        nodes = [
            replace(each, parent=gone.parent) if each.parent == gone.id else each for each in nodes if each != gone
        ]
    names = {each.id for each in nodes}
    scores = {name: found for name, found in archive.scores.items() if name in names}
    return replace(archive, nodes=tuple(nodes), scores=scores)


def _bytes(nodes: Sequence[Node], sizes: Mapping[str, int]) -> int:
    return sum(sizes.get(digest, 0) for digest in {digest for each in nodes for digest in each.files.values()})


# --------------------------------------------------------------------------------------------- the files


def read(state: State) -> Archive:
    """The archive of a state; one with what acts now as its root, where none can be read."""
    nodes = tuple(_nodes(state))
    if not nodes or nodes[0].id != ROOT:
        return Archive((_root(state),))
    about = _json(state.files.get(SCORES, b""))
    names = {each.id for each in nodes}
    acting, counted = about.get("acting"), about.get("counted")
    return Archive(
        nodes,
        acting=acting if isinstance(acting, str) and acting in names else ROOT,
        counted=counted if isinstance(counted, int) and not isinstance(counted, bool) and counted >= 0 else 0,
        scores=_scores(about.get("scores"), names),
    )


def _root(state: State) -> Node:
    return Node(ROOT, None, 0, {path: sha256(data) for path, data in sorted(own(state).items())})


def _nodes(state: State) -> Iterator[Node]:
    """The nodes whose files are all there, each after its parent."""
    known: set[str] = set()
    for line in state.files.get(NODES, b"").decode("utf-8", "replace").split("\n"):
        node = _node(line)
        whole = node is not None and node.id not in known and (node.parent is None) == (node.id == ROOT)
        if node is None or not whole or (node.parent is not None and node.parent not in known):
            continue
        if all(f"{BLOBS}{digest}" in state.files for digest in node.files.values()):
            known.add(node.id)
            yield node


def _node(line: str) -> Node | None:
    record = _json(line.encode())
    name, parent, born, files, unfit = (record.get(key) for key in ("id", "parent", "born", "files", "unfit"))
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        return None
    if not (parent is None or (isinstance(parent, str) and _NAME.fullmatch(parent))):
        return None
    if not (isinstance(born, int) and isinstance(unfit, str) and isinstance(files, dict)):
        return None
    if not all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in files.values()):
        return None
    if not all(path.startswith(("agent/", IMPROVER)) for path in files):
        return None
    return Node(name, parent, born, files, unfit)


def _scores(found: object, names: set[str]) -> Mapping[str, tuple[Measured, ...]]:
    if not isinstance(found, Mapping):
        return {}
    return {
        name: tuple(
            Measured(pair[0], float(pair[1]))
            for pair in pairs
            if isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], int | float)
        )
        for name, pairs in found.items()
        if name in names and isinstance(pairs, list)
    }


def _json(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def files_of(state: State, node: Node) -> Mapping[str, bytes]:
    """The content of a node's files. The root of an archive that was never written is what the state holds."""
    if any(f"{BLOBS}{digest}" not in state.files for digest in node.files.values()):
        return own(state)
    return {path: state.files[f"{BLOBS}{digest}"] for path, digest in node.files.items()}


def write(state: State, archive: Archive, made: Mapping[str, bytes], values: Mapping[str, float], most: int) -> State:
    """The state in which the archive's acting node acts, with at most so many nodes; `made` are a new one's files."""
    contents = {path.removeprefix(BLOBS): data for path, data in state.files.items() if path.startswith(BLOBS)}
    contents |= {sha256(data): data for data in (*own(state).values(), *made.values())}
    bounded = within(archive, values, most, {digest: len(data) for digest, data in contents.items()})
    needed = {digest for node in bounded.nodes for digest in node.files.values()}
    about: JSON = {
        "acting": bounded.acting,
        "counted": bounded.counted,
        "scores": {name: [[each.bucket, each.score] for each in found] for name, found in bounded.scores.items()},
    }
    lines = "".join(f"{each.line()}\n" for each in bounded.nodes)
    others = {path: data for path, data in state.files.items() if not path.startswith(("agent/", IMPROVER, FOLDER))}
    return State(
        {
            **others,
            **{path: contents[digest] for path, digest in bounded.node(bounded.acting).files.items()},
            **{f"{BLOBS}{digest}": contents[digest] for digest in sorted(needed)},
            NODES: lines.encode(),
            SCORES: canonical(about).encode() + b"\n",
        }
    )
