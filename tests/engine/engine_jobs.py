"""Runs the engine's checking program under the collector, and reads its spools."""

import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope.launch import collector_library
from hopscope.native import _plan
from local_mpi import LocalMpi, without_hopscope
from read_spool import Record, function_numbers, read_spool

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
OPERATIONS = ["MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Barrier"]

# The operations of each algorithm.
ALGORITHMS: dict[str, list[str]] = {}
for _row in _plan.algorithms():
    if not _row.by_tree:
        ALGORITHMS.setdefault(_row.name, []).extend(_row.operations)
_ALLGATHERS = ["MPI_Allgather", "MPI_Allgatherv"]
_ALLTOALLS = ["MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"]
_SCATTERED = ["MPI_Reduce_scatter", "MPI_Reduce_scatter_block"]
_SCANS = ["MPI_Scan", "MPI_Exscan"]
# The order in which the checking program numbers operations, by mode.
NUMBERED = {
    "blocks": ["MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv", *_ALLGATHERS, *_ALLTOALLS],
    "lengths": [
        *["MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv", *_ALLGATHERS, *_ALLTOALLS],
        *["MPI_Allreduce", "MPI_Reduce", *_SCANS, *_SCATTERED, "MPI_Bcast"],
    ],
    "derived-more": ["MPI_Allreduce", "MPI_Reduce", *_SCANS, *_SCATTERED],
}

LEAVE, HOP_ISEND, HOP_ISEND_COMPLETE = "LEAVE", "HOP_ISEND", "HOP_ISEND_COMPLETE"
HOP_IRECV_POST, HOP_IRECV = "HOP_IRECV_POST", "HOP_IRECV"
WAIT_BEGIN, WAIT_END = "WAIT_BEGIN", "WAIT_END"


@dataclass
class FinishedJob:
    """A finished job, and the records of each rank's first thread."""

    code: int
    stdout: str
    stderr: str
    records: list[list[Record]] = field(default_factory=list)
    definitions: list[list[dict[str, Any]]] = field(default_factory=list)

    @property
    def is_correct(self) -> bool:
        """True if the program found no difference."""
        return self.code == 0 and self.stdout.strip() == "same"

    @property
    def by_engine(self) -> int:
        """The number of calls that the engine ran, over all ranks."""
        return sum(record.kind == LEAVE and record.c == 1 for rank in self.records for record in rank)

    @property
    def operations_by_engine(self) -> set[str]:
        """The operations of which the engine ran at least one call."""
        leaves = {record.region for rank in self.records for record in rank if record.kind == LEAVE and record.c == 1}
        return {name for name, number in function_numbers().items() if number in leaves}

    @property
    def reasons(self) -> set[str]:
        """The reasons of native calls, as words."""
        return {line["text"] for rank in self.definitions for line in rank if line["def"] == "reason"}

    def __str__(self) -> str:
        return f"exit code {self.code}\n{self.stdout}\n{self.stderr}"


def program(mpi: LocalMpi) -> Path:
    """The checking program, compiled once for each MPI library."""
    sources, headers = (sorted(PROGRAMS.glob(kind)) for kind in ("*.c", "*.h"))
    return mpi.build(sources, "-O1", "-g", "-lm", "-lpthread", name="engine_check", included=headers)


def tree_file(tree: str | dict[str, Any], **rule: Any) -> dict[str, Any]:
    """A tree file that runs all four operations over one tree."""
    tree = {"shape": tree} if isinstance(tree, str) else tree
    rules = [{"operations": OPERATIONS, "reduce_tree": "tree", **rule}]
    return {"schema_version": 1, "trees": {"tree": tree}, "rules": rules}


def algorithm_file(algorithm: str, **rule: Any) -> dict[str, Any]:
    """A tree file by which the engine runs all operations of an algorithm with this algorithm."""
    return {"schema_version": 1, "rules": [{"operations": ALGORITHMS[algorithm], "algorithm": algorithm, **rule}]}


def served(mode: str, tree: dict[str, Any]) -> int:
    """The operations of a mode that a tree file names, as a bit mask."""
    operations = {name for rule in tree["rules"] for name in rule["operations"]}
    return sum(1 << number for number, name in enumerate(NUMBERED[mode]) if name in operations)


def check(
    mpi: LocalMpi,
    ranks: int,
    tree: dict[str, Any],
    *words: str | int,
    topology: dict[str, Any] | None = None,
    transport: str = "shm",
    timeout: int = 100,
) -> FinishedJob:
    """Run the checking program on this number of ranks under a tree. A job that hangs fails the test."""
    with tempfile.TemporaryDirectory(prefix="hopscope-engine-") as name:
        folder = Path(name)
        (folder / "tree.json").write_text(json.dumps(tree))
        variables = {
            "LD_PRELOAD": ":".join([str(collector_library(mpi.release)), *mpi.patience().values()]),
            "HOPSCOPE_TREE": str(folder / "tree.json"),
            "HOPSCOPE_DIR": str(folder / "trace"),
            "HOPSCOPE_ASSEMBLE": "0",
            "HOPSCOPE_TRANSPORT": transport,
        }
        if topology:
            (folder / "topology.json").write_text(json.dumps(topology))
            variables["HOPSCOPE_TOPOLOGY"] = str(folder / "topology.json")
        command = [
            *mpi.launch(ranks),
            "env",
            *(f"{key}={value}" for key, value in variables.items()),
            str(program(mpi)),
        ]
        done = subprocess.run(
            [*command, *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env=without_hopscope(),
        )
        job = FinishedJob(done.returncode, done.stdout, done.stderr)
        spool = folder / "trace" / "spool"
        for rank in range(ranks):
            if (spool / f"{rank}.0.spool").exists():
                job.records.append(read_spool(spool / f"{rank}.0.spool").records)
                lines = (spool / f"{rank}.defs").read_text().splitlines()
                job.definitions.append([json.loads(line) for line in lines])
        return job


def ticks_of(job: FinishedJob, ns: int) -> int:
    """Converts ns to ticks by the two calibrations that rank 0 wrote."""
    pairs = [line for line in job.definitions[0] if line["def"] == "clock"]
    first, last = pairs[0], pairs[-1]
    elapsed = last["monotonic_ns"] - first["monotonic_ns"]
    return int(ns * (last["ticks"] - first["ticks"]) / elapsed)
