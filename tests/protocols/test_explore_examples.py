"""The shipped example of exploring, and what `rung init --explore` writes, run as they stand."""

import json
import re
from pathlib import Path

import pytest

from rung.core.config import ExploreConfig, read
from rung.core.values import View
from rung.protocols import launch, wiring
from rung.protocols.quick import shrink

EXAMPLES = Path(__file__).parents[2] / "examples"
STARTER = Path(launch.__file__).parents[1] / "cli" / "starter"


def test_the_example_runs_and_all_its_arms_begin_as_one():
    small, _ = shrink(read(EXAMPLES / "explore.toml"))
    models = {"scripted/echo": wiring_model()}
    journal = launch.simulate(small, secret="for tests", arms=wiring.arms(small, base=EXAMPLES, models=models))
    arms = {fact.path: fact.value for fact in journal.facts(kind="arm")}
    assert {name: arm["judge"] for name, arm in arms.items()} == {  # type: ignore[index,call-overload]
        "history": "itself",
        "history-verdict": "verdict",
        "history-noise": "noise",
        "summary": "itself",
        "summary-verdict": "verdict",
        "summary-noise": "noise",
    }
    assert len({json.dumps(arm["A_0"]) for arm in arms.values()}) == 1  # type: ignore[index,call-overload]
    assert not [fact.path for fact in journal.facts(kind="sealed") if "fault" in fact.value]  # type: ignore[operator]


def wiring_model() -> object:
    from rung.testing.models import Provided

    return Provided(lambda request: request.messages[-1].text, id="scripted/echo")


def test_what_init_writes_is_the_example_and_tells_every_key():
    assert (STARTER / "my_explorer.py").read_text() == (EXAMPLES / "explorer.py").read_text().replace(
        "examples/explorer.py", "my_agent.py"
    )
    text = (STARTER / "explore.toml").read_text()
    keys = {*ExploreConfig.model_fields, "pathways"} - {"judge"}
    assert {key for key in keys if not re.search(rf"^(# )?{key} = ", text, re.MULTILINE)} == set()


@pytest.mark.parametrize(
    ("hints", "move"),
    [("", "collaborate"), ("LLM: Answer: cheat, Score: 3\nLLM: Answer: collaborate, Score: -1", "cheat")],
)
def test_the_agent_of_the_example_plays_what_was_judged_better(hints: str, move: str):
    from rung.core.registry import load_file

    act = load_file(EXAMPLES / "explorer.py").act
    assert act(View("Round 1 of 10.\nNothing was played yet.", rules=hints), {}).startswith(f"Answer: {move}, Score: ")
