"""What an agent meets of a user's own tasks: a prompt, and one answer in text.

The payload is the prompt. A task's seed is the hash of its prompt and its check, so a task is the same wherever it is
drawn, and another when either was edited. The checks stay here, and are asked when an episode is measured.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rung.core.canonical import fingerprint
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Episode, Ports, Sandbox
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View
from rung.tasks.domains.files.bad import legible
from rung.tasks.domains.files.checks import Command, judge
from rung.tasks.domains.files.lines import Item

CAPABILITY = "answering"
"""The domain's own word. All files share it, for nobody knows whether two of them ask for different things."""

CONSTANTS = fingerprint(["files", 1])
LONGEST_ID = 40

RULES = """\
You are given a request. Answer it in text. There is one answer, and it is checked as a whole: a right one scores 1, a \
wrong one 0, and some checks give a share of it.
Say nothing but the answer; or say what you like, and end with a line of its own that begins with `Answer:`. Then only \
what follows on that line is your answer."""

_TOOL = Tool(
    "answer",
    "Give the answer, and nothing but the answer. It can be given once.",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
_ID = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_LAST_LINE = re.compile(r"answer:\s*(.+)", re.IGNORECASE)


def id_of(file: str) -> str:
    """The family's id: the file's name without its ending, with dashes for underscores.

    >>> id_of("my_tickets.jsonl")
    'my-tickets'
    """
    stem = file.removesuffix(".jsonl")
    if not _ID.fullmatch(stem) or len(stem) > LONGEST_ID:
        raise UsageError(
            f"{file!r} cannot name a family; name the file with up to {LONGEST_ID} of a-z, 0-9, _ and -, and a letter "
            "first, for example my_tickets.jsonl"
        )
    return stem.replace("_", "-")


class FilesFamily:
    """The tasks of one file as a family; the levels are its difficulties."""

    capability = CAPABILITY
    scale = Scale("share right", low=0.0, high=1.0)
    replayable = True

    def __init__(self, file: str, items: Sequence[Item]) -> None:
        self.id = id_of(file)
        self._file = file
        self._items = {item.digest: item for item in items}

    @property
    def levels(self) -> Sequence[int]:
        """The levels that have tasks, the easiest first."""
        return sorted({item.level for item in self._items.values()})

    def settings(self) -> Sequence[Setting]:
        """One for each level that has tasks."""
        return [self.setting(f"d{level}") for level in self.levels]

    def setting(self, name: str) -> Setting:
        """`dN` for level N of the file; a level without tasks is unknown."""
        level = Setting(name).difficulty
        if level not in self.levels:
            there = ", ".join(f"d{each}" for each in self.levels)
            raise UsageError(f"{self._file} has no setting {name!r}; its settings, by the levels of its tasks: {there}")
        return Setting(name, {"level": level})

    def pool(self, setting: Setting, *, sealed: bool) -> Sequence[Task]:
        """The tasks of a level that say "train", or, sealed, those that say "test", in the order of their content."""
        split = "test" if sealed else "train"
        level = setting.params["level"]
        items = [item for item in self._items.values() if item.level == level and item.split == split]
        tasks = (Task(self.id, setting, item.digest, {"prompt": item.prompt}, CONSTANTS, calls=1) for item in items)
        return sorted(tasks, key=lambda task: task.seed)

    def whence(self, setting: Setting, *, sealed: bool) -> str:
        """File, level and split."""
        return f'{self._file}, level {setting.params["level"]}, split "{"test" if sealed else "train"}"'

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """Any task of a level that may be worked; a sealed one only where there is no other. For show, and for suites:
        a study takes its tasks from `pool`."""
        tasks = self.pool(setting, sealed=False) or self.pool(setting, sealed=True)
        return tasks[seed.child("task").rng().randrange(len(tasks))]

    def rules(self, task: Task) -> str:
        """The same for all: how an answer is given."""
        return RULES

    def parse(self, text: str) -> Call | Invalid:
        """The whole text, or what follows `Answer:` where its last line begins so."""
        whole = text.strip()
        if not whole:
            return Invalid("the answer is empty")
        if not legible(whole):
            return Invalid("the answer holds half of a Unicode character")
        last = _LAST_LINE.fullmatch(whole.rpartition("\n")[2].strip())
        return Call("answer", {"text": last[1].strip() if last else whole})

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode. Where its check is a command, a sandbox has to be at hand before the agent is asked."""
        item = self._items.get(task.seed)
        if item is None:
            raise InstrumentFault(f"family {self.id}", f"{task.id} is no task of {self._file} as it was read")
        if isinstance(item.check, Command) and ports.sandbox is None:
            raise InstrumentFault("sandbox", f"{self._named(item)}: the check is a command, and there is no sandbox")
        return FilesEpisode(item, self._named(item), ports.sandbox)

    def _named(self, item: Item) -> str:
        return f"{self._file}, line {item.line}"


@dataclass(slots=True)
class FilesEpisode:
    """One task being worked: one call, right or wrong. The check is asked once, when it is first measured."""

    item: Item
    named: str
    sandbox: Sandbox | None
    answer: str | None = None
    over: bool = False
    invalid: bool = False
    reply: str = ""
    score: float | None = field(default=None, repr=False)

    def view(self) -> View:
        """The prompt."""
        return View(self.item.prompt, tools=(_TOOL,), rules=RULES, reply=self.reply)

    async def call(self, call: Call | Invalid) -> Reply:
        """Take the answer. Whatever it is, it was the only one."""
        if self.over:
            return Reply("the task is over; nothing was changed", done=True, invalid=True)
        taken = _answer_in(call)
        self.over, self.invalid = True, isinstance(taken, Invalid)
        self.answer = None if isinstance(taken, Invalid) else taken
        self.reply = taken.reason if isinstance(taken, Invalid) else "The answer was taken."
        return Reply(self.reply, done=True, invalid=self.invalid)

    async def evaluate(self) -> Evaluation:
        """What the check says of the answer; without one, 0. A check that breaks is an `InstrumentFault`."""
        if self.score is None and self.answer is not None:
            self.score = await self._judged(self.answer)
        score = self.score or 0.0
        return Evaluation(
            "completed" if self.over else "cancelled",
            success=score == 1.0,
            score=score,
            metrics={"invalid_answers": int(self.invalid), **self._ran_in()},
            feedback=self.item.feedback if self.over else None,
        )

    async def _judged(self, answer: str) -> float:
        try:
            return await judge(self.item.check, answer, sandbox=self.sandbox)
        except InstrumentFault as broken:
            raise InstrumentFault(broken.where, f"{self.named}: {broken.detail}") from broken

    def _ran_in(self) -> Mapping[str, str]:
        """Where a command judged the answer, for whoever asks what ran unconfined."""
        judged = self.answer is not None and isinstance(self.item.check, Command)
        return {"sandbox": self.sandbox.name} if judged and self.sandbox is not None else {}


def _answer_in(call: Call | Invalid) -> str | Invalid:
    if isinstance(call, Invalid):
        return call
    text = call.arguments.get("text")
    if call.tool != "answer":
        return Invalid("the only tool is answer")
    if not isinstance(text, str) or not text.strip() or not legible(text):
        return Invalid("answer takes a text that is not empty")
    return text.strip()
