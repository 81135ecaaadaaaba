"""Remapping of real runs over Open MPI: its message graph is replayed, and a run over a tree is measured against it."""

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
from hopscope.remap.events import RECEIVED, SENT, events_of
from hopscope.remap.program import source_of
from hopscope.remap.recorded import Recorded
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.remap import result
from messages import traced

PROGRAM = Path(__file__).parent / "programs" / "iterations.c"
ITERATIONS = 60
OPERATIONS = [("allreduce", 8), ("allreduce", 1 << 20), ("reduce", 8), ("reduce", 1 << 20), ("bcast", 1 << 20)]


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
    assert "Today: the MPI library" in str(result(TraceData(trace), "up"))


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
