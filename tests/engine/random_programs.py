"""Random MPI programs for the interpreter (interpreter/program.h), run by the library alone and under the collector.

Both runs must leave the same bytes in every buffer on every rank. Sums are of small numbers, so that they are exact in
any order.
"""

import json
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine_jobs
from engine_jobs import ROOT
from hopscope.launch import collector_library
from hopscope.native import _plan
from hypothesis import strategies as st
from local_mpi import LocalMpi, without_hopscope
from read_spool import read_spool

SOURCES = Path(__file__).parent / "interpreter"
BY_TREE = [name for row in _plan.algorithms() if row.by_tree and row.cuts for name in row.operations]
WHOLE = [name for row in _plan.algorithms() if row.by_tree and not row.cuts for name in row.operations]
SHAPES = [shape.name for shape in _plan.shapes() if shape.is_simple]
WIDE = [shape.name for shape in _plan.shapes() if shape.counts]

REDUCTIONS = ["reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block"]
MOVEMENTS = ["bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv"]
MOVEMENTS += ["alltoall", "alltoallv", "alltoallw"]
INTEGERS = ["uchar", "short", "int", "long"]
DERIVED = ["contiguous", "holes", "backwards", "padded"]
COUNTS = [0, 1, 2, 3, 7, 16, 63, 64, 65, 127, 250, 1000]
MOST_COMMS = 8
MAKING = ["dup", "split", "create"]


@dataclass(frozen=True)
class Job:
    """A random job: ranks, program text and tree file (None: the collector only observes)."""

    ranks: int
    program: str
    tree: dict[str, Any] | None


# Operations and datatypes of reductions, in combinations that MPI allows. "-" is no operation.
reductions = st.one_of(
    st.tuples(st.sampled_from(["sum", "prod", "max", "min"]), st.sampled_from([*INTEGERS, "float", "double"])),
    st.tuples(st.sampled_from(["band", "bxor", "land", "lor"]), st.sampled_from(INTEGERS)),
    st.tuples(st.sampled_from(["maxloc", "minloc"]), st.sampled_from(["2int", "double_int"])),
    st.tuples(st.just("unordered"), st.sampled_from(["int", *DERIVED])),
    # Without padded datatypes, with which MPICH 4's own MPI_Reduce_scatter damages the heap.
    st.tuples(st.just("ordered"), st.sampled_from(["int", "contiguous", "holes", "backwards"])),
)
# Datatypes with a negative extent are only for movements: when they reduce them, Open MPI 4 ends with an internal error
# and MPICH 4 with a damaged heap, without any collector.
movements = st.tuples(st.just("-"), st.sampled_from([*INTEGERS, "double", "double_int", *DERIVED, "downwards"]))
places = st.integers(0, MOST_COMMS - 1)


def _collective(names: list[str], data: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.tuples(
        st.just("collective"),
        places,
        st.sampled_from(names),
        st.integers(0, 7),
        st.sampled_from(COUNTS),
        data,
        st.booleans(),
        st.booleans(),
        st.integers(0, 99),
    )


_collectives = [
    _collective(REDUCTIONS, reductions),
    _collective(MOVEMENTS, movements),
    _collective(["barrier"], st.just(("-", "int"))),
]
_other_steps = [
    st.tuples(st.just("dup"), places),
    st.tuples(st.just("split"), places, st.integers(1, 3), st.integers(0, 1), st.integers(0, 1)),
    st.tuples(st.just("create"), places, st.integers(2, 4), st.integers(0, 1)),
    st.tuples(st.just("free"), places),
    st.tuples(st.just("noise"), places, st.integers(0, 3), st.sampled_from([0, 8, 3000, 70_000]), st.integers(0, 1)),
]
steps = st.one_of(*_collectives, _collectives[0], _collectives[1], st.one_of(*_other_steps))


def text_of(lane: list[tuple[Any, ...]], threads: bool) -> list[str]:
    """The lines of a lane. The number in a step selects one of the communicators that exist then. The number of
    communicators is limited, and the first one is never freed. With threads, all communicators are made first and none
    is freed, because Open MPI 4 hangs when two threads make communicators at once."""
    lines = ["lane"]
    if threads:
        lane = [*(step for step in lane if step[0] in MAKING), *(step for step in lane if step[0] not in MAKING)]
        lane = [step for step in lane if step[0] != "free"]
    comms, next_number = [0], 1
    for word, place, *rest in lane:
        comm = comms[place % len(comms)]
        if word == "collective":
            name, root, count, (op, datatype), in_place, mixed, seed = rest
            lines.append(f"collective {name} {comm} {root} {count} {datatype} {op} {in_place:d} {mixed:d} {seed}")
        elif word == "noise":
            lines.append(f"noise {comm} {' '.join(map(str, rest))}")
        elif word == "free":
            if comm != 0:
                lines.append(f"free {comm}")
                comms.remove(comm)
        elif len(comms) < MOST_COMMS:
            lines.append(f"{word} {comm} {' '.join(map(str, rest))}".rstrip())
            comms.append(next_number)
            next_number += 1
    return lines


levels = st.sampled_from([{"shape": name} for name in SHAPES if name not in WIDE]) | st.tuples(
    st.sampled_from(WIDE), st.integers(1, 4)
).map(lambda wide: {"shape": wide[0], "fan_out": wide[1]})


@st.composite
def members(draw: st.DrawFn, ranks: int) -> list[int]:
    """The ranks of a communicator that a program may make: all ranks or every other one, in any order."""
    first, step = draw(st.sampled_from([(0, 1), (0, 1), (0, 2), (1, 2)]))
    ranks_in_order = list(range(first, ranks, step))
    ranks_in_order = ranks_in_order if len(ranks_in_order) > 1 else list(range(ranks))
    return draw(st.sampled_from([ranks_in_order, ranks_in_order[::-1]]) | st.permutations(ranks_in_order))


@st.composite
def tree_files(draw: st.DrawFn, ranks: int) -> dict[str, Any]:
    """A tree file. It has some algorithms, each for all its operations, some only on certain communicators. For the
    rest it has two trees of any shape, or one pair for short messages and another pair for the others. The pairs may be
    limited to communicators too."""
    membership = st.fixed_dictionaries({}, optional={"members": members(ranks)})
    rule = st.fixed_dictionaries(
        {
            "operations": st.just(BY_TREE),
            "reduce_tree": st.sampled_from(["one", "other"]),
            "broadcast_tree": st.sampled_from(["one", "other"]),
            "segment_bytes": st.sampled_from([0, 1, 64, 1000]),
            "combine": st.sampled_from(["fixed", "arrival"]),
        }
    )
    algorithms = draw(st.lists(st.sampled_from(sorted(engine_jobs.ALGORITHMS)), unique=True))
    rules = [rule | draw(membership) for name in algorithms for rule in engine_jobs.algorithm_file(name)["rules"]]
    rules += [draw(rule) | {"bytes": {"max": 600}} | draw(membership), draw(rule)]
    rules.append({"operations": WHOLE, "reduce_tree": draw(st.sampled_from(["one", "other"]))})
    return {"schema_version": 1, "trees": {"one": draw(levels), "other": draw(levels)}, "rules": rules}


@st.composite
def jobs(draw: st.DrawFn, most_ranks: int, least_steps: int = 1, most_lanes: int = 2) -> Job:
    """Any program on 2 to `most_ranks` ranks."""
    ranks = draw(st.integers(2, most_ranks))
    tree = draw(st.one_of(tree_files(ranks), tree_files(ranks), tree_files(ranks), st.none()))
    lane = st.lists(steps, min_size=least_steps, max_size=40)
    lanes = draw(st.lists(lane, min_size=1, max_size=most_lanes))
    return Job(
        ranks, "\n".join(line for drawn_lane in lanes for line in text_of(drawn_lane, len(lanes) > 1)) + "\n", tree
    )


def interpreter(mpi: LocalMpi) -> Path:
    """The interpreter, compiled once for each MPI library."""
    sources, headers = (sorted(SOURCES.glob(kind)) for kind in ("*.c", "*.h"))
    return mpi.build(sources, "-O1", "-g", "-lpthread", name="interpret", included=headers)


def run(words: list[str], hashes: Path, ranks: int, timeout: int) -> tuple[str, list[list[str]]]:
    """Runs the job. Returns its error message, if any, and the lines of each rank."""
    hashes.mkdir()
    clean = without_hopscope()
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=timeout, env=clean)
    except subprocess.TimeoutExpired:
        return f"did not end in {timeout} s", []
    if done.returncode != 0:
        return f"exit code {done.returncode}:\n{done.stdout}{done.stderr}", []
    return "", [(hashes / str(rank)).read_text().splitlines() for rank in range(ranks)]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a program. difference: empty if it left the same bytes with and without the collector, otherwise
    the difference and the commands that reproduce it. by_engine: the number of calls that the engine ran, over all
    ranks."""

    difference: str
    by_engine: int = 0


def compare(mpi: LocalMpi, job: Job, timeout: int = 120) -> Outcome:
    """Runs a program by the library alone and under the collector. Raises RuntimeError if it does not run under the
    library alone either.
    """
    with tempfile.TemporaryDirectory(prefix="hopscope-random-") as name:
        folder = Path(name)
        (folder / "program").write_text(job.program)
        patient = [*mpi.patience().values()]
        variables = [
            f"LD_PRELOAD={':'.join([str(collector_library(mpi.release)), *patient])}",
            f"HOPSCOPE_DIR={folder / 'trace'}",
            "HOPSCOPE_ASSEMBLE=0",
        ]
        if job.tree:
            (folder / "tree.json").write_text(json.dumps(job.tree))
            variables.append(f"HOPSCOPE_TREE={folder / 'tree.json'}")
        start, program = mpi.launch(job.ranks), [str(interpreter(mpi)), str(folder / "program")]
        alone = [*start, "env", f"LD_PRELOAD={':'.join(patient)}", *program, str(folder / "alone")]
        traced = [*start, "env", *variables, *program, str(folder / "under")]
        trouble, expected = run(alone, folder / "alone", job.ranks, timeout)
        if trouble:
            raise RuntimeError(f"{mpi.release} alone: {trouble}\n{_reproducer(mpi, job, folder, alone, traced)}")
        trouble, results = run(traced, folder / "under", job.ranks, timeout)
        pairs = [
            (rank, *lines) for rank in range(len(results)) for lines in zip(expected[rank], results[rank], strict=True)
        ]
        different = [
            f"rank {rank}: {actual.partition(' ')[2]}" for rank, reference, actual in pairs if reference != actual
        ]
        if not trouble and not different:
            return Outcome("", _calls_by_engine(folder / "trace" / "spool"))
        difference = trouble or "other results:\n" + "\n".join(different[:10])
        return Outcome(f"{difference}\n{_reproducer(mpi, job, folder, alone, traced)}")


def _calls_by_engine(spools: Path) -> int:
    leaves = (record for path in spools.glob("*.spool") for record in read_spool(path).records)
    return sum(record.kind == engine_jobs.LEAVE and record.c == 1 for record in leaves)


def _reproducer(mpi: LocalMpi, job: Job, folder: Path, *commands: list[str]) -> str:
    """Keeps the program in build/random/ and gives the commands that run it. A smaller program replaces it."""
    destination = ROOT / "build" / "random" / mpi.release
    destination.mkdir(parents=True, exist_ok=True)
    (destination / "program").write_text(job.program)
    (destination / "tree.json").write_text(json.dumps(job.tree, indent=1))
    (destination / "alone").mkdir(exist_ok=True)
    (destination / "under").mkdir(exist_ok=True)
    lines = [shlex.join(words).replace(str(folder), str(destination)) for words in commands]
    return "\n".join(
        [f"{job.ranks} ranks, {job.tree}", job.program, *lines, f"diff -r {destination}/alone {destination}/under"]
    )
