import resource

import pytest

from .conftest import ATTEMPTS


def at_most(size):
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return before


@pytest.mark.parametrize("size", [0, 10, 20_000, 60_000, 250_000])
def test_a_full_disk_is_named_and_the_resumed_run_is_the_uninterrupted_one(shell, rung, study, size):
    full = shell("run", "study.toml", "--out", "run", before=at_most(size))
    assert full.exit == 3
    assert "error: disk: " in full.err
    assert "Traceback" not in full.err
    assert full.last == "rung run study.toml --out run"
    assert rung(*full.last.split()[1:]).exit == 0
    assert rung("run", "study.toml", "--out", "whole").exit == 0
    assert rung("digest", "run").out == rung("digest", "whole").out


def test_a_full_disk_in_mid_run_keeps_what_was_committed(shell, study):
    full = shell("run", "study.toml", "--out", "run", before=at_most(250_000))
    done = int(full.err.split(" of ")[0].split()[-1])
    assert 0 < done < ATTEMPTS
