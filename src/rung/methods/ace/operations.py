"""What becomes of a playbook: tags are counted, operations done, copies left out, the budget kept. All of it pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rung.core.canonical import JSON
from rung.methods._likeness import alike
from rung.methods.ace.answers import Add, Delete, Merge, Operation, Tag, Update
from rung.methods.ace.playbook import Bullet, Count, Playbook, tokens

MOST_BULLETS = 4_000
"""With so many the files beside the playbook stay below the size that a file of a state may have."""

WORN = 2
"""So often a bullet must have harmed, and no less than it helped, to be dropped first."""

WON, LOST = 5, 2
"""A bullet that helped more often than the first, and harmed less often than the second, is said to do well."""

_COUNTS: Mapping[Tag, Count] = {"helpful": Count(helpful=1), "harmful": Count(harmful=1), "neutral": Count()}


@dataclass(slots=True)
class Change:
    """A playbook on its way from one state to the next, and what is said of it (`opinions`)."""

    playbook: Playbook
    opinions: list[JSON] = field(default_factory=list)
    duplicates: list[JSON] = field(default_factory=list)
    full: list[JSON] = field(default_factory=list)
    dropped: int = 0

    def add(self, bullet: Add, likeness: float | None) -> None:
        """One bullet more, unless one there is says the same."""
        texts = [each.text for each in self.playbook.bullets]
        twin = alike(bullet.text, texts, likeness) if likeness is not None else None
        if twin is not None:
            self.duplicates.append({"text": bullet.text, "of": self.playbook.bullets[twin].id})
            return
        self.playbook = self.playbook.added(bullet.section, bullet.text)
        self.opinions.append({"op": "add", "id": self.playbook.bullets[-1].id, "text": bullet.text})

    def reword(self, name: str, text: str) -> None:
        """Another text in the place of a bullet's."""
        before = self.playbook.by_id()[name].text
        if before != text:
            self.playbook = self.playbook.reworded(name, text)
            self.opinions.append({"op": "revise", "id": name, "target_id": name, "text": text, "before": before})

    def retract(self, name: str, why: str) -> None:
        """A bullet less."""
        text = self.playbook.by_id()[name].text
        self.playbook = self.playbook.without(name)
        self.opinions.append({"op": "retract", "id": name, "target_id": name, "text": text, "why": why})

    def merge(self, names: Sequence[str], text: str) -> None:
        """The oldest of several takes the text and all their counts, and the others go."""
        by_id = self.playbook.by_id()
        first, *others = sorted(names, key=lambda name: by_id[name].number)
        for name in others:
            self.playbook = self.playbook.counted(first, self.playbook.count(by_id[name]))
            self.retract(name, f"merged into {first}")
        self.reword(first, text)

    def do(self, operation: Operation, likeness: float | None) -> None:
        """One operation."""
        match operation:
            case Add():
                self.add(operation, likeness)
            case Update(name, text):
                self.reword(name, text)
            case Merge(names, text):
                self.merge(names, text)
            case Delete(name, why):
                self.retract(name, why)

    def keep_within(self, budget: int) -> None:
        """Drop bullets until the playbook is within so many tokens: the worst first, see `_next_to_go`."""
        while _beyond(self.playbook, budget):
            bullet, why = _next_to_go(self.playbook)
            self.retract(bullet.id, why)
            self.dropped += 1

    def stop_at(self, budget: int, before: Playbook) -> None:
        """Take back the newest additions until the playbook is within so many tokens."""
        known = before.by_id()
        while _beyond(self.playbook, budget) and self.playbook.bullets[-1].id not in known:
            bullet = self.playbook.bullets[-1]
            self.playbook = self.playbook.without(bullet.id)
            self.opinions = [each for each in self.opinions if not _adds(each, bullet.id)]
            self.full.append({"text": bullet.text})


def _beyond(playbook: Playbook, budget: int) -> bool:
    many = len(playbook.bullets)
    return many > 0 and (many > MOST_BULLETS or tokens(playbook) > budget)


def _adds(opinion: JSON, name: str) -> bool:
    return isinstance(opinion, Mapping) and opinion["id"] == name


def _next_to_go(playbook: Playbook) -> tuple[Bullet, str]:
    """Who goes next: the most harmful of those that did harm, else the oldest unused, else the least helpful."""
    count = playbook.count
    worn = [each for each in playbook.bullets if count(each).harmful >= max(WORN, count(each).helpful)]
    if worn:
        return max(worn, key=lambda each: count(each).harmful - count(each).helpful), "over budget: it did harm"
    unused = [each for each in playbook.bullets if not count(each).used and not count(each).helpful]
    if unused:
        return unused[0], "over budget: it was not used"
    return min(playbook.bullets, key=lambda each: count(each).helpful - count(each).harmful), "over budget"


def tagged(playbook: Playbook, tags: Mapping[str, Tag], used: Sequence[str]) -> Playbook:
    """With what was said to have helped or harmed, and with what was used, counted."""
    for name, tag in tags.items():
        playbook = playbook.counted(name, _COUNTS[tag])
    for name in used:
        playbook = playbook.counted(name, Count(used=1))
    return playbook


def statistics(playbook: Playbook, budget: int) -> str:
    """What the curator is told of a playbook, in lines of nearly equal length however large it is."""
    counts = [playbook.count(each) for each in playbook.bullets]
    well = sum(each.helpful > WON and each.harmful < LOST for each in counts)
    badly = sum(each.harmful >= each.helpful > 0 for each in counts)
    unused = sum(not each.used for each in counts)
    return (
        f"{len(counts)} notes: {well} do well, {badly} do as much harm as good, {unused} were never used.\n"
        f"About {tokens(playbook)} of {budget} tokens."
    )
