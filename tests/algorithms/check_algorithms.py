"""Forces every algorithm of Open MPI 4's coll/tuned on 2, 5, 6, 8 and 13 ranks, and shows the recognised algorithms.

Prints a table. Exits with 1 if anything differs from open_mpi.py.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import local_mpi
import open_mpi
from hopscope.mpi_libraries.open_mpi.algorithms import OWN_CHOICE


def main() -> int:
    """Run all algorithms, print the table, and print the differences."""
    mpi = next((mpi for mpi in local_mpi.find() if mpi.release == "openmpi-4"), None)
    if mpi is None:
        print("check_algorithms: needs Open MPI 4 and its compiler wrapper", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            "",
            *(f"{operation}/{number}" for operation, number in open_mpi.ALGORITHMS if operation == "allgatherv"),
        ]
        algorithms = {}
        for only in runs:
            algorithms |= open_mpi.recognised_algorithms(open_mpi.run(mpi, Path(folder), open_mpi.RANKS, only))
    print("| operation | number | Open MPI's name | " + " | ".join(f"{n} ranks" for n in open_mpi.RANKS) + " |")
    print("| --- " * (3 + len(open_mpi.RANKS)) + "|")
    for (operation, number), (library_name, _, sent) in open_mpi.ALGORITHMS.items():
        name = f"{library_name} ({OWN_CHOICE})" if sent == OWN_CHOICE else library_name
        cells = [
            ", ".join(algorithm for algorithm, _ in algorithms.get((operation, number, n), [])) or "-"
            for n in open_mpi.RANKS
        ]
        print(f"| {operation} | {number} | {name} | {' | '.join(cells)} |")
    operations = sorted({operation for operation, _ in open_mpi.ALGORITHMS})
    wrong = open_mpi.differences(algorithms, operations, open_mpi.RANKS)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
