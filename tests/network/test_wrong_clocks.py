"""Hosts with deliberately wrong clocks: corrected times agree with the truth within the stated bound.

The hosts of a network are namespaces of one machine, so raw ticks are the truth: at any moment all hosts have the same
tick count.
"""

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import local_mpi
import pytest
from networks import run, topology, wrong_clocks
from read_spool import read_spool

pytestmark = pytest.mark.usefixtures("machine_can")

BEATS = Path(__file__).parent / "programs" / "beats.c"
OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]
SKEWS = {"a1": (7_000_000_000, 300), "a2": (-3_000_000_000, -150)}
"""Offset in ns and drift in parts per million of all hosts except the first."""


def definitions(trace: Path, rank: int, kind: str) -> list[dict[str, Any]]:
    lines = (trace / "spool" / f"{rank}.defs").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["def"] == kind]


@pytest.fixture(scope="module")
def trace(machine_can: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two seconds on three hosts, with four measurements in each second."""
    if not OPEN_MPI:
        pytest.skip("no Open MPI here")
    folder, mpi = tmp_path_factory.mktemp("clocks"), OPEN_MPI[0]
    variables = {"HOPSCOPE_KEEP_SPOOL": "1", "HOPSCOPE_CLOCK_INTERVAL": "0.25", **wrong_clocks(mpi, SKEWS)}
    words = ["--", mpi.launcher, "-n", str(1 + len(SKEWS)), str(mpi.compile(BEATS)), "2", "2"]
    done = run(folder, topology(folder, {"A": 1 + len(SKEWS)}, {}), *words, **variables)
    assert done.returncode == 0, done.stderr
    if definitions(folder / "trace", 0, "process")[0]["tick_source"] != "tsc":
        pytest.skip("this machine has no cycle counter; only calibrated counters can be skewed")
    return folder / "trace"


def clocks(trace: Path) -> dict[str, list[dict[str, Any]]]:
    rows_by_host: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in json.loads((trace / "run.json").read_text())["clocks"]:
        rows_by_host[row["host"]].append(row)
    return rows_by_host


def test_the_drift_is_recovered(trace: Path) -> None:
    for host, (_, ppm) in SKEWS.items():
        first, *_, last = clocks(trace)[host]
        drift = (last["offset_ns"] - first["offset_ns"]) / (last["at_ns"] - first["at_ns"]) * 1e6
        # The bounds at both ends count. A clock that gains p ppm in right time gains p / (1 + p) in its own time.
        tolerance = (first["bound_ns"] + last["bound_ns"]) / (last["at_ns"] - first["at_ns"]) * 1e6 + 0.2
        assert drift == pytest.approx(-ppm, abs=tolerance)


def test_a_long_run_is_measured_in_between(trace: Path) -> None:
    for host in SKEWS:
        times = [row["at_ns"] for row in clocks(trace)[host]]
        # On a busy machine some measurements may fail and are left out; all are in the spools.
        assert times == sorted(times)
        rank = 1 + list(SKEWS).index(host)
        measured = [trip["here_recv"] for trip in definitions(trace, rank, "round_trip")]
        assert len(measured) >= 3
        begin, *middle, end = measured
        # Their number depends on their cost here. The first one is due after an eighth of the run.
        assert any(begin + (end - begin) * 0.1 < time_ns < begin + (end - begin) * 0.9 for time_ns in middle)


def test_corrected_times_agree_with_the_truth_within_the_bound(trace: Path) -> None:
    printed = subprocess.run(
        ["otf2-print", str(trace / "traces.otf2")], capture_output=True, text=True, check=True
    ).stdout
    corrected: dict[int, list[int]] = defaultdict(list)
    for line in printed.splitlines():
        words = line.split()
        if words and words[0] in ("ENTER", "LEAVE") and "MPI_" in line:
            corrected[int(words[1])].append(int(words[2]))
    # The first host's clock is right, and its calibration gives the time of each tick.
    pairs = definitions(trace, 0, "clock")
    first, last = min(pairs, key=lambda p: p["ticks"]), max(pairs, key=lambda p: p["ticks"])
    rate = (last["monotonic_ns"] - first["monotonic_ns"]) / (last["ticks"] - first["ticks"])
    bounds = [row["bound_ns"] for rows in clocks(trace).values() for row in rows]
    assert min(bound for bound in bounds if bound) < 1_000_000_000  # while the raw clocks are seconds apart
    for rank in range(1 + len(SKEWS)):
        ticks = spool_ticks(trace, rank)
        assert len(ticks) == len(corrected[rank]) > 50  # the number of barriers in two seconds depends on the machine
        # The bound holds between measurements. Before the first one, in MPI_Init, the error of the rate adds to it.
        rows = clocks(trace)[["a0", *SKEWS][rank]]
        measured_from, measured_to = (row["at_ns"] + row["offset_ns"] for row in (rows[0], rows[-1]))
        errors_ns = [
            ns - (first["monotonic_ns"] + (tick - first["ticks"]) * rate)
            for ns, tick in zip(corrected[rank], ticks, strict=True)
            if measured_from <= ns <= measured_to
        ]
        assert len(errors_ns) > len(ticks) / 2
        allowed = max(row["bound_ns"] for row in rows) + 100
        assert max(map(abs, errors_ns)) <= allowed, (
            f"rank {rank} is off by up to {max(map(abs, errors_ns))} ns of {allowed}"
        )


def spool_ticks(trace: Path, rank: int) -> list[int]:
    """Ticks of the enters and leaves, in the archive's order."""
    return [record.ticks for record in read_spool(trace / "spool" / f"{rank}.0.spool").of("ENTER", "LEAVE")]


def test_the_dataset_has_every_measurement_with_its_uncertainty(trace: Path) -> None:
    import hopscope

    rows = hopscope.open(str(trace)).sql("select host, offset_ns, error_ns, bound_ns from clocks").to_pylist()
    assert {row["host"] for row in rows} == {"a0", *SKEWS}
    assert len(rows) == sum(map(len, clocks(trace).values()))
    assert all(row["bound_ns"] > 0 and row["error_ns"] <= row["bound_ns"] for row in rows if row["host"] != "a0")
