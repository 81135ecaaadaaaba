"""Real runs under Open MPI and MPICH follow the algorithm settings of the user, or the answer says why they do not."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest

PROGRAM = Path(__file__).parent / "programs" / "broadcasts.c"
OPEN_MPI = [pytest.param(mpi, id=mpi.release) for mpi in local_mpi.find_all() if mpi.flavour == "openmpi"]
MPICH = [pytest.param(mpi, id=mpi.release) for mpi in local_mpi.find_all() if mpi.flavour == "mpich"]
DYNAMIC = ("--mca", "coll_tuned_use_dynamic_rules", "1")
RULES = """1     # operations with rules
7             # Bcast
2
2             # from two ranks on
1
0 1 0 0       # linear
6             # from six ranks on
2
0 1 0 0
2048 2 3 0    # from 2 KiB on in three chains
"""


def broadcasts(mpi: local_mpi.LocalMpi, folder: Path, *words: str, **environment: str) -> hopscope.Trace:
    """The trace of a run of the program on 6 ranks: broadcasts of 64 and of 5,000 bytes."""
    command = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(folder / "trace"), "--"]
    program = [*mpi.launch(6), *words, str(mpi.compile(PROGRAM))]
    extra = {**local_mpi.without_hopscope(), "HOPSCOPE_NATIVE": "1", **environment}
    done = subprocess.run([*command, *program], capture_output=True, text=True, check=False, timeout=120, env=extra)
    assert done.returncode == 0, done.stderr
    return hopscope.open(folder / "trace")


def answers(trace: hopscope.Trace) -> dict[int, dict[str, Any]]:
    return {row["bytes"]: row for row in trace.algorithms().to_pylist()}


def answer_rows(trace: hopscope.Trace, columns: Sequence[str] = ("algorithm", "asked", "obeyed", "why")) -> list[Any]:
    rows = answers(trace)
    return [tuple(rows[size][column] for column in columns) for size in (64, 5000)]


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_an_algorithm_that_is_forced_runs(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = broadcasts(mpi, tmp_path, *DYNAMIC, "--mca", "coll_tuned_bcast_algorithm", "binary_tree")
    assert answer_rows(trace) == [("binary", "binary_tree (5)", "yes", None)] * 2


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_a_setting_is_ignored_without_dynamic_rules(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = broadcasts(mpi, tmp_path, "--mca", "coll_tuned_bcast_algorithm", "5")
    reason = "coll_tuned_use_dynamic_rules is not set"
    row = answers(trace)[5000]
    assert row["algorithm"] != "binary"
    assert [row[1:] for row in answer_rows(trace)] == [("binary_tree (5)", "no", reason)] * 2
    # The setting has not been followed since the first broadcast, which is the communicator's first collective.
    begins = {row["collective"]: row["first_enter_ns"] for row in trace.collectives(limit=99).to_pylist()}
    assert {row["since_ns"] for row in answers(trace).values()} == {begins["0:0"], begins["0:1"]}


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_a_number_that_no_algorithm_has_is_ignored(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = broadcasts(mpi, tmp_path, *DYNAMIC, "--mca", "coll_tuned_bcast_algorithm", "99")
    assert (
        answer_rows(trace, ("asked", "obeyed", "why"))
        == [("99", "no", "this Open MPI has no algorithm 99 for bcast")] * 2
    )


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_settings_of_a_component_that_is_not_loaded_are_ignored(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = (*DYNAMIC, "--mca", "coll", "^tuned", "--mca", "coll_tuned_bcast_algorithm", "5")
    trace = broadcasts(mpi, tmp_path, *words)
    reason = "the component tuned is not loaded (coll=^tuned)"
    assert answer_rows(trace, ("asked", "obeyed", "why")) == [("binary_tree (5)", "no", reason)] * 2


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_the_row_of_a_rules_file_for_the_sizes_decides(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.write_text(RULES)
    by_rules = (*DYNAMIC, "--mca", "coll_tuned_dynamic_rules_filename", str(rules))
    trace = broadcasts(mpi, tmp_path / "rules-alone", *by_rules)
    assert answer_rows(trace) == [("linear", "basic_linear (1)", "yes", None), ("chain:3", "chain (2)", "yes", None)]
    # Release 4 reads the rules first, release 5 the algorithm that is set for the operation.
    trace = broadcasts(mpi, tmp_path / "both", *by_rules, "--mca", "coll_tuned_bcast_algorithm", "5")
    binary = ("binary", "binary_tree (5)", "yes", None)
    first = answer_rows(trace)[0]
    assert first == (("linear", "basic_linear (1)", "yes", None) if mpi.release == "openmpi-4" else binary)


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_a_parameter_file_of_the_user_is_seen_as_well(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    parameters = tmp_path / "parameters.conf"
    parameters.write_text("coll_tuned_use_dynamic_rules = 1\ncoll_tuned_bcast_algorithm = 5\n")
    trace = broadcasts(mpi, tmp_path, OMPI_MCA_mca_base_param_files=str(parameters))
    assert answer_rows(trace) == [("binary", "binary_tree (5)", "yes", None)] * 2


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_nothing_is_said_of_settings_that_nobody_made(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = broadcasts(mpi, tmp_path)
    assert answer_rows(trace, ("asked", "obeyed", "why", "since_ns")) == [(None, None, None, None)] * 2


@pytest.mark.parametrize("setting", ["binomial", "scatter_ring_allgather"])
@pytest.mark.parametrize("mpi", MPICH)
def test_mpichs_variables_are_followed(mpi: local_mpi.LocalMpi, setting: str, tmp_path: Path) -> None:
    local_mpi.share_cores()
    variables = {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": setting, "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": str(10**9)}
    trace = broadcasts(mpi, tmp_path, HOPSCOPE_NATIVE="mpich", **variables)
    algorithm = {"binomial": "binomial", "scatter_ring_allgather": "scatter-ring"}[setting]
    assert answer_rows(trace) == [(algorithm, setting, "yes", None)] * 2
