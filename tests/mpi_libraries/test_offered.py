"""Algorithms that MPI libraries report."""

import itertools

import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.mpi_libraries.mpich import algorithms as mpich
from hopscope.mpi_libraries.offered import (
    Offered,
    extra_settings_in_open_mpi,
    of_han,
    of_intel_mpi,
    of_mpich,
    of_open_mpi,
    query_library,
    release_of,
)
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi

MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour in ("openmpi", "mpich")]


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_each_library_here_names_its_algorithms(mpi: local_mpi.LocalMpi) -> None:
    rows = query_library(mpi.flavour, mpi.launcher, "").algorithms
    assert len(rows) == len(set(rows)) > 40
    names = {(row.operation, row.name) for row in rows}
    if mpi.flavour == "openmpi":
        # The table of messages contains all algorithms of release 4.1, with the same numbers.
        known_names = {
            (operation, algorithm.name, number) for (operation, number), algorithm in open_mpi.ALGORITHMS.items()
        }
        missing = {(row.operation, row.name, row.number) for row in rows} - known_names
        assert mpi.release != "openmpi-4" or not missing
    else:
        newer = {("allreduce", "ring")} if mpi.release == "mpich-4" else set()
        assert set(mpich.ALGORITHMS) - names <= newer


INTEL = local_mpi.find_intel()


@pytest.mark.releases
@pytest.mark.parametrize("mpi", INTEL, ids=[mpi.release for mpi in INTEL])
def test_intel_mpi_says_how_many_presets_its_operations_have(mpi: local_mpi.LocalMpi) -> None:
    rows = query_library("intelmpi", mpi.launcher, "").algorithms
    assert len(rows) == len(set(rows)) > 100
    assert {"allreduce", "barrier", "bcast", "reduce_scatter_block"} < {row.operation for row in rows}
    assert [(row.setting, row.value) for row in rows if row.operation == "scan"] == [
        ("I_MPI_ADJUST_SCAN", str(number)) for number in range(1, 4)
    ]


def test_intel_mpi_is_read_by_the_ranges_of_its_variables() -> None:
    head = "{}\n  MPI Datatype:\n    MPI_CHAR\n"
    range_text = (
        "  Description:\n    Controls barrier algorithm: pres\n   ets.\n    <presetid> - Preset\n    range: 0-2 \n"
    )
    names = ("I_MPI_ADJUST_BARRIER", "I_MPI_ADJUST_IBARRIER", "I_MPI_ADJUST_SENDRECV_REPLACE")
    texts = [head.format(name) + range_text for name in names] + [head.format("I_MPI_ADJUST_BARRIER_LIST")]
    setting = "I_MPI_ADJUST_BARRIER"
    rows = [Offered("barrier", "preset 1", None, setting), Offered("barrier", "preset 2", None, setting)]
    assert of_intel_mpi(texts) == rows
    assert [row.value for row in rows] == ["1", "2"]


def test_open_mpi_is_read_by_its_enumerators() -> None:
    text = "\n".join(
        (
            "mca:coll:tuned:param:coll_tuned_bcast_algorithm:value:ignore",
            "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:0:ignore",
            "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:6:binomial",
            "mca:coll:tuned:param:coll_tuned_bcast_algorithm_segmentsize:value:0",
        )
    )
    assert of_open_mpi(text) == [Offered("bcast", "binomial", 6, "coll_tuned_bcast_algorithm")]


@pytest.mark.parametrize("end", ["", "\n"])
def test_names_are_found_with_and_without_line_ends(end: str) -> None:
    """Regression: MPICH 4.0 omits the line ends, and `algorithmsmp` was taken for a name."""
    lines = ["Variable to select bcast algorithm", "auto - Internal algorithm selection (can be overridden with X)"]
    lines += [
        "nb       - Force nonblocking algorithm",
        "smp      - Force smp algorithm",
        "binomial - Force Binomial Tree",
    ]
    meaning = end.join(lines)
    kinds = itertools.product(("", "I"), [meaning])
    text = "2 MPI Control Variables\n" + "\n".join(
        f"\tMPIR_CVAR_{kind}BCAST_INTRA_ALGORITHM=0\tSCOPE_ALL_EQ\tMPI_INT\t{description}"
        for kind, description in kinds
    )
    assert [(row.operation, row.name) for row in of_mpich(text)] == [("bcast", "smp"), ("bcast", "binomial")]


def test_a_library_that_cannot_be_asked_is_said() -> None:
    with pytest.raises(InputError, match="cannot be asked"):
        query_library("mpich", "mpiexec-that-is-not-there", "5")


def test_han_passes_an_operation_on_where_it_would_come_first() -> None:
    setting = "mca:coll:han:param:coll_han_allreduce_dynamic_global_communicator_module"
    text = "\n".join(
        (
            "mca:coll:tuned:param:coll_tuned_priority:value:30",
            "mca:coll:han:param:coll_han_priority:value:35",
            f"{setting}:value:6",
            f"{setting}:help:Collective module to use: 0 = self; 3 = tuned; 6 = han; ",
        )
    )
    assert extra_settings_in_open_mpi(text) == {
        "allreduce": ("coll_han_allreduce_dynamic_global_communicator_module", "3")
    }
    assert extra_settings_in_open_mpi(text.replace("value:35", "value:0")) == {}


def test_forms_of_han_are_known() -> None:
    setting = "coll_han_use_allreduce_algorithm"
    text = "\n".join(
        f"mca:coll:han:param:{setting}:enumerator:value:{n}:{name}" for n, name in enumerate(("default", "intra"))
    )
    assert of_han(text) == [Offered("allreduce", "han intra", 1, setting)]


@pytest.mark.parametrize(
    ("version_text", "release"),
    [
        ("mpirun (Open MPI) 5.0.11", "5.0.11"),
        ("mpirun.openmpi (OpenRTE) 4.1.4", "4.1.4"),
        ("Open MPI v5.0.11, package: x, ident: 5.0.11", "5.0.11"),
        ("HYDRA build details:\n    Version:      4.0.2\n", "4.0.2"),
        ("MPICH Version:      5.0.2", "5.0.2"),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS\n", "2021.18.1"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)", "2021.18.1"),
        ("prterun (PRRTE) 3.0.12", None),
        (None, None),
    ],
)
def test_releases_are_read_from_what_libraries_and_launchers_say(version_text: str | None, release: str | None) -> None:
    assert release_of(version_text) == release
