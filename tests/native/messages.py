"""Messages inside the MPI library in a run's spools, counted at both ends."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import local_mpi
from read_spool import Run, read_run
from recorded_jobs import recorded_job

OPEN_MPI, MPICH = ([mpi for mpi in local_mpi.find_all() if mpi.flavour == flavour] for flavour in ("openmpi", "mpich"))

WAITED = 1 << 63
OWN_GROUP = 1 << 31
SEQ_AT, SEQ_BITS = 16, 16


class Message(NamedTuple):
    """One message, known at both ends. Ranks are those of the application's communicator, on an intercommunicator those
    of MPI_COMM_WORLD."""

    comm: str
    source: int
    destination: int
    tag: int
    size: int

    @property
    def seq(self) -> int:
        """The lower bits of its collective's number on the communicator."""
        return self.tag >> SEQ_AT & (1 << SEQ_BITS) - 1


@dataclass
class Messages:
    """All messages of a run."""

    sent: Counter[Message] = field(default_factory=Counter)
    received: Counter[Message] = field(default_factory=Counter)
    starts: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Started requests, as (rank, number of the request)."""
    completions: Counter[tuple[int, int]] = field(default_factory=Counter)


def traced(words: list[str], folder: Path, **environment: str) -> Path:
    """Runs a job under the collector. Returns its trace, and keeps the spools beside it."""
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--", *words]
    settings = {"HOPSCOPE_NATIVE": "1", "HOPSCOPE_KEEP_SPOOL": "1", **environment}
    done = subprocess.run(
        run, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "trace"


def recorded(shared: Path, words: list[str], **environment: str) -> Path:
    """Runs a job as traced() does, but only once for all tests that need it (tests/recorded_jobs.py). Returns its
    trace."""
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--", *words]
    job = recorded_job(shared, run, **{"HOPSCOPE_NATIVE": "1", "HOPSCOPE_KEEP_SPOOL": "1", **environment})
    assert job.code == 0, job.out + job.err
    return job.trace


def facts(trace: Path) -> dict[str, object] | None:
    """The facts about native messages in run.json."""
    return json.loads((trace / "run.json").read_text())["native_messages"]


def messages(trace: Path) -> Messages:
    """Reads the messages of a run from its spools, at both ends."""
    run = read_run(trace)
    return _messages(run)


def matches_one_to_one(run_messages: Messages) -> bool:
    """Asserts that each request was started and completed once, and that sends match receives. Returns True if there
    are any messages."""
    assert run_messages.starts == run_messages.completions and max(run_messages.starts.values()) == 1
    assert run_messages.sent == run_messages.received
    return run_messages.sent.total() > 0


def _groups(run: Run) -> dict[str, list[list[int]]]:
    """Both groups of each intercommunicator, from the definitions of their first ranks."""
    return {
        comm["key"]: [comm["members"], comm["remote"]]
        for rank in run.definitions
        for comm in run.comms(rank).values()
        if comm["inter"] and comm["members"]
    }


def _messages(run: Run) -> Messages:
    run_messages = Messages()
    groups = _groups(run)
    for spool in run.spools:
        comms = run.comms(spool.rank)

        def ends(comm: dict[str, Any], peer: int, rank: int = spool.rank) -> tuple[int, int]:
            """The ranks of this end and the other one."""
            if not comm["inter"]:
                return comm["rank"], peer
            is_own_group = bool(peer & OWN_GROUP)
            group = next(group for group in groups[comm["key"]] if (rank in group) == is_own_group)
            return rank, group[peer & ~OWN_GROUP]

        for r in spool.of("HOP_ISEND", "HOP_IRECV_POST"):
            run_messages.starts[spool.rank, r.c] += 1
        for r in spool.of("HOP_ISEND_COMPLETE", "HOP_IRECV"):
            run_messages.completions[spool.rank, r.c & ~WAITED] += 1
        for r in spool.of("HOP_ISEND"):
            comm = comms[r.comm]
            run_messages.sent[Message(comm["key"], *ends(comm, r.peer), r.tag, r.b)] += 1
        for r in spool.of("HOP_IRECV"):
            comm = comms[r.comm]
            run_messages.received[Message(comm["key"], *reversed(ends(comm, r.peer)), r.tag, r.b)] += 1
    return run_messages
