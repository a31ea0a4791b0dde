import asyncio
import json
from dataclasses import replace

import pytest

from rung.core.canonical import sha256
from rung.core.errors import StoreFault
from rung.core.ports import Amount, Journal
from rung.core.proxied import Exchange, ProviderTools, Read, Split
from rung.core.values import Usage
from rung.store.exchanges import read_exchange, record_exchange
from rung.store.journal import MemoryJournal

PIECES = {sha256(text): text for text in ('"be brief"', "[]", '{"role":"user"}', '"\\ud800"')}
SYSTEM, TOOLS, *TALK = PIECES
WHOLE = Exchange(
    "L0/work/1",
    3,
    "v1/messages",
    "answered",
    200,
    "anthropic-messages",
    streamed=True,
    asked="m",
    request=Split({"max_tokens": 5}, SYSTEM, TOOLS, (TALK[0], TALK[1], TALK[0]), PIECES),
    answer=Read(
        {"content": [{"text": "täglich \ud800"}]}, "m-1", "stop", Usage(1, 2, 3), 0.0, ("mcp",), "", whole=True
    ),
    provider_tools=ProviderTools(("mcp", "web_search"), ("web_search",), ("mcp",)),
    detail="",
)
BARE = Exchange("L0/work/1", 0, "v1/embeddings", "stray", 404, detail="POST v1/embeddings")


@pytest.mark.parametrize("exchange", [WHOLE, BARE])
def test_an_exchange_comes_back_equal(journal: Journal, exchange: Exchange):
    record_exchange(journal, "L0/work/1", exchange)
    asyncio.run(journal.flush(durable=False))
    assert read_exchange(journal, "L0/work/1", exchange.index) == exchange


def test_what_it_cost_and_when_it_was_are_observations(journal: Journal):
    record_exchange(journal, "p", replace(WHOLE, cost=Amount(0.25, 7), started=1.0, first=2.0, ended=3.0))
    seen = [(note.kind, note.value) for note in journal.observations(under="p")]
    about = {"usd": 0.25, "tokens": 7, "started": 1.0, "first": 2.0, "ended": 3.0}
    assert seen == [("exchange/000003", about)]
    digest = journal.digest()
    record_exchange(journal, "p", replace(WHOLE, cost=None, started=9.0))
    assert journal.digest() == digest


def test_a_piece_that_was_sent_before_is_found_though_it_is_not_sent_again():
    journal = MemoryJournal()
    record_exchange(journal, "p", WHOLE)
    again = replace(WHOLE, index=4, request=replace(WHOLE.request, pieces={}))
    record_exchange(journal, "p", again)
    found = read_exchange(journal, "p", 4)
    assert found is not None
    assert json.loads(found.request.pieces[TALK[0]]) == {"role": "user"}


def test_an_exchange_nobody_had_is_none_and_another_at_its_place_is_a_fault(journal: Journal):
    assert read_exchange(journal, "p", 0) is None
    record_exchange(journal, "p", BARE)
    with pytest.raises(StoreFault):
        record_exchange(journal, "p", replace(BARE, status=401))
