"""`[explore]`: games explored on permissive settings and examined on strict ones (S3Gym, sections 4.4 and 5.2).

The section says all that `[tasks]` says elsewhere, so the blocks of tasks follow from it: each game is worked
`episodes` times a lineage (`plays` times on end on each task), and as many sealed tasks of it are drawn as all its
checkpoints take, or the baseline.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from rung.core.controls import STATIC
from rung.core.sections import Count, ModelName, Section

Judge: TypeAlias = Literal["itself", "verdict", "noise", "model"]
"""Whose judgement of each step a pathway is told: the agent's own; the reward that the verifier gave; that reward with
as many errors as the agent made, at places drawn by chance; another model's."""

OTHERS: tuple[Judge, ...] = ("verdict", "noise", "model")
BASELINE_EPISODES = 30
"""With fewer, the noise of the baseline is in every number above it (reference: stats 3.5)."""

BYTES_A_TOKEN = 4
"""By which caps count what is read. How a provider cuts text is not known before it has; prose comes near this."""

NOTHING: Mapping[str, Any] = {
    "schedule": [{"family": "none", "difficulty": 1, "count": 1}],
    "holdout": [{"family": "none", "difficulty": 1, "count": 1}],
}
"""Stands in for tasks that do not follow from a section that is refused anyway."""


class GameConfig(Section):
    """A game, the setting it is explored on and the one it is examined on."""

    family: str
    explore: str = "explore"
    evaluate: str = "evaluate"


def _also_pathways(schema: dict[str, Any]) -> None:
    """`pathways` is put in full before the section is read, and may be given all the same."""
    schema["properties"]["pathways"] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "Short for [[arms]]: methods by name, an arm each.",
    }


def _named(game: Any) -> Any:
    return {"family": game} if isinstance(game, str) else game


class ExploreConfig(Section):
    """`[explore]`: what is explored, how often, when it is examined, and who judges.

    `games` are ids, or tables with `family`, `explore` and `evaluate`. Each exploration task is played `plays` times on
    end, so that episodes of one task can be told apart by how they were played; `episodes` counts all of them. Every
    `checkpoint_every` of these the state is examined on `checkpoint_episodes` sealed tasks, other ones at each
    checkpoint; A_0 is examined on all of these, and on `baseline_episodes` at least. `judges` adds an arm for each
    beside every arm, told the judgement of another than the agent itself; `judge` is the model that is asked where one
    of them is "model".

    An episode has at most `steps` actions. A model call says at most `output_tokens`, and reads at most `input_tokens`,
    a token taken as four bytes, for how a provider cuts its own is not known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_also_pathways)

    games: tuple[Annotated[GameConfig, BeforeValidator(_named)], ...] = Field(min_length=1)
    episodes: Count = 30
    plays: Count = 1
    checkpoint_every: Count = 3
    checkpoint_episodes: Count = 3
    baseline_episodes: Count = BASELINE_EPISODES
    judges: tuple[Literal["verdict", "noise", "model"], ...] = ()
    judge: ModelName | None = None
    steps: Count = 64
    output_tokens: Count = 14_000
    input_tokens: Count = 100_000

    @model_validator(mode="after")
    def _consistent(self) -> "ExploreConfig":
        families = [game.family for game in self.games]
        twice = next((each for each in families if families.count(each) > 1), None)
        if twice is not None:
            raise ValueError(f"games names {twice!r} twice; name each game once")
        if self.episodes % self.checkpoint_every:
            raise ValueError(
                f"episodes = {self.episodes} is no multiple of checkpoint_every = {self.checkpoint_every}, and the "
                "last ones would never be examined; change either"
            )
        if self.episodes % self.plays:
            raise ValueError(f"episodes = {self.episodes} is no multiple of plays = {self.plays}; change either")
        if len(set(self.judges)) < len(self.judges):
            raise ValueError(f"judges = {list(self.judges)} names one twice; name each once")
        if ("model" in self.judges) != (self.judge is not None):
            raise ValueError(
                f'judges = {list(self.judges)} with judge = {self.judge!r}: judge = "provider/name" is the model asked '
                'where judges has "model"; give both or neither'
            )
        return self

    @property
    def checkpoints(self) -> int:
        """How many there are after the baseline."""
        return self.episodes // self.checkpoint_every

    @property
    def checked(self) -> int:
        """Sealed tasks of each game that the checkpoints of a lineage sit."""
        return self.checkpoints * self.checkpoint_episodes

    @property
    def sealed(self) -> int:
        """Sealed tasks of each game."""
        return max(self.baseline_episodes, self.checked)

    def tasks(self) -> Mapping[str, Any]:
        """The blocks of tasks that follow."""
        return {
            "schedule": [_block(game.family, game.explore, self.episodes // self.plays) for game in self.games],
            "holdout": [_block(game.family, game.evaluate, self.sealed) for game in self.games],
        }


def _block(family: str, setting: str, count: int) -> Mapping[str, Any]:
    return {"family": family, "setting": setting, "count": count}


def in_full(document: Any) -> Any:
    """A whole config with tasks and arms of `protocol = "explore"` put in full; any other as it is.

    `explore.pathways = ["history", "summary"]` is short for an arm of each of these methods. Raises `ValueError` with
    key, value and mend.
    """
    if not isinstance(document, Mapping) or document.get("protocol") != "explore":
        return document
    section = document.get("explore")
    if not isinstance(section, Mapping):
        raise ValueError('protocol = "explore" says what is explored in [explore]; give it games = ["trust-v1", ...]')
    section = dict(section)
    arms = _arms(section.pop("pathways", None), document.get("arms"))
    full = {**document, "explore": section, "tasks": _tasks(section, document.get("tasks"))}
    return {**full, "arms": arms} if arms else full


def _arms(pathways: Any, arms: Any) -> Any:
    if not pathways:
        return arms
    if arms:
        raise ValueError("explore.pathways is short for [[arms]], and both are given; keep one")
    if not isinstance(pathways, list | tuple) or not all(isinstance(each, str) for each in pathways):
        raise ValueError(f"explore.pathways is a list of methods by name, seen {pathways!r:.80}")
    return [{"name": each, "method": {"name": each}} for each in pathways]


def _tasks(section: Mapping[str, Any], given: Any) -> Any:
    if given is not None and not isinstance(given, Mapping):
        return given
    try:
        blocks = ExploreConfig.model_validate(section).tasks()
    except ValidationError:  # it is told with its key when the section itself is read
        return NOTHING
    tasks = dict(given or {})
    for key in ("schedule", "holdout"):
        given_blocks = tasks.get(key, blocks[key])
        listed = isinstance(given_blocks, list | tuple)
        if not listed or [_told(each) for each in given_blocks] != [_told(each) for each in blocks[key]]:
            raise ValueError(f"tasks.{key} follows from [explore]; remove it, and change games or episodes there")
    return {"self_score": True, **tasks, **blocks}


def _told(block: Any) -> Any:
    """A block as the three things that count."""
    if not isinstance(block, Mapping):
        return block
    return block.get("family"), block.get("setting") or f"d{block.get('difficulty')}", block.get("count")


def refuse_unfit(config: Any) -> None:
    """Refuse what does not go with exploring; raises `ValueError` with key, value and mend."""
    tasks = config.tasks
    if any(block.replay for block in tasks.schedule) or tasks.repeat or tasks.random:
        raise ValueError('protocol = "explore" plays each task once, in order; remove replay, repeat and random')
    if tasks.holdout_tasks_per_difficulty is not None:
        raise ValueError("tasks.holdout_tasks_per_difficulty: the sealed tasks follow from [explore]; remove it")
    if config.compare:
        raise ValueError('protocol = "explore" compares checkpoints with the baseline; remove [[compare]]')
    for arm in config.every_arm():
        if arm.agent is not None and arm.agent.kind.partition(":")[0] in ("command", "served"):
            raise ValueError(
                f'arm {arm.name!r}: protocol = "explore" asks an agent step by step, seen agent.kind = '
                f'{arm.agent.kind!r}; give kind = "chat", or protocol = "cell" for programs'
            )
    still = [arm.name for arm in config.arms if arm.method is not None and arm.method.name == STATIC]
    if still:
        raise ValueError(
            f'arm {still[0]!r} has method.name = "static", which explores nothing; A_0 is the baseline of every curve '
            'already, and controls = ["discard"] explores and learns nothing'
        )
