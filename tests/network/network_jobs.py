"""Jobs on networks that several tests use, and the handling of jobs that never end by themselves."""

import functools
from pathlib import Path

import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.launch import job
from hopscope.launch.inspection import Facts
from networks import run, topology
from recorded_jobs import fill_once

SITES = local_mpi.ROOT / "tests" / "native" / "programs" / "sites.c"
"""A program that repeats an Allreduce, a Bcast and a Barrier 20 times."""
WAN_NS = 20_000_000
"""The latency in ns: longer than any time slice of a scheduler."""
QUIET_SECONDS = 2


def facts_of(trace: Path, ranks: int) -> Facts | None:
    """The facts that the ranks of a trace directory have recorded so far; None if a rank has not begun."""
    try:
        facts = job.inspect(trace)
    except InputError:
        return None
    return facts if [len(rank["threads"]) for rank in facts["ranks"]] == [1] * ranks else None


def hangs_in_finalize(facts: Facts) -> bool:
    """True if the ranks recorded their ends some time ago. Release 4 of MPICH over UCX often waits forever in
    MPI_Finalize if connecting takes long, also without the collector (docs/networks.md)."""
    finished = all(rank["state"] == "finished" for rank in facts["ranks"])
    return finished and facts["now_ns"] > facts["last_ns"] + QUIET_SECONDS * 1e9


def _hangs(trace: Path, ranks: int) -> bool:
    facts = facts_of(trace, ranks)
    return facts is not None and hangs_in_finalize(facts)


def sites_job(shared: Path, mpi: local_mpi.LocalMpi, hosts: int = 1, *, hierarchical: bool = False) -> Path:
    """The trace of SITES, with its spools, on two sites with this number of hosts and two ranks on each host.
    hierarchical: True for Open MPI's `han`, which is excluded otherwise."""
    words = [mpi.launcher, "-n", str(4 * hosts)]
    if mpi.flavour == "openmpi":
        words += ["--mca", "coll_han_priority", "100" if hierarchical else "0"]
    variables = {"HOPSCOPE_KEEP_SPOOL": "1", **(local_mpi.MPICH_IN_MESSAGES if mpi.flavour == "mpich" else {})}
    hangs = mpi.release == "mpich-4"

    def record(folder: Path) -> None:
        local_mpi.share_cores()
        file = topology(folder, {"A": hosts, "B": hosts}, {"links": {"wan": {"latency_ns": WAN_NS}}})
        interrupt = functools.partial(_hangs, folder / "trace", 4 * hosts) if hangs else None
        done = run(folder, file, "--", *words, str(mpi.compile(SITES)), interrupt_once=interrupt, **variables)
        assert done.returncode == 0 or hangs, done.stderr

    folder, _ = fill_once(shared, ("sites", mpi.release, hosts, hierarchical), record)
    return folder / "trace"


def xfail_unless(is_clear: bool, reason: str) -> None:
    """Ends a test as an expected failure, which is named and counted, if a busy machine hides the effect that it
    checks."""
    if not is_clear:
        pytest.xfail(f"this machine was too busy to show it: {reason}")
