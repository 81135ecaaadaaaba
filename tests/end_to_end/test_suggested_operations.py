"""The engine runs the suggestion for each operation, as its hops show. Gains are only printed."""

import json
from pathlib import Path

import hopscope
import local_mpi
import numpy as np
import pytest
from hopscope.replay.run.subject import Subject, source_of
from jobs import Planted, Run
from samples import SLOW, SLOW_ITERATIONS, dealt_sites, slow_arguments, slow_file
from scheduled_messages import recorded_messages, scheduled_messages

MIX = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
RANKS, BYTES = 6, 1024
WAN_MS = 20


def name_of(operation: str) -> str:
    return f"MPI_{operation.capitalize()}"


def took_ns(trace: hopscope.Trace, subject: Subject) -> float:
    """The duration of the median iteration. The library's barrier separates iterations."""
    leaves = np.sort(trace.table("collectives")["last_leave_ns"].to_numpy()[subject.collectives])
    return float(np.median(np.diff(leaves)))


def test_the_engine_runs_what_is_suggested_for_each_operation(
    first_mpi: local_mpi.LocalMpi, planted: Planted, traced: Run, tmp_path: Path
) -> None:
    # One job calls all operations, and one file has a rule for each.
    recorded, suggested = planted("slow_operations"), tmp_path / "suggested.json"
    best = recorded.remap(suggested).to_pylist()[0]
    assert best["chosen"], best
    program = [first_mpi.compile(MIX), "2", "0", *(word for operation in SLOW for word in (operation, str(BYTES)))]
    job = traced(first_mpi, RANKS, *program, tree=suggested, topology=dealt_sites(0))
    assert job.code == 0, job.err

    rerun = hopscope.open(job.trace)
    old, new = recorded_messages(recorded), recorded_messages(rerun)
    assert old == scheduled_messages(json.dumps(slow_file(*SLOW)).encode(), recorded)
    assert new == scheduled_messages(suggested.read_bytes(), rerun)
    assert old.keys() == new.keys() == {name_of(operation) for operation in SLOW}
    # For some operations, the run's algorithm is as good as any other.
    assert len([name for name in old if old[name] != new[name]]) >= len(SLOW) / 2


@pytest.mark.predictions
@pytest.mark.parametrize("operation", SLOW)
def test_what_is_suggested_runs_and_crosses_the_slow_link_as_often_as_predicted(
    operation: str, first_mpi: local_mpi.LocalMpi, planted: Planted, traced: Run, tmp_path: Path
) -> None:
    # Suggestions come from a recorded run. On a busy machine, the iterations of a new run varied so much that no gain
    # was significant.
    recorded, suggested = planted(f"slow_{operation}"), tmp_path / "suggested.json"
    rows = recorded.remap(suggested).to_pylist()
    best, baseline = rows[0], next(row for row in rows if row["baseline"])
    assert best["chosen"], rows
    program = [first_mpi.compile(MIX), *slow_arguments(operation).split()]
    job = traced(first_mpi, RANKS, *program, tree=suggested, topology=dealt_sites(WAN_MS))
    assert job.code == 0, job.err

    rerun = hopscope.open(job.trace)
    subjects = [source_of(trace.table).subject for trace in (recorded, rerun)]
    counts = [(subject.op, len(subject.collectives)) for subject in subjects]
    assert counts == [(name_of(operation), SLOW_ITERATIONS)] * 2
    assert recorded_messages(rerun) != recorded_messages(recorded)
    kinds = [row for row in rerun.algorithms().to_pylist() if row["op"] == name_of(operation)]
    assert {row["crossings"] for row in kinds} == {best["wan_crossings"]}
    times = [took_ns(trace, subject) for trace, subject in zip((recorded, rerun), subjects, strict=True)]
    assert best["wan_crossings"] * WAN_MS * 1e6 < times[1]
    replay = next(row for row in rerun.remap().to_pylist() if row["baseline"])
    errors = [row["model_error"] for row in (baseline, replay)]
    print(f"{operation}: predicted gain {best['gain']:.0%}, measured {1 - times[1] / times[0]:.0%}, errors {errors}")
