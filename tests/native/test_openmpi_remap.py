"""Remapping real runs over Open MPI: the replay uses their message graph, and the suggestion runs."""

import itertools
import json
import sys
from pathlib import Path

import hopscope
import local_mpi
import numpy as np
import pytest
from hopscope.advice.remap import sentence
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.replay.algorithms.recorded import Recorded
from hopscope.replay.replayer import replayer_of
from hopscope.replay.run.events import RECEIVED, SENT, events_of
from hopscope.replay.run.subject import source_of
from hopscope.vocabulary.links import LINKS
from network_jobs import xfail_unless
from recorded_jobs import recorded_job, shared_folder

MIX = local_mpi.ROOT / "benchmarks" / "programs" / "mix.c"
ITERATIONS = 10
SIZES = {
    "allreduce": (8, 1 << 20),
    "reduce": (8, 1 << 20),
    "bcast": (1 << 20,),
    "gather": (4096,),
    "scatter": (1 << 16,),
    "allgather": (4096,),
    "alltoall": (1 << 16,),
    "scan": (8,),
    "reduce_scatter_block": (4096,),
}
"""Bytes of each operation's calls in an iteration."""
EVEN = Costs(dict.fromkeys(LINKS, LinkCost(1000.0)), LocalCost())
"""Costs by which every message takes 1 us. They are fixed, because costs fitted to a run's own hops depend on which
ranks waited."""


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


def recorded_run(
    shared: Path,
    mpi: local_mpi.LocalMpi,
    calls: list[tuple[str, int]],
    *options: str,
    iterations: int = ITERATIONS,
    topology: str | None = None,
) -> hopscope.Trace:
    """Runs iterations of these calls on four ranks. Returns the trace."""
    mixed = [str(word) for word in itertools.chain(*calls)]
    files = {"topology.json": topology} if topology else {}
    words = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", *options, "--", *mpi.launch(4)]
    job = recorded_job(shared, [*words, str(mpi.compile(MIX)), str(iterations), "0", *mixed], files=files)
    assert job.code == 0, job.out + job.err
    return hopscope.open(job.trace)


@pytest.mark.parametrize("operation", SIZES)
def test_what_ran_is_replayed_to_its_end(operation: str, open_mpi: local_mpi.LocalMpi, shared: Path) -> None:
    trace = recorded_run(shared, open_mpi, [(name, size) for name, sizes in SIZES.items() for size in sizes])
    rows = [row for row in trace.table("collectives").to_pylist() if row["op"] == f"MPI_{operation.capitalize()}"]
    source = source_of(trace.table, (rows[0]["comm"], rows[0]["op"]))
    assert source.subject.native and len(source.subject.collectives) == ITERATIONS * len(SIZES[operation]) == len(rows)
    # Every message is sent once and received once, by the ranks that it names.
    events = events_of(source)
    hops = np.flatnonzero(np.isin(trace.table("hops")["collective_id"], [row["collective_id"] for row in rows]))
    assert len(hops) and np.array_equal(np.sort(events.hops), hops)
    assert all(
        np.array_equal(np.sort(events.hop[events.kind == kind]), np.arange(len(hops))) for kind in (SENT, RECEIVED)
    )
    recorded = Recorded(events)
    whole = replayer_of(source, (recorded,), EVEN)
    assert whole.messages and whole.replay((recorded,))[2]
    assert whole.iteration_ns((recorded,)) > 0


@pytest.mark.networks
def test_leaders_are_suggested_between_two_sites_and_the_engine_runs_them_at_once(
    open_mpi: local_mpi.LocalMpi, shared: Path, tmp_path: Path
) -> None:
    # A tree crosses 20 ms to its root and 20 ms back; leaders cross only once.
    suggested = tmp_path / "suggested.json"
    hosts = [{"name": name, "cluster": name.upper()} for name in "ab"]
    emulate = {"links": {"wan": {"latency_ns": 20_000_000}}}
    sites = json.dumps({"schema_version": 1, "hosts": hosts, "placement": "round-robin", "emulate": emulate})

    def traced_over(tree: str) -> hopscope.Trace:
        options = ("--tree", tree, "--topology", "topology.json")
        return recorded_run(shared, open_mpi, [("allreduce", 8)], *options, iterations=60, topology=sites)

    over_tree = traced_over("hierarchical")
    table = over_tree.remap(suggested)
    best = table.to_pylist()[0]
    xfail_unless(best["chosen"] and best["name"].startswith("leaders"), sentence(table))
    rerun = traced_over(str(suggested))
    assert set(rerun.table("calls")["engine"].to_pylist()) == {"tree"}
    assert "exchange" in rerun.table("hops")["role"].to_pylist()
    # A run by leaders is replayed as well as a run over a tree.
    baseline = next(row for row in rerun.remap().to_pylist() if row["baseline"])
    assert baseline["name"] == "baseline: leaders"
    tree_ns, leaders_ns = (np.median(np.diff(sorted(leaves_of(trace)))) for trace in (over_tree, rerun))
    assert leaders_ns > 20e6
    xfail_unless(leaders_ns < 0.8 * tree_ns, f"an iteration took {tree_ns:,.0f} ns and by leaders {leaders_ns:,.0f}")
    foretold = best["predicted_ns"]
    xfail_unless(
        baseline["predicted_ns"] == pytest.approx(foretold, rel=0.25),
        f"{baseline['predicted_ns']:,.0f} for {foretold:,.0f}",
    )


def leaves_of(trace: hopscope.Trace) -> list[int]:
    return [row["last_leave_ns"] for row in trace.table("collectives").to_pylist()]
