"""A fault in an estimator turns the rows red that it concerns, and no others: each in a copy of the sources."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RISE, BINARY = "binary N=20, +14", "binary N=20, +3, gains only"
FEW, MANY = "scores N=5, smooth", "scores N=118, smooth"
THREE, THREE_STRESS = "K=3 fresh, N=118, runs ±8", "K=3 fresh, N=400, runs ±15"
FIVE, SHARED = "K=5 fresh, N=118, runs ±8", "K=5 shared, N=40, runs ±0"
REPLAYS, MORE_REPLAYS = "replays K=3, runs ±8", "replays K=14, runs ±8"
ARMS, ONE_ARM = "arms K=5, N=118, runs ±8", "arms K=1, N=118, runs ±0"
RATIO, RATIOS = "HCI K=1, N=5, headroom 0.5", "HCI K=5, N=40, headroom 0.5"
CURVE, HOLES = "curve, normal", "holes K=5, N=118, 30% of failures"
NAMES = (
    "binary N=20, 10% change, no gain", "binary N=20, 24% change, no gain", RISE, BINARY, FEW, MANY,
    THREE, THREE_STRESS, FIVE, SHARED, REPLAYS, MORE_REPLAYS, ARMS, ONE_ARM, RATIO, "HCI K=1, N=20, headroom 0.5",
    "HCI K=1, N=118, headroom 0.1", RATIOS, CURVE, HOLES,
)  # fmt: skip

RUN = """
import json, sys
from rung.calibrate.certificate import of_settings
from rung.calibrate.settings import SETTINGS
names = json.loads(sys.argv[1])
rows = of_settings([each for each in SETTINGS if each.name in names], sets=int(sys.argv[2]), seed="planted")
print(json.dumps([len(rows), [row.setting for row in rows if row.red]]))
"""


@dataclass(frozen=True)
class Fault:
    """`old` stands exactly once in `file` (below `src/rung/stats`) and is replaced by `new`; then `red` is red."""

    name: str
    file: str
    old: str
    new: str
    red: tuple[str, ...]
    sets: int = 600


FAULTS = (
    Fault("none", "quantiles.py", "ROUNDING = 1e-12", "ROUNDING = 1e-12", ()),
    Fault(
        "z for t",
        "quantiles.py",
        "float(stdtrit(df, (1 + level) / 2))",
        "normal_quantile(level)",
        (FEW, THREE, THREE_STRESS, FIVE, ARMS, RATIO, RATIOS),
        sets=2_500,
    ),
    Fault(
        "percentile for hull",
        "lineages.py",
        "return method, hull([spread(d.mean(axis=1)), spread(by_task)], level)",
        "drawn = np.random.default_rng(0).integers(0, k, (199, k))\n"
        "        lo, hi = np.quantile(d.mean(axis=1)[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])\n"
        "        return method, (float(lo), float(hi))",
        (THREE, THREE_STRESS),
    ),
    Fault(
        "pooled rows",
        "lineages.py",
        "hull([crossed_spread(d)], level)",
        "hull([spread(d.ravel())], level)",
        (FIVE, SHARED),
    ),
    Fault(
        "dropped faults",
        "missing.py",
        "int((~np.isnan(difference)).sum()),",
        "difference.size,",
        (HOLES,),
    ),
    Fault(
        "Wald for Tango",
        "paired.py",
        "    return _lower(gains, losses, tasks, z), -_lower(losses, gains, tasks, z)",
        "    mean = (gains - losses) / tasks\n"
        "    reach = z * sqrt(max(1e-9, (gains + losses) / tasks - mean**2) / tasks)\n"
        "    return mean - reach, mean + reach",
        (RISE, BINARY),
    ),
    Fault(
        "events of lineages pooled",
        "lineages.py",
        "hull([pooled] if k == 2 else [lineage, pooled] if k < 5 else [lineage], level)",
        "hull([pooled], level)",
        (REPLAYS, MORE_REPLAYS),
        sets=2_500,
    ),
    Fault(
        "arms without their lineages",
        "arms.py",
        "between = sum(part for part, _ in lineages)",
        "between = 0.0",
        (ARMS,),
    ),
    Fault(
        "HCI without its lineages",
        "headroom.py",
        "over_tasks.v, found.variance, over_tasks.var_v",
        "over_tasks.v, over_tasks.var_u, over_tasks.var_v",
        (RATIOS,),
    ),
    Fault("a start without noise", "curve.py", "    coefficients[0] -= 1\n", "", (CURVE,)),
    Fault(
        "twice as wide as need be",
        "paired.py",
        "return Estimate(found.mean, *found.interval(level), TASK_T, n, 1, flags)",
        "return Estimate(found.mean, *found.interval(0.9999), TASK_T, n, 1, flags)",
        (MANY,),
    ),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(ROOT / "src", tmp_path_factory.mktemp("planted") / "src"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_stands_where_it_can_be_planted(fault: Fault):
    assert (ROOT / "src" / "rung" / "stats" / fault.file).read_text().count(fault.old) == 1


@pytest.mark.parametrize(
    "fault",
    [pytest.param(each, id=each.name, marks=[] if not each.red else pytest.mark.slow) for each in FAULTS],
)
def test_a_planted_fault_turns_the_rows_red_that_it_concerns(copy: Path, fault: Fault):
    file = copy / "rung" / "stats" / fault.file
    sound = file.read_text()
    try:
        file.write_text(sound.replace(fault.old, fault.new))
        done = subprocess.run(
            [sys.executable, "-c", RUN, json.dumps(NAMES), str(fault.sets)],
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        file.write_text(sound)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [len(NAMES), [name for name in NAMES if name in fault.red]]
