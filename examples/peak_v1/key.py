"""What only the instrument knows of the game: what can be reached in a task, and two players."""

from rung.core.canonical import fingerprint
from rung.core.seeds import Seed
from rung.core.values import Action, Reference, Task, View

from .game import peak_of  # relative, so that the folder can be renamed


class Guess:
    """A player that answers with one text; `Action(Call(...))` is as good."""

    def __init__(self, place: int) -> None:
        self.text = str(place)

    async def act(self, view: View) -> Action:
        return Action(self.text)


class PeakKey:
    """The key: imported by no agent, no method and no game.py."""

    def admit(self, task: Task) -> bool:
        """Whether a drawn task is a good one; where it is not, another is drawn. A function of the task alone."""
        return task.payload["left"] != task.payload["right"]  # else the middle, which a newcomer says, is right

    def fingerprint(self, task: Task) -> str:
        """Equal for equal problems, whatever their seed: made of all that the problem is, and of no more."""
        return fingerprint(dict(task.payload))

    def reference(self, task: Task) -> Reference:
        """The score to hold an agent's against, and what is known of it: 1 is proven to be the best."""
        return Reference(1.0, "optimal", "peak-ends-1", gap=0.0)

    def naive(self, task: Task) -> Guess:
        """A newcomer who knows the rules and nothing more says the middle."""
        return Guess(int(str(task.payload["width"])) // 2)

    def solver(self, task: Task) -> Guess:  # reaches the reference on every admitted task
        return Guess(peak_of(Seed(task.seed), int(str(task.payload["width"]))))


KEY = PeakKey()
