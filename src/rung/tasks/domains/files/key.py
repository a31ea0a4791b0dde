"""What only the instrument knows of a user's own tasks: the answers that are known, and that 1 is the most there is."""

from collections.abc import Mapping
from dataclasses import dataclass

from rung.core.canonical import fingerprint
from rung.core.ports import Actor
from rung.core.values import Action, Call, Reference, Task, View
from rung.tasks.domains.files.checks import Exact, Number
from rung.tasks.domains.files.lines import Book

SOLVER = "files-1"
NOTHING_KNOWN = "I do not know."
"""What a newcomer says, and a solver where no answer is known."""


@dataclass(frozen=True, slots=True)
class Says:
    """A policy of one text."""

    text: str

    async def act(self, view: View) -> Action:
        """The text, as the one call there is."""
        return Action(Call("answer", {"text": self.text}))


class FilesKey:
    """The key of one file."""

    def __init__(self, book: Book) -> None:
        self._answers: Mapping[str, str] = book.answers
        self._spelt_out = {item.digest for item in book.items if isinstance(item.check, Exact | Number)}

    def admit(self, task: Task) -> bool:
        """Every task was written by the user, and is meant."""
        return True

    def fingerprint(self, task: Task) -> str:
        """A task's seed is the hash of its prompt and its check; this is the hash of that."""
        return fingerprint(["content", task.seed])

    def reference(self, task: Task) -> Reference:
        """Nothing can be above 1. It is reached for certain where the check spells the answer out; a person says so
        where an answer is given; and where none is known it is a bound and no more."""
        if task.seed in self._spelt_out:
            return Reference(1.0, "optimal", SOLVER, gap=0.0)
        return Reference(1.0, "gold" if task.seed in self._answers else "bound", SOLVER)

    def naive(self, task: Task) -> Actor:
        """Says the same to everything."""
        return Says(NOTHING_KNOWN)

    def solver(self, task: Task) -> Actor:
        """Says the answer that is known."""
        return Says(self._answers.get(task.seed, NOTHING_KNOWN))
