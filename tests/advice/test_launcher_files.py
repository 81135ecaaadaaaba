"""Files that each launcher reads, and the commands that use them."""

import pytest
from hopscope.mpi_libraries.rank_files import file_of, launcher_of

BLOCKS = ["a0", "a0", "b0", "b0", "b0"]
MIXED = ["a0", "b0", "a0", "b0", "b0"]


@pytest.mark.parametrize("launcher", ["openmpi-4", "openmpi-5"])
def test_open_mpi_gets_a_host_for_each_rank(launcher: str) -> None:
    file = file_of(launcher, MIXED, "my hosts")
    assert file.text == "a0\nb0\na0\nb0\nb0\n"
    assert file.command == "mpirun -n 5 --hostfile 'my hosts' --map-by seq"


def test_slurm_gets_a_host_for_each_task() -> None:
    file = file_of("slurm", MIXED, "hosts")
    assert file.text == "a0\nb0\na0\nb0\nb0\n"
    assert file.command == "SLURM_HOSTFILE=hosts srun -n 5 --distribution=arbitrary"


@pytest.mark.parametrize("release", ["4.0.2", "5.0.2"])
def test_blocks_need_no_rank_map_under_mpich(release: str) -> None:
    file = file_of("mpich", BLOCKS, "hosts", f"MPICH Version: {release}")
    assert (file.text, file.command, file.note) == ("a0:2\nb0:3\n", "mpiexec -n 5 -f hosts", None)


def test_mpich_5_gets_its_hosts_once_and_a_rank_map() -> None:
    """MPICH counts a host on two lines as two nodes, whose ranks do not share memory (seen with 4.0.2 and
    5.0.2)."""
    file = file_of("mpich", MIXED, "hosts", "MPICH Version:      5.0.2")
    assert file.text == "a0:2\nb0:3\n"
    assert file.command == "mpiexec -n 5 -f hosts -rankmap 0,1,0,1,1"


def test_mpich_4_names_hosts_again_and_says_what_that_costs() -> None:
    file = file_of("mpich", MIXED, "hosts", "MPICH Version:\t4.0.2")
    assert file.text == "a0:1\nb0:1\na0:1\nb0:2\n"
    assert file.note is not None
    assert "do not share memory" in file.note


def test_intel_mpi_names_hosts_again() -> None:
    file = file_of("intelmpi", MIXED, "hosts", "Intel(R) MPI Library 2021.18.1 for Linux* OS")
    assert (file.text, file.note) == ("a0:1\nb0:1\na0:1\nb0:2\n", None)
    assert file.command == "mpiexec -n 5 -machinefile hosts"


@pytest.mark.parametrize(
    ("version", "launcher"),
    [
        ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "openmpi-4"),
        ("Open MPI v5.0.11, package: x", "openmpi-5"),
        ("MPICH Version:      5.0.2", "mpich"),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS", "intelmpi"),
        ("Another MPI 1.0", None),
        (None, None),
    ],
)
def test_the_library_of_the_run_says_whose_file_to_write(version: str | None, launcher: str | None) -> None:
    assert launcher_of(version) == launcher
