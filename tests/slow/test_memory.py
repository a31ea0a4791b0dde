"""Long studies take no more memory than short ones."""

import subprocess
import sys
from pathlib import Path

import pytest

EPISODES = 100_000
REPORTS = 10
SLACK_KIB = 4 * 1024  # of 90,000 episodes: 46 bytes each, less than one leaked reference to a small object


@pytest.mark.slow
def test_memory_is_flat_over_a_hundred_thousand_episodes(tmp_path: Path):
    program = [sys.executable, str(Path(__file__).with_name("many_episodes.py")), str(tmp_path)]
    done = subprocess.run([*program, str(EPISODES), str(REPORTS)], check=True, capture_output=True, text=True)
    peaks = [int(line) for line in done.stdout.split()]
    if sys.platform == "darwin":
        peaks = [peak // 1024 for peak in peaks]  # counted in bytes there
    assert len(peaks) == REPORTS
    assert peaks[-1] - peaks[0] <= SLACK_KIB, peaks
