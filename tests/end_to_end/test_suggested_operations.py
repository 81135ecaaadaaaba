"""What is suggested for each operation is what the engine then runs, by its hops, as long as predicted."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import numpy as np
import pytest
from hopscope import _plan
from hopscope.remap.candidates.laid import messages_of
from hopscope.remap.run.calls import NO_ROOT
from hopscope.remap.run.program import Subject, source_of
from jobs import Run

MIX = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
RANKS, BYTES, ITERATIONS = 6, 1024, 8
WAN_NS = 20_000_000
SITES: dict[str, Any] = {
    "schema_version": 1,
    "hosts": [{"name": name, "cluster": name[0].upper()} for name in ("a0", "b0")],
    "placement": "round-robin",
    "emulate": {
        "links": {"wan": {"latency_ns": WAN_NS}},
        "host_interface": {"bytes_per_second": 5e7, "cut_through": True},
    },
}
CHAIN = {"reduce_tree": "chain", "broadcast_tree": "chain"}
SLOW: dict[str, dict[str, str]] = {
    "gather": CHAIN,
    "scatter": CHAIN,
    "allgather": {"algorithm": "ring"},
    "allgatherv": {"algorithm": "ring"},
    "alltoall": {"algorithm": "pairwise"},
    "alltoallv": {"algorithm": "pairwise"},
    "reduce_scatter": {"algorithm": "ring"},
    "reduce_scatter_block": {"algorithm": "ring"},
    "scan": {"algorithm": "linear"},
    "exscan": {"algorithm": "linear"},
}
"""By what each runs first: from site to site and back again and again."""


def sent_in(trace: hopscope.Trace) -> Counter[tuple[int, ...]]:
    """The engine's messages in the last collective that has any: from, to, bytes and round."""
    every = [row for row in trace.table("hops").to_pylist() if row["source"] == "tree"]
    last = max(row["collective_id"] for row in every)
    mine = [row for row in every if row["collective_id"] == last]
    return Counter((row["src"], row["dst"], row["bytes"], row["round"]) for row in mine)


def suggested_by(file: Path, subject: Subject) -> Counter[tuple[int, ...]]:
    """The same by the first rule of a tree file."""
    (call,), read = subject.calls, _plan.TreeFile(file.read_bytes())
    assert read.rule(call.op, range(RANKS), call.size) == 0
    root = None if call.root == NO_ROOT else call.root
    sent = messages_of(read.schedules(0, call.op, subject.hosts, subject.clusters, call.lengths, root))
    columns = (sent.src, sent.dst, sent.size, sent.together[1])
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


def took_ns(trace: hopscope.Trace, subject: Subject) -> float:
    """The median iteration. The library's barrier keeps them apart."""
    leaves = np.sort(trace.table("collectives")["last_leave_ns"].to_numpy()[subject.collectives])
    return float(np.median(np.diff(leaves)))


@pytest.mark.parametrize("operation", SLOW)
def test_the_engine_runs_what_is_suggested_and_gains(
    operation: str, first_mpi: local_mpi.LocalMpi, traced: Run, tmp_path: Path
) -> None:
    name = f"MPI_{operation.capitalize()}"
    program = [first_mpi.compile(MIX), str(ITERATIONS), "1000", operation, str(BYTES), "barrier", "0"]
    ran, suggested = tmp_path / "ran.json", tmp_path / "suggested.json"
    trees = {"trees": {"chain": {"shape": "chain"}}} if SLOW[operation] is CHAIN else {}
    ran.write_text(json.dumps({"schema_version": 1, **trees, "rules": [{"operations": [name], **SLOW[operation]}]}))
    jobs = [traced(first_mpi, RANKS, *program, tree=ran, topology=SITES)]
    before = hopscope.open(jobs[0].trace)
    rows = before.remap(suggested, search=100).to_pylist()
    best, today = rows[0], next(row for row in rows if row["today"])
    assert best["chosen"], rows
    jobs.append(traced(first_mpi, RANKS, *program, tree=suggested, topology=SITES))
    assert not any(job.code for job in jobs), [job.err for job in jobs]

    after = hopscope.open(jobs[1].trace)
    subjects = [source_of(trace.table).subject for trace in (before, after)]
    assert [(subject.op, len(subject.collectives)) for subject in subjects] == [(name, ITERATIONS)] * 2
    assert sent_in(after) == suggested_by(suggested, subjects[1])
    assert sent_in(after) != sent_in(before)
    # 20 ms dominate whatever else this machine does.
    times = [took_ns(trace, subject) for trace, subject in zip((before, after), subjects, strict=True)]
    assert best["wan_crossings"] * WAN_NS < times[1] < 0.8 * times[0]
    again = next(row for row in after.remap(search=0).to_pylist() if row["today"])
    assert max(today["model_error"], again["model_error"]) < 0.25
