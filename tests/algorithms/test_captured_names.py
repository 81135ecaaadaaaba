"""Open MPI's own names for its algorithms: each call has the name of the forced algorithm, and the call's messages
agree with it."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import open_mpi
import pytest
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS

OPEN_MPI = [pytest.param(mpi, id=mpi.release) for mpi in local_mpi.find_all() if mpi.flavour == "openmpi"]
BROADCASTS = Path(__file__).parent / "programs" / "broadcasts.c"
LIST = Path(__file__).parents[2] / "collector" / "src" / "native" / "openmpi" / "algorithms.h"
OF_RELEASE_5 = {("allgather", "sparbit"), ("allgatherv", "sparbit")}
"""Algorithms that are only in release 5. The recogniser does not know their messages."""


def test_the_collectors_list_and_the_table_name_the_same_functions() -> None:
    collector_names = re.findall(r"X\((\w+), \w+, (\w+)\)", LIST.read_text().partition("define OPENMPI_ALGORITHMS")[2])
    table_names = [(operation, algorithm.function) for (operation, _), algorithm in ALGORITHMS.items()]
    assert len(table_names) == len(set(table_names))
    assert {(function.lower(), name) for function, name in collector_names} - OF_RELEASE_5 == set(table_names)


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_every_forced_algorithm_has_its_name_which_no_message_contradicts(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    # The algorithm of allgatherv can be forced only from outside, for a whole run.
    trace = hopscope.open(open_mpi.run(mpi, tmp_path, (6,), names=True))
    forced = {row["comm"]: str(row["name"]).split("/") for row in trace.table("comms").to_pylist()}
    captured_names: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    for row in trace.algorithms().to_pylist():
        if len(forced[row["comm"]]) == 3:
            operation, number, _ = forced[row["comm"]]
            captured_names.setdefault((operation, int(number)), []).append((row["captured"], row["differs"]))
    names = {key: [(algorithm.function, None)] for key, algorithm in ALGORITHMS.items() if key[0] != "allgatherv"}
    refused = {key for key in names if open_mpi.expected(*key, 6) is None}
    assert captured_names == {key: name for key, name in names.items() if key not in refused}
    assert len(captured_names) > 50


def run(mpi: local_mpi.LocalMpi, folder: Path, program: list[str], mca: Mapping[str, str], **variables: str) -> Any:
    """Runs a job on 5 ranks. Returns the rows of its calls, with their operations."""
    command = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(folder / "trace"), "--"]
    settings = [word for name, value in mca.items() for word in ("--mca", f"coll_tuned_{name}", value)]
    environment = {**local_mpi.without_hopscope(), **variables}
    words = [*command, *mpi.launch(5), *settings, *program]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return hopscope.open(folder / "trace")


def names(trace: Any) -> set[str | None]:
    return {call["algorithm"] for call in trace.table("calls").to_pylist()}


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_names_can_be_switched_off(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    forced = {"use_dynamic_rules": "1", "bcast_algorithm": "7"}
    program = [str(mpi.compile(BROADCASTS))]
    assert "knomial" in names(run(mpi, tmp_path, program, forced))
    (tmp_path / "off").mkdir()
    assert names(run(mpi, tmp_path / "off", program, forced, HOPSCOPE_NATIVE_NAMES="0")) == {None}


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_collectives_that_are_left_out_have_no_name(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = [str(mpi.compile(BROADCASTS))]
    trace = run(mpi, tmp_path, program, {}, HOPSCOPE_NATIVE="every:2")
    with_hops = {hop["collective_id"] for hop in trace.table("hops").to_pylist()}
    calls = trace.table("calls").to_pylist()
    assert {call["algorithm"] is not None for call in calls if call["collective_id"] in with_hops} == {True}
    assert {call["algorithm"] for call in calls if call["collective_id"] not in with_hops} == {None}


@pytest.mark.parametrize("mpi", OPEN_MPI)
def test_a_function_that_passes_the_work_on_contradicts_the_messages(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """With fewer elements than ranks, Open MPI's ring exchanges by recursive doubling. Runs through mpi4py, because the
    job crashed when the collector exported these functions."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    program = tmp_path / "sum.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "import array\n"
        "total = array.array('i', [0])\n"
        "for _ in range(5):\n"
        "    MPI.COMM_WORLD.Allreduce(array.array('i', [1]), total)\n"
        "assert total[0] == 5\n"
    )
    forced = {"use_dynamic_rules": "1", "allreduce_algorithm": "4"}
    trace = run(mpi, tmp_path, [sys.executable, str(program)], forced, MPI4PY_MPIABI="openmpi")
    (row,) = [row for row in trace.algorithms().to_pylist() if row["op"] == "MPI_Allreduce"]
    columns = ("algorithm", "captured", "differs", "asked", "obeyed", "why", "collectives")
    assert [row[column] for column in columns] == [
        "recursive-doubling",
        "ring",
        "ring",
        "ring (4)",
        "no",
        "Open MPI's ring passed it on to another algorithm",
        5,
    ]
