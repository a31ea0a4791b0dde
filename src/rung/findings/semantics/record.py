"""The proposals of a study, and what every lineage's state consisted of after each change, from its journal.

What a method says of its change (`opinions` in the manifest, or `changes`, its edit records) is taken where it says
something, and the difference of the states for the rest, so a method that says nothing has its proposals too:

    an opinion whose words stand in the candidate     a proposal there
    an opinion that tells of a change in code         a proposal at the files it names; what came there is part of it
    what came and no opinion speaks of                a proposal each
    what was left out as a copy, or for want of room  a proposal that was recorded and never stood
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from rung.core.ports import Journal
from rung.findings.artifacts import BYPRODUCT, UNCLASSED, artifacts
from rung.findings.semantics.changes import Changed, difference
from rung.findings.semantics.pieces import Piece, cut, is_kept, key_of, sentences
from rung.findings.semantics.surface import CODE, SETTINGS, looks_like_code, surface
from rung.findings.semantics.values import Earlier, Held, Operation, Proposal
from rung.findings.sessions import Left, working
from rung.store.snapshots import KIND

SEVERAL = "several"
"""The game of what was learnt from more than one."""
CATEGORIES = {"exploring": "exploration"}
"""Capabilities of families that labels call otherwise."""

PHANTOM = "phantom"
"""What the kind of a scripted agent begins with: what it learns is a number, and proposes nothing."""
MOST_AT_ONCE, MOST_IN_SESSION = 200, 2_000
"""Proposals of one candidate, and of a program's session, that are looked at; of megabytes the rest is counted."""
MOST_STANDING = 4_000
"""Pieces that a proposal is held against, the last ones of a larger state."""
LEAST_LINE = 8
"""Characters from which a line is looked for within what came."""

_REMOVES = frozenset(("retract", "delete", "remove", "removed", "drop", "rollback"))
_REVISES = frozenset(("revise", "update", "merge", "edit", "improvement", "replace", "modify"))
_TEXTS = ("text", "description", "opinion", "content")
_FILES = ("path", "file", "files", "paths")

Fate: TypeAlias = Literal["adopted", "rejected", "copy", "full"]
"""What became of a proposal at once: taken over with its candidate, or not, or never put in."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A proposal as it was made: by whom, after which attempt, and what became of it.

    It stands in a state in which one of its `keys` does. `told` says that it is a method's own account of its change.
    """

    proposal: Proposal
    arm: str
    lineage: int
    place: int
    candidate: int
    after: str
    fate: Fate
    keys: frozenset[str]
    told: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """The state of a lineage after a refinement: the keys of all its pieces. Place 0 is A_0."""

    place: int
    keys: frozenset[str] = field(repr=False)
    pieces: tuple[Piece, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Line:
    """One lineage: its states in order, the proposals in it, and how many pieces its changes took out.

    `passed_over` proposals are beyond what is looked at.
    """

    arm: str
    lineage: int
    steps: tuple[Step, ...]
    recorded: tuple[Recorded, ...]
    removed: int
    passed_over: int = 0


def lines(journal: Journal) -> tuple[Line, ...]:
    """Every lineage in which something was refined, by a method or by a program itself, in key order."""
    return (*_Reader(journal).lines(), *_programs(journal))


def categories(journal: Journal) -> Mapping[str, str]:
    """The category of each game of a study."""
    families = cast("Mapping[str, Mapping[str, Any]]", journal.get("plan", "families") or {})
    return {game: CATEGORIES.get(each["capability"], each["capability"]) for game, each in families.items()}


# --------------------------------------------------------------------------------------------- methods


class _Reader:
    """Reads the refinements of a journal; files that did not change are cut once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._cut: dict[tuple[str, str], tuple[Piece, ...]] = {}
        self._categories = categories(journal)
        config = cast("Mapping[str, Any]", journal.get("plan", "config") or {})
        arms = cast("Sequence[Mapping[str, Any]]", config.get("arms", ()))
        self._methods = {arm["name"]: arm["method"]["name"] for arm in arms}
        self._scripted = {arm["name"] for arm in arms if str(arm.get("agent", {}).get("kind")).startswith(PHANTOM)}

    def lines(self) -> Iterator[Line]:
        made: dict[tuple[str, int], list[str]] = defaultdict(list)
        for fact in self._journal.facts(kind="refined"):
            parts = fact.path.split("/")
            if _arm_of(parts[0]) not in self._scripted:
                made[parts[0], int(parts[1].removeprefix("L"))].append(fact.path)
        for (arm, lineage), paths in made.items():
            yield self._line(arm, lineage, sorted(paths, key=_place))

    def _line(self, arm: str, lineage: int, paths: Sequence[str]) -> Line:
        start = self._get(paths[0], "served")["snapshot"]
        steps = [self._step(0, start)]
        known = {each.key: f"A_0/{number}" for number, each in enumerate(steps[0].pieces, 1)}
        recorded: list[Recorded] = []
        removed = passed_over = 0
        for path in paths:
            taken = self._get(path, "selected").get("chosen")
            found = [self._candidate(path, number, each, known, taken) for number, each in enumerate(self._of(path))]
            for number, (proposals, went, over) in enumerate(found):
                recorded += proposals
                removed += went if number == taken else 0
                passed_over += over
            for each in (each for proposals, _, _ in found for each in proposals if each.fate == "adopted"):
                known |= {key: each.proposal.id for key in each.keys if key not in known}
            steps.append(self._step(_place(path), self._get(path, "selected").get("snapshot", start)))
        return Line(arm, lineage, tuple(steps), tuple(recorded), removed, passed_over)

    def _of(self, path: str) -> Sequence[Mapping[str, Any]]:
        return cast("Sequence[Mapping[str, Any]]", self._get(path, "refined").get("candidates", ()))

    def _get(self, path: str, kind: str) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self._journal.get(path, kind) or {})

    def _step(self, place: int, snapshot: str) -> Step:
        found = self._pieces(snapshot)
        return Step(place, frozenset(each.key for each in found), found)

    def _pieces(self, snapshot: str) -> tuple[Piece, ...]:
        files = cast("Mapping[str, Any]", self._get(f"{KIND}/{snapshot}", KIND)["files"])
        return tuple(piece for path in sorted(files) if is_kept(path) for piece in self._file(path, files[path]))

    def _file(self, path: str, digest: str) -> tuple[Piece, ...]:
        if (path, digest) not in self._cut:
            self._cut[path, digest] = tuple(cut(path, self._journal.read_blob(digest)))
        return self._cut[path, digest]

    def _candidate(
        self, path: str, number: int, candidate: Mapping[str, Any], known: Mapping[str, str], taken: int | None
    ) -> tuple[list[Recorded], int, int]:
        """The proposals of one candidate, how many pieces it took out, and how many proposals are passed over."""
        served = self._get(path, "served")
        before = self._pieces(served["snapshot"])
        found = difference(before, self._pieces(candidate["snapshot"]))
        manifest = candidate["manifest"] if isinstance(candidate["manifest"], Mapping) else {}
        drafts = _drafts(manifest, found.came)
        parts = path.split("/")
        game = str(served["family"])
        about = _About(
            parts[0],
            int(parts[1].removeprefix("L")),
            _place(path),
            number,
            path,
            game,
            self._categories.get(game, ""),
            str(self._methods.get(_arm_of(parts[0]), "")),
        )
        standing = tuple(Earlier(known.get(each.key, "A_0"), each.text) for each in before[-MOST_STANDING:])
        made = about.recorded(drafts[:MOST_AT_ONCE], standing, taken=number == taken)
        return made, len(found.went), max(0, len(drafts) - MOST_AT_ONCE)


def _arm_of(name: str) -> str:
    """The arm that a lineage is of: exploring names a lineage by its game as well, `history.trust-v1`."""
    return name.partition(".")[0]


def _place(path: str) -> int:
    return int(path.split("/")[3])


@dataclass(frozen=True, slots=True)
class _Draft:
    """A proposal before it knows what it is held against."""

    text: str
    path: str | None
    operation: Operation = "add"
    before: str | None = None
    keys: frozenset[str] = frozenset()
    fate: Fate | None = None
    told: bool = False


@dataclass(frozen=True, slots=True)
class _About:
    """Where proposals come from."""

    arm: str
    lineage: int
    place: int
    candidate: int
    path: str
    game: str
    category: str
    method: str

    def recorded(self, drafts: Sequence[_Draft], standing: tuple[Earlier, ...], *, taken: bool) -> list[Recorded]:
        """The drafts as proposals, each held against what stood and against those before it."""
        found: list[Recorded] = []
        said: list[Earlier] = []
        for number, each in enumerate(drafts, 1):
            name = f"{self.arm}/L{self.lineage}/{self.place:04d}.{self.candidate}.{number}"
            proposal = Proposal(
                name,
                self.game,
                self.category,
                self.method,
                each.path,
                each.operation,
                each.text,
                each.before,
                Held(standing, said, len(said)),
            )
            said.append(Earlier(name, each.text))
            fate = each.fate or ("adopted" if taken else "rejected")
            whose = (self.arm, self.lineage, self.place, self.candidate, self.path)
            found.append(Recorded(proposal, *whose, fate, each.keys, each.told))
        return found


def _drafts(manifest: Mapping[str, Any], came: Sequence[Changed]) -> list[_Draft]:
    """What a manifest says and what came, each thing once."""
    there = {each.piece.key: each for each in came}
    found = [draft for opinion in _opinions(manifest) for draft in _of_opinion(opinion, manifest, there)]
    drafts = [draft for draft in found if draft.told]
    spoken = {key for draft in drafts for key in draft.keys}
    for draft in found:
        if not draft.told and not draft.keys <= spoken:
            drafts.append(draft)
            spoken |= draft.keys
    for each in came:
        if each.piece.key not in spoken:
            spoken.add(each.piece.key)
            drafts.append(_of_change(each))
    drafts += [_Draft(text, None, fate="copy") for text in _left_out(manifest, "duplicates")]
    return [*drafts, *(_Draft(text, None, fate="full") for text in _left_out(manifest, "full"))]


def _of_change(change: Changed) -> _Draft:
    before = change.before.text if change.before is not None else None
    operation: Operation = "add" if before is None else "revise"
    return _Draft(change.piece.text, change.piece.path, operation, before, frozenset((change.piece.key,)))


def _opinions(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for key in ("opinions", *(() if manifest.get("derived") else ("changes",))):  # derived: nobody said them
        rows = manifest.get(key)
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, Mapping) or (isinstance(row, str) and row.strip()):
                yield row if isinstance(row, Mapping) else {"text": row}


def _of_opinion(
    opinion: Mapping[str, Any], manifest: Mapping[str, Any], there: Mapping[str, Changed]
) -> Iterator[_Draft]:
    text = next((str(opinion[key]) for key in _TEXTS if isinstance(opinion.get(key), str)), "").strip()
    word = str(opinion.get("op", opinion.get("operation", opinion.get("type", "add")))).casefold()
    if not text or word in _REMOVES:
        return
    there_already = [found for part in sentences(text) if (found := _standing(part, there)) is not None]
    if there_already or opinion.get("id") in _named(manifest):  # under a file's name stands a line of its difference
        yield from map(_of_change, there_already)
        return
    files = _named(opinion) or _named(manifest)
    mine = [
        each
        for each in there.values()
        if _runs(each.piece) and (not files or any(_is_at(each.piece.path, name) for name in files))
    ]
    if not mine:  # it tells of no change that was made, or of one that speaks for itself
        return
    before = opinion.get("before")
    old = str(before) if isinstance(before, str) and word in _REVISES else None
    keys = frozenset(each.piece.key for each in mine)
    yield _Draft(text, mine[0].piece.path, "add" if old is None else "revise", old, keys, told=True)


def _runs(piece: Piece) -> bool:
    """Whether a piece is code or a setting, which an account tells better than it tells itself; prose needs none."""
    return surface(piece.path, piece.text) != "contextual artifact" and (
        looks_like_code(piece.text) or (CODE.search(piece.path) or SETTINGS.search(piece.path)) is not None
    )


def _standing(text: str, there: Mapping[str, Changed]) -> Changed | None:
    """The change that brought a text, or that it is a line of."""
    key = key_of(text)
    if key in there or len(key) < LEAST_LINE:
        return there.get(key)
    return next((each for whole, each in there.items() if key in whole), None)


def _named(row: Mapping[str, Any]) -> list[str]:
    """The files that an opinion or a manifest names."""
    for key in _FILES:
        value = row.get(key)
        if isinstance(value, str) and value:
            return [value]
        if isinstance(value, list) and value:
            return [str(each) for each in value]
    return []


def _is_at(path: str, name: str) -> bool:
    """Whether a file of a state is the one that a method names, which may leave out the part it lies in."""
    return path == name or path.endswith(f"/{name.removeprefix('./')}")


def _left_out(manifest: Mapping[str, Any], key: str) -> Iterator[str]:
    rows = manifest.get(key)
    for row in rows if isinstance(rows, list) else ():
        text = row.get("text") if isinstance(row, Mapping) else row
        if isinstance(text, str) and text.strip():
            yield text.strip()


# --------------------------------------------------------------------------------------------- programs


def _programs(journal: Journal) -> Iterator[Line]:
    """The lineages of a cell: one working session each, of which the homes before and after are known."""
    games = categories(journal)
    game = next(iter(games)) if len(games) == 1 else SEVERAL
    for session in working(journal):
        if session.left is None or session.lineage is None:
            continue
        before, after = (_of_home(journal, left, session.program) for left in (session.began, session.left))
        found = difference(before, after)
        category = games.get(game, "")
        about = _About(session.who, session.lineage, 1, 0, session.path, game, category, session.program.split(" ")[0])
        named = [Earlier(f"A_0/{number}", each.text) for number, each in enumerate(before, 1)]
        drafts = [_of_change(each) for each in found.came]
        made = about.recorded(drafts[:MOST_IN_SESSION], tuple(named[-MOST_STANDING:]), taken=True)
        steps = [Step(n, frozenset(each.key for each in some), some) for n, some in enumerate((before, after))]
        over = max(0, len(drafts) - MOST_IN_SESSION)
        yield Line(session.who, session.lineage, tuple(steps), tuple(made), len(found.went), over)


def _of_home(journal: Journal, left: Left, program: str) -> tuple[Piece, ...]:
    """The pieces of a program's own files, and of what its harness reads by itself."""
    return tuple(
        piece
        for artifact in artifacts(journal, left, program).values()
        if artifact.kind in ("files", UNCLASSED) or (artifact.entry and artifact.kind != BYPRODUCT)
        for piece in cut(artifact.path, artifact.text(journal).encode())
    )
