"""The page of an exploring study in a real browser: it fits the screen, asks for nothing, and draws every curve."""

from dataclasses import replace
from pathlib import Path

import pytest

from reports.explored import report
from reports.test_browser import CHROMIUM, seen
from rung.reports.explore import page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_fits_its_screen_and_asks_for_nothing(tmp_path: Path, width: int):
    long = "w" * 80
    odd = replace(report(), weaknesses=(long,), curves=tuple(replace(row, unit=long) for row in report().curves))
    found = seen(page.html(odd), tmp_path, width=width)
    assert found["wide"] <= width
    assert found["outside"] == 0
    assert found["drawings"] == len(report().curves)
    assert found["heading"] == "three pathways"
