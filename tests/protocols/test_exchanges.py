"""What passed through the gateway, as facts."""

import json
from typing import Any

from rung.core.canonical import sha256
from rung.core.ports import Amount
from rung.core.proxied import Exchange, ProviderTools, Read, Split
from rung.core.values import Usage
from rung.protocols import exchanges
from rung.store.journal import MemoryJournal

PIECES = {sha256(text): text for text in ('"be brief"', "[]", '{"role":"user"}', '"\\ud800"')}
SYSTEM, TOOLS, *TALK = PIECES
SAYS: Any = {"content": [{"text": "täglich \ud800"}]}
WHOLE = Exchange(
    "L0/work/1",
    3,
    "v1/messages",
    "answered",
    200,
    "anthropic-messages",
    request=Split({"max_tokens": 5}, SYSTEM, TOOLS, (TALK[0], TALK[1], TALK[0]), PIECES),
    answer=Read(SAYS, "m-1", "stop", Usage(1, 2, 3), whole=True),
    provider_tools=ProviderTools(("web_search",), ("web_search",)),
    cost=Amount(0.25, 6),
    started=2.0,
    ended=5.0,
)


def test_an_exchange_is_a_fact_whose_pieces_and_answer_are_blobs_whatever_letters_are_in_them():
    journal = MemoryJournal()
    exchanges.put(journal, "L0/work/1", WHOLE)
    row: Any = journal.get("L0/work/1/exchange/000003", "exchange")
    assert json.loads(journal.read_blob(row["answer"]["body"])) == SAYS
    talk = [json.loads(journal.read_blob(name)) for name in row["request"]["messages"]]
    assert talk == [{"role": "user"}, "\ud800", {"role": "user"}]
    assert (row["came"], row["provider_tools"]["removed"]) == ("answered", ["web_search"])


def test_seconds_and_dollars_are_observations():
    journal = MemoryJournal()
    exchanges.put(journal, "s", WHOLE)
    assert [note.value for note in journal.observations(under="s")] == [{"seconds": 3.0, "usd": 0.25, "tokens": 6}]
