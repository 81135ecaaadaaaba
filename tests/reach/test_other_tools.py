"""Beside another PMPI tool, and a program that passes the collector by."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library, find_mpi
from read_spool import function_numbers, read_run

PROGRAMS = Path(__file__).parent / "programs"
NUMBERS = function_numbers(local_mpi.ROOT / "collector" / "include" / "hopscope" / "functions.h")
TOLD = ["tool: rank 0 10 reduces 1 sends", "tool: rank 1 10 reduces 1 sends"]


def run(mpi: local_mpi.LocalMpi, program: Path, trace: Path, **environment: str) -> tuple[list[str], Counter[str]]:
    """What the tool said; and how often the collector saw the functions that the tool counts."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    done = subprocess.run(
        [*mpi.launch(2), "env", f"HOPSCOPE_DIR={trace}", "HOPSCOPE_ASSEMBLE=0", *variables, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0: sum 19 from 1", "rank 1: sum 19 from 0"]
    seen = read_run(trace).spools if trace.exists() else []
    watched = {NUMBERS[name]: name for name in ("MPI_Allreduce", "MPI_Send", "MPI_Finalize")}
    counts = Counter(watched[r.region] for spool in seen for r in spool.of("ENTER") if r.region in watched)
    return sorted(line for line in done.stderr.splitlines() if line.startswith("tool:")), counts


@pytest.mark.parametrize("order", ["linked to the program", "preloaded behind", "preloaded before"])
def test_with_chaining_both_tools_see_every_call(mpi: local_mpi.LocalMpi, order: str, tmp_path: Path) -> None:
    tool = mpi.compile(PROGRAMS / "counting_tool.c", "-shared", "-fPIC", name="libcounting_tool.so")
    program = mpi.compile(PROGRAMS / "small_job.c")
    ours = str(collector_library(mpi.flavour))
    preload = {
        "linked to the program": ours,
        "preloaded behind": f"{ours}:{tool}",
        "preloaded before": f"{tool}:{ours}",
    }[order]
    if order == "linked to the program":
        flags = ["-Wl,--no-as-needed", str(tool), f"-Wl,-rpath,{tool.parent}"]
        program = mpi.compile(PROGRAMS / "small_job.c", *flags, name="small_job_with_tool")
    told, seen = run(mpi, program, tmp_path / "chained", LD_PRELOAD=preload, HOPSCOPE_CHAIN="1")
    assert told == TOLD
    assert seen == {"MPI_Allreduce": 20, "MPI_Send": 2, "MPI_Finalize": 2}
    # Without chaining the program runs as well, and the first tool sees its calls.
    told, seen = run(mpi, program, tmp_path / "alone", LD_PRELOAD=preload)
    if order == "preloaded before":
        assert told == TOLD
        assert not seen
    else:
        assert told == []
        assert seen == {"MPI_Allreduce": 20, "MPI_Send": 2, "MPI_Finalize": 2}


def test_a_program_that_takes_mpi_from_a_handle_of_its_own_is_told_that_it_was_not_seen(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    library = find_mpi([str(mpi.compile(PROGRAMS / "small_job.c"))]).path
    words = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--", *mpi.launch(2)]
    words += [str(mpi.compile(PROGRAMS / "own_lookup.c")), str(library)]
    done = subprocess.run(
        words, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "working\n" * 2
    assert done.stderr.count("past the collector: nothing was recorded") == 1
    assert "there is no trace" in done.stderr
