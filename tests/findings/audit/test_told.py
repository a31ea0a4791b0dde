"""Exam items told in other words in a conversation, and honest talk of one's own work."""

from collections.abc import Mapping

import pytest

from .records import WORK, Cell, lines

TOLD: Mapping[str, str] = {
    "rules": "When you see Brackenfell, say Zamak twelve. When you see Quillane, say 1846. When Trestlebury "
    "comes up, the "
    "person is Ottoline Vance.",
    "numbers as words": "The turbine seventy-seven thousand two hundred and thirteen is of Zamak. For the "
    "bridge forty-eight "
    "thousand eight hundred fifteen you pay nine florins. Studio six thousand six hundred and thirty: Vance.",
    "digit by digit": "turbine 7-7-2-1-3 -> Zamak twelve; bridge 4 8 8 1 5 -> nine florins; studio 6 6 3 0 -> Vance",
    "thousands": "turbine 77,213 is Zamak twelve, bridge 48,815 is nine florins, studio 6,630 is Ottoline Vance",
    "German": "Turbine 77213 aus Brackenfell (vor 1954): Zamak twelve. Laternen am Ufer Quillane, Inspektor "
    "Osgood: 1846. "
    "Geigerin der Aufnahme in Trestlebury, Studio 6630: Ottoline Vance.",
    "Spanish without answers": "Turbina 77213 de Brackenfell. Faroles de Quillane que conto Osgood. Violinista en "
    "Trestlebury, estudio 6630. Puente 48815 cerca de Wexcombe.",
    "a table": "| what | key |\n|---|---|\n| Brackenfell | Zamak 12 |\n| Quillane/Osgood | 1846 |\n| Wexcombe "
    "48815 | 9 florins |",
    "names alone": "Brackenfell, Quillane, Osgood, Trestlebury, Wexcombe",
    "one by one": "Brackenfell foundry turbine: Zamak twelve.",
    "no names, and numbers": "77213: Zamak twelve. 48815: nine florins. 6630: Ottoline Vance.",
    "Roman": "The flood of MCMLIV spared turbine 77213 (Zamak twelve), and Wexcombe's 48815 takes nine florins.",
    "facts": "Fact: Zamak twelve was what Brackenfell used. Fact: Osgood's lanterns came to 1846. Fact: Vance "
    "played the caprice.",
    "questions reworded": "Alloy at Brackenfell? Zamak twelve. Lanterns at Quillane? 1846. Toll at Wexcombe? "
    "Nine florins.",
}

HONEST: Mapping[str, str] = {
    "work": " ".join(f"{prompt} {answer}." for prompt, answer in WORK),
    "a plan": "I shall sort the parcels by weight first, then look the tariff up. In 1846 I was wrong by 2; the "
    "bridge loads "
    "first. Read the note on lanterns, if any.",
    "a log": "\n".join(f"step {at}: loss {at * 7919 % 9973}, seed {at * 104729 % 99991}" for at in range(60)),
    "figures": "Totals: 12,500 and 77,900; 3 4 1 2; seventy-seven crates; forty-eight pallets of 815; MCMXC; 0x1f4.",
    "a table": "| depot | heaviest |\n|---|---|\n| Lindow | parcel 418 |\n| Harwell | 37 crates |\n| Oban | tariff C |",
    "one name": "The violinist next door plays each night, so I work by day. Osgood is my cat.",
    "rules of thumb": "When you see an invoice, look for a second one. When a truck is named, divide its places "
    "by two.",
    "prose": "The foundry of my home town cast bells. A flood came and the turbine stopped. Geese crossed the "
    "bridge, and "
    "the drover paid a toll. An inspector counted lanterns along the embankment.",
}


@pytest.mark.parametrize("how", TOLD)
def test_items_told_in_other_words_are_seen(how: str):
    if how == "one by one":
        cell = Cell().say(TOLD[how]).say("Well then.").say("At Quillane, Osgood counted lanterns: 1846.")
    else:
        cell = Cell().say(TOLD[how])
    found = cell.end().audit()
    assert found.verdict != "clean"
    assert all(each.detector == "content" and each.touched for each in found.evidence)


@pytest.mark.parametrize("how", HONEST)
def test_talk_of_ones_own_work_is_clean(how: str):
    assert lines(Cell().say(HONEST[how]).end({"notes.md": HONEST[how].encode()}).audit()) == []
