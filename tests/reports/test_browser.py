"""The page in a real browser: it fits the screen, asks for nothing, and shows what the value says."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rung.reports import page

from . import samples

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=4000",
    "--dump-dom",
]
PROBE = """<!doctype html><iframe id="page" style="width: {width}px; height: 900px; border: 0" srcdoc="{page}"></iframe>
<pre id="seen"></pre><script>
document.getElementById("page").onload = (event) => {{
  const inside = event.target.contentDocument;
  document.getElementById("seen").textContent = JSON.stringify({{
    wide: inside.documentElement.scrollWidth,
    heading: inside.querySelector("h1").textContent.trim(),
    drawings: inside.querySelectorAll("svg[role=img]").length,
    outside: [...inside.querySelectorAll("[src],link[href],use[href^=http]")].length,
  }});
}};
</script>"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


def seen(text: str, tmp_path: Path, *, width: int) -> dict[str, object]:
    probe = tmp_path / "probe.html"
    probe.write_text(PROBE.format(width=width, page=html.escape(text, quote=True)))
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", probe.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return dict(json.loads(html.unescape(found[1])))


@pytest.mark.parametrize("width", [360, 820, 1280])
@pytest.mark.parametrize("name", ["full", "hostile", "modelled"])
def test_a_page_fits_its_screen_and_asks_for_nothing(tmp_path: Path, name: str, width: int):
    report = getattr(samples, name)()
    found = seen(page.html(report), tmp_path, width=width)
    assert found["wide"] <= width
    assert found["outside"] == 0
    assert found["drawings"] >= len(report.arms)
