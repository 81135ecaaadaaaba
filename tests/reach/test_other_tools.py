"""The collector beside another PMPI tool, and beside a program that bypasses the collector."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.launch import collector_library, find_mpi
from read_spool import function_numbers, read_run

PROGRAMS = Path(__file__).parent / "programs"
NUMBERS = function_numbers()
TOOL_LINES = ["tool: rank 0 10 reduces 1 sends", "tool: rank 1 10 reduces 1 sends"]


def run(
    mpi: local_mpi.LocalMpi, program: Path, trace: Path, **environment: str
) -> tuple[list[str], Counter[str], list[str]]:
    """Runs a program with another tool. Returns the tool's lines, the collector's counts of the functions that the tool
    counts, and the collector's lines."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    done = subprocess.run(
        [*mpi.launch(2), "env", f"HOPSCOPE_DIR={trace}", "HOPSCOPE_ASSEMBLE=0", *variables, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0: sum 19 from 1", "rank 1: sum 19 from 0"]
    spools = read_run(trace).spools if trace.exists() else []
    watched = {NUMBERS[name]: name for name in ("MPI_Allreduce", "MPI_Send", "MPI_Finalize")}
    counts = Counter(watched[r.region] for spool in spools for r in spool.of("ENTER") if r.region in watched)
    lines = done.stderr.splitlines()
    tool_lines = sorted(line for line in lines if line.startswith("tool:"))
    return tool_lines, counts, [line for line in lines if line.startswith("hopscope:")]


def the_tool(mpi: local_mpi.LocalMpi, *flags: str, name: str = "libcounting_tool.so") -> Path:
    return mpi.compile(PROGRAMS / "counting_tool.c", "-shared", "-fPIC", *flags, name=name)


ORDERS = ["linked to the program", "compiled into the program", "preloaded behind", "preloaded before"]
EARLIER_ORDERS = ("compiled into the program", "preloaded before")
ALL_CALLS = {"MPI_Allreduce": 20, "MPI_Send": 2, "MPI_Finalize": 2}


def program_and_preloads(mpi: local_mpi.LocalMpi, order: str) -> tuple[Path, Path, str]:
    """The tool's file, the program, and the value of LD_PRELOAD."""
    tool, collector = the_tool(mpi), str(collector_library(mpi.release))
    if order == "compiled into the program":
        program = mpi.build([PROGRAMS / "small_job.c", PROGRAMS / "counting_tool.c"], name="job_with_tool")
        return program, program, collector
    linked = ["-Wl,--no-as-needed", str(tool), f"-Wl,-rpath,{tool.parent}"] if order == "linked to the program" else []
    preloads = {"preloaded behind": f"{collector}:{tool}", "preloaded before": f"{tool}:{collector}"}
    return tool, mpi.compile(PROGRAMS / "small_job.c", *linked), preloads.get(order, collector)


@pytest.mark.parametrize("order", ORDERS)
def test_both_tools_see_every_call_and_a_line_says_so(mpi: local_mpi.LocalMpi, order: str, tmp_path: Path) -> None:
    tool, program, preload = program_and_preloads(mpi, order)
    tool_lines, counts, lines = run(mpi, program, tmp_path / "chained", LD_PRELOAD=preload)
    assert (tool_lines, counts) == (TOOL_LINES, ALL_CALLS)
    (line,) = lines
    where = "before" if order in EARLIER_ORDERS else "after"
    assert line.endswith(
        f"{tool} wraps MPI_Finalize and 2 more functions, too, and is loaded {where} the collector. Both see every call"
    )
    # All calls count, also those that the tool does not wrap. Regression: if the tool was part of the program, they
    # counted as the tool's own.
    trace = hopscope.open(tmp_path / "chained")
    assert Counter(row["op"] for row in trace.table("collectives").to_pylist()) == {"MPI_Allreduce": 10}
    assert [row["tag"] for row in trace.table("messages").to_pylist()] == [3, 3]
    assert not [row for row in trace.table("intervals").to_pylist() if row["kind"] == "tool"]


@pytest.mark.parametrize("order", ORDERS)
def test_chaining_that_was_asked_for_is_quiet_and_without_it_a_line_says_what_is_missing(
    mpi: local_mpi.LocalMpi, order: str, tmp_path: Path
) -> None:
    tool, program, preload = program_and_preloads(mpi, order)
    asked = run(mpi, program, tmp_path / "chained", LD_PRELOAD=preload, HOPSCOPE_CHAIN="1")
    assert asked == (TOOL_LINES, ALL_CALLS, [])
    # Without chaining the program runs too, and the first tool sees its calls. A line names the tool that sees nothing.
    tool_lines, counts, lines = run(mpi, program, tmp_path / "alone", LD_PRELOAD=preload, HOPSCOPE_CHAIN="0")
    (line,) = lines
    assert str(tool) in line
    assert line.endswith("leave HOPSCOPE_CHAIN unset, and both see every call")
    if order in EARLIER_ORDERS:
        assert tool_lines == TOOL_LINES
        assert not counts
        assert "is loaded before the collector. Calls that it passes on to PMPI functions are not recorded" in line
        # The trace does not say that the program did not reach MPI_Finalize.
        assert "not reached through the collector" in recovered(tmp_path / "alone")
    else:
        assert tool_lines == []
        assert counts == ALL_CALLS
        assert "is loaded after the collector. It sees none of their calls" in line


def test_a_tool_with_pmpi_functions_of_its_own_keeps_them(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Such a tool (Darshan is one) counts in its PMPI functions. If its calls of them led to the collector, it would
    # count nothing.
    flags = ("-DWRAPS_PMPI", "-D_GNU_SOURCE", "-ldl")
    tool, collector = the_tool(mpi, *flags, name="libpmpi_tool.so"), str(collector_library(mpi.release))
    program = mpi.compile(PROGRAMS / "small_job.c")
    tool_lines, counts, lines = run(mpi, program, tmp_path / "before", LD_PRELOAD=f"{tool}:{collector}")
    assert (tool_lines, counts) == (TOOL_LINES, {"MPI_Send": 2, "MPI_Finalize": 2})
    (line,) = lines
    assert "Calls of MPI_Allreduce may not be recorded" in line
    assert "load it after the collector" in line
    assert run(mpi, program, tmp_path / "behind", LD_PRELOAD=f"{collector}:{tool}")[:2] == (TOOL_LINES, ALL_CALLS)


def test_two_collectors_in_a_process_record_each_call_once(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    collector = collector_library(mpi.release)
    second = Path(shutil.copy(collector, tmp_path / "libsecond.so"))
    program = mpi.build([PROGRAMS / "small_job.c", PROGRAMS / "counting_tool.c"], name="job_with_tool")
    for order in (f"{collector}:{second}", f"{second}:{collector}"):
        tool_lines, counts, _ = run(mpi, program, tmp_path / order[-5:], LD_PRELOAD=order)
        assert (tool_lines, counts) == (TOOL_LINES, ALL_CALLS)


def recovered(trace: Path) -> str:
    """The messages of `hopscope recover` for a trace."""
    words = [str(Path(sys.executable).with_name("hopscope")), "recover", str(trace)]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stderr


def test_over_a_tree_the_tool_that_comes_first_sees_the_collectives_and_one_behind_is_said_not_to(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    tool, collector = the_tool(mpi), str(collector_library(mpi.release))
    program = mpi.compile(PROGRAMS / "small_job.c")
    chained = {"HOPSCOPE_TREE": "binomial"}
    tool_lines, counts, lines = run(mpi, program, tmp_path / "before", LD_PRELOAD=f"{tool}:{collector}", **chained)
    assert (tool_lines, counts["MPI_Allreduce"]) == (TOOL_LINES, 20)
    assert [line.endswith("is loaded before the collector. Both see every call") for line in lines] == [True]
    tool_lines, counts, lines = run(mpi, program, tmp_path / "behind", LD_PRELOAD=f"{collector}:{tool}", **chained)
    assert tool_lines == [line.replace("10 reduces", "0 reduces") for line in TOOL_LINES]
    assert counts["MPI_Allreduce"] == 20
    assert len(lines) == 1
    assert "Both see every call, except collectives that run over the tree" in lines[0]


def test_a_tool_that_takes_mpi_init_without_chaining_is_named_as_why_nothing_was_recorded(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    tool, collector = the_tool(mpi, "-DTAKES_INIT", name="libtaking_tool.so"), str(collector_library(mpi.release))
    program = mpi.compile(PROGRAMS / "small_job.c")
    unchained = {"LD_PRELOAD": f"{tool}:{collector}", "HOPSCOPE_CHAIN": "0"}
    tool_lines, counts, lines = run(mpi, program, tmp_path / "alone", **unchained)
    assert (tool_lines, counts) == (TOOL_LINES, {})
    assert len(lines) == 1
    assert f"{tool} wraps MPI_Init too, is loaded before the collector and bypassed it" in lines[0]
    tool_lines, counts, _ = run(mpi, program, tmp_path / "chained", LD_PRELOAD=f"{tool}:{collector}")
    assert (tool_lines, counts["MPI_Allreduce"]) == (TOOL_LINES, 20)


def test_a_program_that_takes_mpi_from_a_handle_of_its_own_is_told_that_it_was_not_seen(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    library = find_mpi([str(mpi.compile(PROGRAMS / "small_job.c"))]).path
    words = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--", *mpi.launch(2)]
    words += [str(mpi.compile(PROGRAMS / "own_lookup.c"))]
    # The file is not a word of the command, because MPICH 5's file is executable, and would be taken for the program.
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, "OWN_LIBRARY": str(library)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "working\n" * 2
    assert done.stderr.count("bypassed the collector. Nothing was recorded") == 1
    assert "there is no trace" in done.stderr


def test_calls_that_a_tool_makes_itself_are_in_no_answer(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Regression: the tool's own two sums and two messages, at the beginning and at the end, counted as the program's.
    source, collector = PROGRAMS / "tool_of_its_own.c", str(collector_library(mpi.release))
    tool = mpi.compile(source, "-shared", "-fPIC", name="libtool_of_its_own.so")
    program = mpi.compile(PROGRAMS / "small_job.c")
    variables = [f"HOPSCOPE_DIR={tmp_path / 'trace'}", f"LD_PRELOAD={tool}:{collector}"]
    done = subprocess.run(
        [*mpi.launch(2), "env", *variables, str(program)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    trace = hopscope.open(tmp_path / "trace")
    collectives = trace.table("collectives").to_pylist()
    # The program's collectives keep their numbers: the tool's first sum was number 0.
    assert [(row["op"], row["seq"]) for row in collectives] == [("MPI_Allreduce", seq) for seq in range(1, 11)]
    assert [row["tag"] for row in trace.table("messages").to_pylist()] == [3, 3]
    own_calls = Counter(row["region"] for row in trace.table("intervals").to_pylist() if row["kind"] == "tool")
    assert own_calls == {"MPI_Allreduce": 4, "MPI_Send": 2, "MPI_Recv": 2}
