"""The programs of the multi-cluster study give the results that their opening comments state."""

import math
import re
import subprocess
from pathlib import Path

import local_mpi
import pytest

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"
RANKS = 2
MASK = 2**64 - 1
Grid = list[list[float]]


def printed(mpi: local_mpi.LocalMpi, program: str, *arguments: str) -> dict[str, float]:
    """The figures of the line that a program prints."""
    words = [*mpi.launch(RANKS), str(mpi.compile(PROGRAMS / f"{program}.c")), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return {name: float(value) for name, value in re.findall(r"(\w+)=(\S+)", done.stdout)}


def uniform(index: int) -> float:
    state = (20040401 + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & MASK
    state ^= state >> 31
    return 10_000 * ((state >> 11) / 2**53)


def start_value(data: str, row: int, column: int, size: int) -> float:
    if data == "frosty":
        return 27760 if row == 0 else -273.15
    if data == "tridiagonal" and abs(row - column) > 3:
        return 0
    return uniform(row * size + column)


def relaxed(grid: Grid, colour: int, omega: float) -> float:
    """Relaxes the points of one colour, and returns the sum of their changes."""
    total, inner = 0.0, range(1, len(grid) - 1)
    for row, column in ((row, column) for row in inner for column in inner if (row + column) % 2 == colour):
        mean = (grid[row - 1][column] + grid[row + 1][column] + grid[row][column - 1] + grid[row][column + 1]) / 4
        change = omega * (mean - grid[row][column])
        grid[row][column] += change
        total += abs(change)
    return total


def solved(data: str, size: int) -> tuple[int, float]:
    """The number of iterations and the last sum, computed in Python as the program's comment defines them."""
    grid = [[start_value(data, row, column, size) for column in range(size)] for row in range(size)]
    omega, iterations, change = 2 / (1 + math.sin(math.pi / (size - 1))), 0, math.inf
    while change >= 1e-8 * size**2:
        change = relaxed(grid, 0, omega) + relaxed(grid, 1, omega)
        iterations += 1
    return iterations, change


@pytest.mark.parametrize(("data", "iterations"), [("frosty", 88), ("tridiagonal", 87), ("random", 83)])
def test_sor_solves_the_set_that_its_comment_defines(data: str, iterations: int, first_mpi: local_mpi.LocalMpi) -> None:
    line = printed(first_mpi, "sor", data)
    expected, change = solved(data, 10 * RANKS)
    assert (line["size"], line["iterations"], expected) == (10 * RANKS, iterations, iterations)
    assert line["change"] == pytest.approx(change, rel=1e-9)


def test_the_total_of_two_ranks_is_the_number_of_iterations_squared(first_mpi: local_mpi.LocalMpi) -> None:
    line = printed(first_mpi, "noise_allreduce", "30", "100")
    assert line["total"] == 30**2
    assert line["integers"] > 0


def test_noise_allreduce_adds_up_the_changes_that_sor_wrote(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    pattern = str(tmp_path / "changes-%d.txt")
    iterations = int(printed(first_mpi, "sor", "frosty", "--changes", pattern)["iterations"])
    numbers = [[float(line) for line in file.read_text().splitlines()] for file in sorted(tmp_path.iterdir())]
    assert [len(rank) for rank in numbers] == [iterations] * RANKS
    # All lines of the files once, then the first two lines again.
    line = printed(first_mpi, "noise_allreduce", str(iterations + 2), "0", pattern)
    repeated_sum = sum(sum(rank[:2]) for rank in numbers)
    assert line["total"] == pytest.approx(sum(map(sum, numbers)) + repeated_sum, rel=1e-12)


def test_a_file_with_two_numbers_in_a_line_is_refused(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    file = tmp_path / "values"
    file.write_text("1\n2 3\n")
    words = [*first_mpi.launch(1), str(first_mpi.compile(PROGRAMS / "noise_allreduce.c")), "2", "0", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert f"not one number in each line: {file}" in done.stderr
