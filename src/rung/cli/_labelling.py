"""Labelling by a person: one proposal after the other in the terminal, nobody else's labels in sight."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

import click

from rung.cli._files import put
from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.findings.semantics.labels import Labelled, labels_from, parse, spell
from rung.findings.semantics.likeness import nearest
from rung.findings.semantics.values import BEFORE, RELATIONS, SCOPES, SURFACES, Labels, Proposal
from rung.reports.wording import clean

SHOWN = 12
"""Earlier proposals that a person is shown: those most like it, the oldest first."""
QUIT = "q"
KEYS: Mapping[str, Mapping[str, str]] = {
    "relation": {word[0]: word for word in RELATIONS},
    "scope": {word[0]: word for word in SCOPES},
    "function": {"e": "exploration", "r": "reasoning", "p": "planning", "x": "execution"},
    "surface": {word[0]: word for word in SURFACES},
}
"""The letter for each label; `x` is execution."""


class Quit(Exception):
    """The person goes; what is labelled is kept."""


def drawn(proposals: Sequence[Proposal], *, most: int, seed: str) -> tuple[Proposal, ...]:
    """So many proposals in an order drawn from the seed, each game and method in turn, with what is shown of others."""
    rng = Seed(seed).child("labelling").rng()
    groups: dict[tuple[str, str], list[Proposal]] = {}
    for each in proposals:
        groups.setdefault((each.game, each.method), []).append(each)
    for some in groups.values():
        rng.shuffle(some)
    turns = chain.from_iterable(zip_longest(*groups.values()))
    taken = [each for each in turns if each is not None][:most]
    return tuple(_with_near(taken))


def _with_near(proposals: Sequence[Proposal]) -> list[Proposal]:
    found = []
    for each, near in zip(proposals, nearest(proposals), strict=True):
        places = {one.place for one in near if one.place < len(each.earlier)}
        latest = range(len(each.earlier) - 1, -1, -1)
        kept = sorted([*places, *(place for place in latest if place not in places)][:SHOWN])
        found.append(replace(each, earlier=tuple(each.earlier[place] for place in kept)))
    return found


def opened(file: Path, who: str, proposals: Sequence[Proposal]) -> Labelled:
    """The labels so far: those of the file, or none yet of these proposals."""
    if not file.exists():
        return Labelled(who, tuple(proposals), (None,) * len(proposals))
    try:
        found = parse(file.read_text("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}); move it away to begin anew") from None
    if found.labeler != who:
        raise UsageError(f"{file} holds the labels of {found.labeler!r}, not of {who!r}; give another --file or name")
    return found


def label(labelled: Labelled, file: Path) -> Labelled:
    """Ask about every proposal that is not labelled yet. The file is written after each, so nothing is lost."""
    file.parent.mkdir(parents=True, exist_ok=True)
    put(file, spell(labelled))
    for number, (proposal, said) in enumerate(zip(labelled.proposals, labelled.labels, strict=True)):
        if said is None:
            left = sum(each is None for each in labelled.labels)
            click.echo(f"\n--- {len(labelled.labels) - left + 1} of {len(labelled.labels)}, {QUIT} to leave ---")
            try:
                labels = _asked(proposal)
            except (Quit, click.Abort):
                return labelled
            labelled = replace(labelled, labels=(*labelled.labels[:number], labels, *labelled.labels[number + 1 :]))
            put(file, spell(labelled))
    return labelled


def _asked(proposal: Proposal) -> Labels:
    for line in shown(proposal):
        click.echo(line)
    relation = _word("relation")
    of = _which(proposal) if relation != "new" else None
    scope, function, surface = _word("scope"), _letters("function"), _word("surface")
    said = {"relation": relation, "of": of, "scope": scope, "function": function, "surface": surface}
    return labels_from(said, proposal.id)


def shown(proposal: Proposal) -> list[str]:
    """What a person sees of a proposal, line by line."""
    lines = [f"game {clean(proposal.game)} ({clean(proposal.category)}), {clean(proposal.path or 'place not known')}"]
    lines += ["earlier:" if proposal.earlier else "nothing stood before it"]
    lines += [f"  {number:2} {clean(each.text)}" for number, each in enumerate(proposal.earlier, 1)]
    lines += [f"it takes the place of (b): {clean(proposal.before)}"] if proposal.before is not None else []
    return [*lines, f"proposal: {clean(proposal.text)}"]


def _word(question: str) -> str:
    return _letters(question, several=False)[0]


def _letters(question: str, *, several: bool = True) -> list[str]:
    """The labels that somebody's letters stand for; asked again until they stand for some."""
    keys = KEYS[question]
    words = ", ".join(f"{letter} {word}" for letter, word in keys.items())
    while True:
        said = str(click.prompt(f"{question} ({words})", prompt_suffix=": ")).strip().lower().replace(" ", "")
        if said == QUIT:
            raise Quit
        letters = list(dict.fromkeys(said))
        if letters and all(each in keys for each in letters) and (several or len(letters) == 1):
            return [keys[each] for each in letters]
        click.echo(f"  {'some' if several else 'one'} of {', '.join(keys)}, seen {clean(said)!r}")


def _which(proposal: Proposal) -> str | None:
    choices = {str(number): each.id for number, each in enumerate(proposal.earlier, 1)}
    choices |= {"b": BEFORE} if proposal.before is not None else {}
    while choices:
        said = str(click.prompt("of which (its number)")).strip().lower()
        if said == QUIT:
            raise Quit
        if said in choices:
            return choices[said]
        click.echo(f"  one of {', '.join(choices)}, seen {clean(said)!r}")
    return None
