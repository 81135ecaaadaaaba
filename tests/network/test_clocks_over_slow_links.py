"""Clocks compared over slow links: the error of the offset, its two stated bounds, and the verdicts that they permit.

The hosts of a network share this machine's clock. So the true offset between them is 0, and their
ticks can be compared to find the rank that entered last.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from networks import run, topology, wrong_clocks
from read_spool import function_numbers, read_run

pytestmark = pytest.mark.usefixtures("machine_can")

MEETS = Path(__file__).parent / "programs" / "meets.c"
OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]
MS = 1_000_000
CALIBRATED_NS = 20_000
"""A generous bound for converting a counter's ticks to time, which each host does separately."""
LATE_NS = 300 * MS
ROUNDS = 11


@dataclass(frozen=True)
class Link:
    """The lowest latencies of the links between two hosts. The latency of the forward link varies in `steps` steps of 2
    ms."""

    forward_ns: int
    return_ns: int
    steps: int = 1


LINKS = {
    "symmetric": Link(20 * MS, 20 * MS),
    "asymmetric": Link(5 * MS, 45 * MS),
    "varying": Link(20 * MS, 20 * MS, steps=10),
}


@dataclass(frozen=True)
class Measured:
    """A run over such a link."""

    link: Link
    trace: Path

    def offsets(self) -> list[dict[str, Any]]:
        """Rows of run.json on the other host's clock."""
        return [row for row in json.loads((self.trace / "run.json").read_text())["clocks"] if row["host"] == "b0"]


def link_parameter(name: str) -> Any:
    """A parameter of `measured`. Checks that hold for every link run with only one link."""
    return pytest.param(name, marks=[] if name == "asymmetric" else pytest.mark.networks)


@pytest.fixture(scope="module", params=[link_parameter(name) for name in LINKS])
def measured(machine_can: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A run over the link whose name is the parameter."""
    if not OPEN_MPI:
        pytest.skip("no Open MPI here")
    folder, mpi, link = tmp_path_factory.mktemp(request.param), OPEN_MPI[0], LINKS[request.param]
    latency_trace = {"latency_trace_ns": [link.forward_ns + 2 * MS * step for step in range(link.steps)]}
    pairs = [
        {"from": "A", "to": "B", **latency_trace, "trace_step_ns": 40 * MS},
        {"from": "B", "to": "A", "latency_ns": link.return_ns},
    ]
    sites = topology(folder, {"A": 1, "B": 1}, {"cluster_pairs": pairs})
    words = ["--", mpi.launcher, "-n", "2", str(mpi.compile(MEETS)), str(ROUNDS), "350", "20000", str(LATE_NS)]
    done = run(folder, sites, *words, HOPSCOPE_KEEP_SPOOL="1", **wrong_clocks(mpi, {}))
    assert done.returncode == 0, done.stderr
    return Measured(link, folder / "trace")


def test_an_offset_is_wrong_by_half_the_asymmetry_and_lies_within_its_bound(measured: Measured) -> None:
    link = measured.link
    rows = measured.offsets()
    assert len(rows) >= 2
    for row in rows:
        assert row["error_ns"] <= row["bound_ns"]
        assert abs(row["offset_ns"]) <= row["bound_ns"] + CALIBRATED_NS
        # No packet is early. So only the excess of the fastest round trip over the latencies can shift the offset.
        excess_ns = row["bound_ns"] - (link.forward_ns + link.return_ns) // 2
        assert excess_ns >= -CALIBRATED_NS
        assert abs(row["offset_ns"] - (link.return_ns - link.forward_ns) // 2) <= excess_ns + CALIBRATED_NS


@pytest.mark.networks
@pytest.mark.parametrize("measured", ["asymmetric"], indirect=True)
def test_the_error_for_symmetric_routes_does_not_cover_asymmetric_ones(measured: Measured) -> None:
    rows = measured.offsets()
    assert min(row["error_ns"] for row in rows) < min(row["offset_ns"] for row in rows)


def test_the_dataset_has_both_figures_and_says_which_one_verdicts_use(measured: Measured) -> None:
    trace = hopscope.open(measured.trace)
    figures = ("offset_ns", "error_ns", "bound_ns")
    rows = [row for row in trace.table("clocks").to_pylist() if row["host"] == "b0"]
    assert [[row[name] for name in figures] for row in rows] == [
        [row[name] for name in figures] for row in measured.offsets()
    ]
    (facts,) = trace.table("run").to_pylist()
    assert facts["clock_error_ns"] == max(row["error_ns"] for row in rows)
    assert facts["clock_bound_ns"] == max(row["bound_ns"] for row in rows)
    notes = {row["item"]: row for row in trace.run("trust").to_pylist() if row["section"] == "clocks"}
    assert notes["clock error"]["value"] == facts["clock_error_ns"]
    assert "used for verdicts" in notes["clock error"]["sentence"]
    assert notes["clock bound"]["value"] == facts["clock_bound_ns"]
    assert "used for verdicts" not in notes["clock bound"]["sentence"]
    assert any("if routes are symmetric" in row["sentence"] for row in trace.limits())


def ticks_of_barriers(trace: Path) -> list[tuple[int, int]]:
    """The ticks at which both ranks entered each barrier."""
    spools = read_run(trace)
    barrier = function_numbers()["MPI_Barrier"]
    enters = [
        [record.ticks for spool in spools.of(rank) for record in spool.of("ENTER") if record.region == barrier]
        for rank in range(2)
    ]
    return list(zip(*enters, strict=True))


def test_a_verdict_needs_a_margin_above_the_error_and_is_true_above_the_bound(measured: Measured) -> None:
    trace = hopscope.open(measured.trace)
    (facts,) = trace.table("run").to_pylist()
    collectives = trace.run("collectives", order="first", operation="MPI_Barrier", limit=100).to_pylist()
    truth = [int(second > first) for first, second in ticks_of_barriers(measured.trace)]
    assert len(collectives) == len(truth) == ROUNDS
    for row, last in zip(collectives, truth, strict=True):
        assert (row["last_rank"] is None) == (row["margin_ns"] <= facts["clock_error_ns"])
        if row["margin_ns"] > facts["clock_bound_ns"] + CALIBRATED_NS:
            assert row["last_rank"] == last
    # Rank 1 was later than the bound twice, by far.
    assert any(row["last_rank"] == 1 and row["margin_ns"] > facts["clock_bound_ns"] for row in collectives)


@pytest.mark.networks
@pytest.mark.parametrize("measured", ["varying"], indirect=True)
def test_near_enters_are_undecided_where_latency_varies(measured: Measured) -> None:
    """Round trips that differ give an error of milliseconds, and the planted enters are within 0.2 ms."""
    trace = hopscope.open(measured.trace)
    assert None in trace.run("collectives", operation="MPI_Barrier", limit=100)["last_rank"].to_pylist()
    assert max(trace.run("last-arrivals")["undecided"].to_pylist()) > 0
