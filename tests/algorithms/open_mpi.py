"""Runs every algorithm that Open MPI 4.1's coll/tuned documents, and compares the recognised algorithms with those that
`hopscope.mpi_libraries.open_mpi.algorithms` states for it."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import hopscope
import local_mpi
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS, CUT, sent

PROGRAM = Path(__file__).parent / "programs" / "every_algorithm.c"
RANKS = (2, 5, 6, 8, 13)

_COMMON_CHOICES = {5: "chain + linear", 6: "chain + linear", 8: "binomial + linear", 13: "binomial + linear"}
CHOICES: Mapping[tuple[str, int], Mapping[int, str]] = {
    ("allreduce", 2): {2: "recursive-doubling", **_COMMON_CHOICES},
    ("allgather", 1): {2: "linear", 5: "linear", 6: "linear", 8: "binomial + linear", 13: "binomial + linear"},
    ("reduce_scatter", 1): {2: "ring", **_COMMON_CHOICES},
    ("reduce_scatter_block", 1): {
        2: "linear",
        5: "chain + binomial",
        6: "chain + binomial",
        8: "binomial",
        13: "binomial",
    },
}
"""Choices that coll/tuned makes inside an algorithm, for the sizes of messages that the program uses."""


def expected(operation: str, number: int, ranks: int) -> str | None:
    """The name that should be recognised for an algorithm on this number of ranks; None if the algorithm does not run
    there."""
    if (operation, number) in CHOICES:
        return CHOICES[operation, number][ranks]
    return sent(operation, number, ranks)


def run(mpi: local_mpi.LocalMpi, folder: Path, ranks: Sequence[int], only: str = "", *, names: bool = False) -> Path:
    """Run the program under the collector on communicators of these sizes. only: one algorithm of allgatherv, such as
    allgatherv/3, which has to be forced from outside. names: True to capture Open MPI's own names. Returns the
    trace."""
    trace = folder / (only.replace("/", "-") or "all")
    forced = ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    if only:
        operation, _, number = only.partition("/")
        forced += ["--mca", f"coll_tuned_{operation}_algorithm", number]
    words = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(trace), "--", *mpi.launch(max(ranks))]
    program = [str(mpi.compile(PROGRAM)), *([only] if only else []), *map(str, ranks)]
    environment = {**local_mpi.without_hopscope(), "HOPSCOPE_NATIVE": "1", "HOPSCOPE_NATIVE_NAMES": str(int(names))}
    done = subprocess.run(
        [*words, *forced, *program], capture_output=True, text=True, check=False, timeout=280, env=environment
    )
    if done.returncode != 0 or not trace.is_dir():
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return trace


def recognised_algorithms(trace: Path) -> dict[tuple[str, int, int], list[tuple[str, int]]]:
    """The recognised algorithms and their segment lengths, by operation, number and ranks."""
    opened = hopscope.open(trace)
    names = {row["comm"]: str(row["name"]).split("/") for row in opened.table("comms").to_pylist()}
    algorithms: dict[tuple[str, int, int], list[tuple[str, int]]] = {}
    for row in opened.algorithms().to_pylist():
        if len(names[row["comm"]]) == 3:
            operation, number, ranks = names[row["comm"]]
            algorithm = (row["algorithm"], row["segment_bytes"])
            algorithms.setdefault((operation, int(number), int(ranks)), []).append(algorithm)
    return algorithms


def differences(
    algorithms: Mapping[tuple[str, int, int], Sequence[tuple[str, int]]],
    operations: Sequence[str],
    ranks: Sequence[int],
) -> list[str]:
    """A sentence for each case in which the recognised algorithm is not the expected one."""
    wrong: list[str] = []
    for operation, number in ALGORITHMS:
        for n in ranks if operation in operations else ():
            name, recognised = expected(operation, number, n), algorithms.get((operation, number, n), [])
            cut = 1024 if (operation, number) in CUT else None
            if [algorithm for algorithm, _ in recognised] != ([] if name is None else [name]) or any(
                cut and cut != s for _, s in recognised
            ):
                wrong.append(f"{operation} {number} on {n} ranks: expected {name}, found {recognised}")
    return wrong
