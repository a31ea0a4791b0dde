"""`rung annotate` over a study whose method adds one note after each task."""

import json
from pathlib import Path

import click
import pytest

from rung.cli import annotate
from rung.core.errors import BudgetSpent
from rung.core.ports import Amount, Answered
from rung.core.values import ModelReply

AGENT = """
FILES = {"notes.md": "- Read the number on the lock twice.\\n"}

async def act(view, files):
    return "0"
"""

METHOD = """
SAID = [
    "- Add one to the number before answering.\\n",
    "- Never add one to the number before answering.\\n",
    "- Look twice at the number on the lock.\\n",
]

def refine(feedback, files):
    return {**files, "notes.md": files["notes.md"] + SAID[files["notes.md"].count("\\n") - 1]}
"""

STUDY = """
name = "Notes"
protocol = "ladder"
seed = 3
lineages = 1

[agent]
kind = "agent.py"

[method]
name = "method.py"

[exam]
baseline_repeats = 1

[tasks]
schedule = [{ family = "toy-lock-v1", difficulty = 1, count = 3 }]
holdout = [{ family = "toy-lock-v1", difficulty = 1, count = 2 }]
"""

ANSWER = '{"relation": "new", "scope": "general", "function": ["execution"], "surface": "contextual artifact"}'


@pytest.fixture
def run(rung):
    for name, text in (("agent.py", AGENT), ("method.py", METHOD), ("study.toml", STUDY)):
        Path(name).write_text(text)
    assert rung("run", "study.toml", "--out", "run").exit == 0
    return "run"


@pytest.fixture
def typed(monkeypatch):
    """Answers a person's prompts from a list; when it is at its end, the person goes."""

    def types(*answers: str) -> list[str]:
        left = list(answers)

        def prompt(*_: object, **__: object) -> str:
            if not left:
                raise click.Abort
            return left.pop(0)

        monkeypatch.setattr(click, "prompt", prompt)
        return left

    return types


class Tells:
    """A model behind no gateway, which costs a cent a call and may run out of money."""

    id, live, images = "a/model", True, False
    price = object()

    def __init__(self, *replies: str, most: int = 99) -> None:
        self.replies, self.most, self.asked = list(replies), most, 0

    async def ask(self, request, spending):
        if self.asked == self.most:
            raise BudgetSpent("the budget is spent")
        reservation = await spending.reserve(Amount(0.01, 10))
        reservation.settle(Amount(0.01, 10))
        self.asked += 1
        return Answered(ModelReply(self.replies.pop(0), "m-1", "stop"), Amount(0.01, 10), 1, 0.0)

    async def close(self) -> None:
        """Nothing is held."""


def test_what_was_changed_is_printed_with_counts_and_with_how_far_that_can_be_believed(rung, run):
    said = rung("annotate", run)
    assert said.exit == 0
    assert said.out.startswith(
        "method: 3 proposals, 3 retained; 0 of 3 revised, 1 of 3 (33%) duplicate; mostly contextual"
    )
    assert "Cohen's kappa of the rules as first written was relation 0.35" in said.out
    assert "toy-lock-v1, 6 attempts, completed; refused: ·; last: The answer was taken." in said.out  # static as well


def test_a_machine_is_told_every_proposal_with_its_labels(rung, run):
    told = json.loads(rung("annotate", run, "--json").out)
    assert [(each["text"], each["relation"], each["of"], each["retained"]) for each in told["proposals"]] == [
        ("Add one to the number before answering.", "new", None, True),
        ("Never add one to the number before answering.", "contradict", "method/L1/0001.0.1", True),
        ("Look twice at the number on the lock.", "duplicate", "A_0/1", True),
    ]
    assert told["arms"][0]["all"]["recorded"] == 3


def test_a_person_labels_goes_and_goes_on_and_only_then_is_anything_said(rung, run, typed):
    one = ("n", "t", "rp", "c")
    typed(*one, "d", "1", "g")
    said = rung("annotate", run, "--label", "anna")
    assert (said.exit, "kappa" in said.out, "rules" in said.out) == (0, False, False)
    assert said.last == "kept; go on with: rung annotate run --label anna"
    kept = json.loads(Path("run/labels/anna.json").read_text())
    assert [each["labels"] is not None for each in kept["proposals"]] == [True, False, False]
    assert sorted(kept["proposals"][0]["labels"]["function"]) == ["planning", "reasoning"]
    left = typed(*one, *one)
    said = rung("annotate", run, "--label", "anna")
    assert (left, "--- 2 of 3" in said.out, "--- 1 of 3" in said.out) == ([], True, False)
    assert "rules        anna    scope     3 " in said.out


def test_a_letter_that_stands_for_nothing_is_asked_again(rung, run, typed):
    typed("z", "nr", "n", "t", "zr", "r", "c", "q")
    said = rung("annotate", run, "--label", "anna", "--most", "2")
    assert "one of n, r, c, d, seen 'z'" in said.out
    assert "one of n, r, c, d, seen 'nr'" in said.out
    assert "some of e, r, p, x, seen 'zr'" in said.out


def test_the_order_of_labelling_is_drawn_from_the_seed(rung, run, typed):
    def order(who: str, seed: str) -> list[str]:
        typed()
        rung("annotate", run, "--label", who, "--seed", seed)
        return [each["id"] for each in json.loads(Path(f"run/labels/{who}.json").read_text())["proposals"]]

    orders = [order(f"w{number}", seed) for number, seed in enumerate(["a", "a", "b", "c", "d"])]
    assert orders[0] == orders[1]
    assert len({tuple(each) for each in orders}) > 1


def test_labels_are_no_facts_so_the_digest_stays_and_the_report_has_them(rung, run, typed):
    before = rung("digest", run).out
    typed(*("n", "t", "rp", "c") * 3)
    rung("annotate", run, "--label", "anna")
    assert rung("digest", run).out == before
    assert "### How far labels agree" in rung("report", run, "--markdown").out


def test_a_model_labels_at_a_cost_of_its_own_and_what_it_says_badly_is_counted(rung, run, monkeypatch):
    model = Tells(ANSWER, "no idea", ANSWER)
    monkeypatch.setattr(annotate, "provider", lambda name, config: model)
    told = json.loads(rung("annotate", run, "--model", "a/model", "--usd", "1", "--json").out)
    labeler = told["checks"][0]["other"]
    assert labeler == {
        "name": "a/model",
        "kind": "model",
        "labelled": 2,
        "unread": 1,
        "calls": 3,
        "tokens": 30,
        "usd": pytest.approx(0.03),
    }


def test_a_model_of_which_nothing_can_be_read_is_there_with_what_it_cost(rung, run, monkeypatch):
    monkeypatch.setattr(annotate, "provider", lambda name, config: Tells("?", "?", "?"))
    told = json.loads(rung("annotate", run, "--model", "a/model", "--usd", "1", "--json").out)
    assert [(each["labelled"], each["unread"], each["calls"]) for each in told["labelers"]] == [(0, 3, 3)]
    assert told["checks"] == []
    assert "a/model (model)" in rung("report", run, "--markdown").out


def test_what_a_model_said_before_its_budget_was_spent_is_kept_and_not_asked_again(rung, run, monkeypatch):
    first, second = Tells(ANSWER, most=1), Tells(ANSWER, ANSWER)
    monkeypatch.setattr(annotate, "provider", lambda name, config: first)
    assert "stopped: the budget is spent" in rung("annotate", run, "--model", "a/model", "--usd", "1").err
    monkeypatch.setattr(annotate, "provider", lambda name, config: second)
    told = json.loads(rung("annotate", run, "--model", "a/model", "--usd", "1", "--json").out)
    assert (second.asked, told["checks"][0]["other"]["labelled"], told["checks"][0]["other"]["calls"]) == (2, 3, 3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "a/model"), "say how much it may: --usd 2"),
        (("--model", "a/model", "--label", "anna"), "two labelers"),
        (("--label", "../x"), "--label takes a name of letters"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(rung, run, monkeypatch, options, said):
    monkeypatch.setattr(annotate, "provider", lambda name, config: Tells())
    refused = rung("annotate", run, *options)
    assert refused.exit == 2
    assert said in refused.err


def test_labels_of_somebody_else_are_not_gone_on_with(rung, run, typed):
    typed()
    rung("annotate", run, "--label", "anna")
    refused = rung("annotate", run, "--label", "ben", "--file", "run/labels/anna.json")
    assert "holds the labels of 'anna', not of 'ben'" in refused.err


@pytest.mark.parametrize(
    ("kept", "said"), [(b"{", "odd.json is no JSON"), (b"\xff", "odd.json cannot be read"), (None, "cannot be read")]
)
def test_a_file_of_labels_that_cannot_be_read_is_named_with_its_folder(rung, run, tmp_path, kept, said):
    file = tmp_path / "odd.json"
    file.write_bytes(kept) if kept is not None else file.mkdir()
    refused = rung("annotate", run, "--label", "anna", "--file", file)
    assert refused.exit == 2
    assert f"{tmp_path}" in refused.err.replace("\n", "")
    assert said in refused.err


def test_a_run_in_which_nothing_was_proposed_says_so(rung, finished):
    assert rung("annotate", finished).out == "nothing was proposed in this run\n"
    assert "nothing to label" in rung("annotate", finished, "--label", "anna").err
