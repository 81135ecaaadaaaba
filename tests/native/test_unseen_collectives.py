"""Collectives whose calls bypass the collector. If their messages were seen, they are counted and are the first caveat.
If nothing could show them, a caveat says so. Regression: a run without its 200 Allreduces got `nothing limits the
answers`."""

import sys
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.launch import find_mpi
from messages import OPEN_MPI, facts, recorded
from recorded_jobs import SAMPLES, recorded_job, sample_trace

PROGRAMS = Path(__file__).parent / "programs"
NO_MESSAGES = {"HOPSCOPE_NATIVE": "0"}
PLANTED = sorted(path.name for path in (SAMPLES / "planted").iterdir() if "openmpi" in path.name)
"""Recorded runs under Open MPI, in whose programs every MPI call goes through the collector."""


def looked_up(shared: Path, mpi: local_mpi.LocalMpi, form: str, **environment: str) -> Path:
    words = [*mpi.launch(3), str(mpi.compile(PROGRAMS / "looked_up.c")), form]
    return recorded(shared, words, **mpi.patience(), **environment)


def kinds(trace: Path) -> list[str]:
    """The kinds of the limits that the trace states, in their order."""
    return [limit["kind"] for limit in hopscope.open(trace).limits()]


@pytest.mark.parametrize("form", ["blocking", "nonblocking", "persistent"])
def test_collectives_that_the_program_looked_up_are_the_first_caveat(
    open_mpi: local_mpi.LocalMpi, form: str, shared: Path
) -> None:
    trace = looked_up(shared, open_mpi, form)
    counts = facts(trace)
    # Each of three ranks has at least two ends of messages in each of 25 or 50 collectives.
    assert counts is not None and int(str(counts["unseen"])) >= 3 * 2 * 25
    assert counts["internal"] == 0
    first, *others = hopscope.open(trace).limits()
    assert first["kind"] == "unseen"
    assert "dlsym" in first["sentence"] and "MPIX_" in first["sentence"]
    assert {"unseen", "unproven"} & {limit["kind"] for limit in others} == set()
    diagnosis = hopscope.open(trace).run("diagnose").to_pylist()
    assert any(row["kind"] == "tracing" and row["sentence"].startswith("Collectives ran") for row in diagnosis)


def test_the_job_says_in_one_line_that_collectives_passed_by(open_mpi: local_mpi.LocalMpi, shared: Path) -> None:
    words = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--", *open_mpi.launch(3)]
    words += [str(open_mpi.compile(PROGRAMS / "looked_up.c"))]
    unnamed = recorded_job(shared, [*words, "blocking"], HOPSCOPE_NATIVE="1", **open_mpi.patience())
    assert unnamed.err.count("collectives ran without a recorded call") == 1
    named = recorded_job(shared, [*words, "named"], HOPSCOPE_NATIVE="1", **open_mpi.patience())
    assert "without a recorded call" not in named.err


def test_calls_by_ctypes_are_seen(shared: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    mpi = next(mpi for mpi in OPEN_MPI)
    library = find_mpi([str(mpi.compile(PROGRAMS / "looked_up.c"))]).path
    assert library is not None
    words = [*mpi.launch(2), sys.executable, str(PROGRAMS / "library_of_its_own.py"), str(library)]
    trace = recorded(shared, words, MPI4PY_MPIABI=mpi.flavour, LD_LIBRARY_PATH=str(library.parent))
    counts = facts(trace)
    assert counts is not None and int(str(counts["unseen"])) >= 2 * 30
    assert kinds(trace)[0] == "unseen"


def test_calls_by_name_have_no_such_caveat(open_mpi: local_mpi.LocalMpi, shared: Path) -> None:
    assert {"unseen", "unproven"} & set(kinds(looked_up(shared, open_mpi, "named"))) == set()


def test_without_messages_nothing_is_proven(open_mpi: local_mpi.LocalMpi, shared: Path) -> None:
    limits = hopscope.open(looked_up(shared, open_mpi, "blocking", **NO_MESSAGES)).limits()
    assert [limit["kind"] for limit in limits].count("unproven") == 1
    assert any("HOPSCOPE_NATIVE" in limit["sentence"] for limit in limits if limit["kind"] == "unproven")


def test_mpich_gives_no_proof_by_default(mpich: local_mpi.LocalMpi, shared: Path) -> None:
    limits = hopscope.open(looked_up(shared, mpich, "blocking", HOPSCOPE_NATIVE="1")).limits()
    [sentence] = [limit["sentence"] for limit in limits if limit["kind"] == "unproven"]
    assert "HOPSCOPE_NATIVE=mpich" in sentence


def test_runs_without_such_collectives_have_no_such_caveat(shared: Path) -> None:
    """Messages that make communicators, windows and files were counted with those of unseen collectives. Old traces do
    not tell them apart, so only runs without any are looked at."""
    traces = [sample_trace(shared, f"planted/{name}/trace") for name in PLANTED[:: max(1, len(PLANTED) // 40)]]
    proven = [trace for trace in traces if trace.table("run")["native_unseen"].to_pylist() == [0]]
    assert len(proven) >= 20
    for trace in proven:
        assert {"unseen", "unproven"} & {limit["kind"] for limit in trace.limits()} == set(), trace
