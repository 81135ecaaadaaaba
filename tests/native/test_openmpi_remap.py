"""Remapping of real runs over Open MPI: its message graph is replayed, and a run over a tree is measured against it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import numpy as np
import pytest
from hopscope.errors import InputError
from hopscope.remap import sentence
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.run.events import RECEIVED, SENT, events_of
from hopscope.remap.run.program import source_of
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.figures.folded_tree import Fold
from hopscope_dashboard.pages.remap import result
from messages import traced

PROGRAM = Path(__file__).parent / "programs" / "iterations.c"
ITERATIONS = 60
OPERATIONS = [("allreduce", 8), ("allreduce", 1 << 20), ("reduce", 8), ("reduce", 1 << 20), ("bcast", 1 << 20)]
OPERATIONS += [("gather", 4096), ("scatter", 1 << 16), ("allgather", 4096), ("alltoall", 1 << 16), ("scan", 8)]
OPERATIONS += [("reduce_scatter_block", 4096)]


def iterations(mpi: local_mpi.LocalMpi, operation: str, size: int, folder: Path, *options: str) -> hopscope.Trace:
    folder.mkdir()
    words = [*mpi.launch(4), str(mpi.compile(PROGRAM)), operation, str(size)]
    if not options:
        return hopscope.open(traced(words, folder))
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", *options, "--", *words]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False, timeout=240, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return hopscope.open(folder / "trace")


@pytest.mark.parametrize(("operation", "size"), OPERATIONS, ids=[f"{name}-{size}" for name, size in OPERATIONS])
def test_what_ran_is_replayed_to_its_end(
    operation: str, size: int, open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    trace = iterations(open_mpi, operation, size, tmp_path / "native")
    source = source_of(trace.table)
    assert source.subject.native and len(source.subject.collectives) == ITERATIONS
    # Every message is sent once and received once by the ranks that did so.
    events = events_of(source)
    hops = np.arange(len(trace.table("hops")))
    assert all(np.array_equal(np.sort(events.hop[events.kind == kind]), hops) for kind in (SENT, RECEIVED))
    try:
        table = trace.remap(search=0)
    except InputError as error:  # on a busy machine ranks may always come too late to wait for a message
        assert "no rank waited for a hop" in str(error)
        return
    today = next(row for row in table.to_pylist() if row["today"])
    assert today["name"] == Recorded(events).name
    assert today["predicted_ns"] > 0 and today["depth"] >= 1
    assert "Today: the MPI library" in str(result(TraceData(trace), "up", Fold()))


def test_a_run_over_a_tree_is_measured_against_the_library(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    library = iterations(open_mpi, "allreduce", 1 << 20, tmp_path / "native")
    over_tree = iterations(open_mpi, "allreduce", 1 << 20, tmp_path / "tree", "--tree", "binomial")
    words = ["remap", str(library.path), "--tried", str(over_tree.path), "--search", "0", "--format", "csv"]
    analyze = str(Path(sys.executable).with_name("analyze"))
    done = subprocess.run([analyze, *words], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    leaves = [
        sorted(row["last_leave_ns"] for row in trace.table("collectives").to_pylist()) for trace in (library, over_tree)
    ]
    by_library, by_tree = ((ends[-1] - ends[0]) / (ITERATIONS - 1) for ends in leaves)
    table = library.remap(search=0, tried=over_tree)
    tried = next(row for row in table.to_pylist() if row["tried_ns"] is not None)
    assert tried["tried_ns"] == pytest.approx(by_tree)
    assert tried["tried_gain"] == pytest.approx(1 - by_tree / by_library)
    assert "easured over binomial" in sentence(table)
    assert sentence(table) in done.stderr
    # A gain that was not measured is not suggested.
    assert tried["chosen"] <= (by_tree < by_library)


def test_leaders_are_suggested_between_two_sites_and_the_engine_runs_them_at_once(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    # A tree crosses 20 ms towards its root and 20 ms back, leaders only once.
    topology, suggested = tmp_path / "topology.json", tmp_path / "suggested.json"
    hosts = [{"name": name, "cluster": name.upper()} for name in "ab"]
    emulate = {"links": {"wan": {"latency_ns": 20_000_000}}}
    document = {"schema_version": 1, "hosts": hosts, "placement": "round-robin", "emulate": emulate}
    topology.write_text(json.dumps(document))
    on_sites = ("--topology", str(topology))
    over_tree = iterations(open_mpi, "allreduce", 8, tmp_path / "tree", "--tree", "hierarchical", *on_sites)
    best = over_tree.remap(suggested, search=0).to_pylist()[0]
    assert best["chosen"] and best["name"].startswith("leaders")
    rerun = iterations(open_mpi, "allreduce", 8, tmp_path / "leaders", "--tree", str(suggested), *on_sites)
    assert set(rerun.table("calls")["engine"].to_pylist()) == {"tree"}
    assert "exchange" in rerun.table("hops")["phase"].to_pylist()
    before, after = (np.median(np.diff(sorted(leaves_of(trace)))) for trace in (over_tree, rerun))
    assert 20e6 < after < 0.8 * before
    # What ran by leaders is replayed like what ran over a tree.
    again = next(row for row in rerun.remap(search=0).to_pylist() if row["today"])
    assert again["name"] == "today: leaders"
    assert again["predicted_ns"] == pytest.approx(best["predicted_ns"], rel=0.25)


def leaves_of(trace: hopscope.Trace) -> list[int]:
    return [row["last_leave_ns"] for row in trace.table("collectives").to_pylist()]
