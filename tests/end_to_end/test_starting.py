"""The three ways to start a traced job, and the files that each leaves."""

import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library, find_mpi
from jobs import BIN, HEAT_PLATE, Run, analyze, finish

SMALL = ("--size", "64", "--iterations", "20", "--tolerance", "0")


def whole(trace: Path) -> None:
    """Checks that the archive exists and reads without a warning, and that no temporary file is left."""
    assert {"traces.otf2", "traces.def", "traces", "run.json"} <= {path.name for path in trace.iterdir()}
    assert not {"spool", "presence"} & {path.name for path in trace.iterdir()}
    printed = subprocess.run(["otf2-print", str(trace / "traces.otf2")], capture_output=True, text=True, check=True)
    assert "warning" not in printed.stderr.lower()
    assert "error" not in printed.stderr.lower()


def test_hopscope_run_leaves_one_whole_trace_and_the_job_s_output(mpi: local_mpi.LocalMpi, traced: Run) -> None:
    job = traced(mpi, 4, mpi.compile(HEAT_PLATE), *SMALL, tree="binomial")
    assert job.code == 0, job.err
    assert job.out.splitlines()[-1].startswith("iterations=20 ")
    assert all(line.startswith("iteration") for line in job.out.splitlines()), "the collector wrote to the job's stdout"
    assert [path.name for path in job.trace.parent.iterdir()] == ["trace"]
    assert "next: analyze trace" in job.err
    assert (job.trace / "tree.json").is_file()
    whole(job.trace)
    rows = analyze(job.trace, "sql", "select op, count(*) n, min(complete::int) complete from collectives group by all")
    assert {"op": "MPI_Allreduce", "n": 20, "complete": 1} in rows


def test_a_job_that_also_runs_untraced_says_what_tracing_cost(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = [*first_mpi.launch(2), str(first_mpi.compile(HEAT_PLATE)), *SMALL]
    run = [str(BIN / "hopscope"), "run", "--also-untraced", "--tree", "flat", "--"]
    job = finish([*run, *words], tmp_path / "trace", tmp_path, HOPSCOPE_DIR="trace")
    assert job.code == 0, job.err
    assert len(re.findall(r"^iterations=20 ", job.out, re.MULTILINE)) == 2
    whole(job.trace)
    rows = {row["item"]: row for row in analyze(job.trace, "trust")}
    untraced, traced = (rows[item]["value"] for item in ("job untraced", "job traced"))
    assert untraced > 0
    assert rows["traced against untraced"]["value"] * untraced + untraced == pytest.approx(traced)


def test_the_solver_s_result_is_the_same_with_and_without_the_engine(mpi: local_mpi.LocalMpi, traced: Run) -> None:
    program = mpi.compile(HEAT_PLATE)
    plain = finish([*mpi.launch(5), str(program), *SMALL], Path(), Path.cwd())
    traced_job = traced(mpi, 5, program, *SMALL, tree="binomial-lam")
    assert plain.code == traced_job.code == 0, traced_job.err
    assert traced_job.out.split("seconds=")[0] == plain.out.split("seconds=")[0]


def test_preload_s_words_trace_a_program_under_its_own_launcher(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = subprocess.run(
        [str(BIN / "hopscope"), "preload", "--mpi", mpi.release, "--tree", "flat", "--dir", str(tmp_path / "trace")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    job = finish([*mpi.launch(3), *words, str(mpi.compile(HEAT_PLATE)), *SMALL], tmp_path / "trace", tmp_path)
    assert job.code == 0, job.err
    whole(job.trace)
    assert analyze(job.trace, "sql", "select count(*) n from hops")[0]["n"] == 20 * 2 * 2


def test_environment_variables_alone_trace_a_program_that_a_script_starts(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    library = collector_library(mpi.release)
    # Hydra's ranks recognise their job by an ancestor, which may not be their parent.
    script = ["sh", "-c", '"$@"; exit $?', "script"]
    job = finish(
        [*mpi.launch(3), "env", f"LD_PRELOAD={library}", *script, str(mpi.compile(HEAT_PLATE)), *SMALL],
        tmp_path / "by-hand",
        tmp_path,
        HOPSCOPE_DIR="by-hand",
    )
    assert job.code == 0, job.err
    whole(job.trace)
    assert [path.name for path in tmp_path.iterdir()] == ["by-hand"]
    sources = analyze(job.trace, "sql", "select distinct source from hops")
    assert sources == ([{"source": "native"}] if mpi.flavour == "openmpi" else [])


def test_a_job_s_exit_code_comes_through(first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    job = traced(first_mpi, 2, first_mpi.compile(HEAT_PLATE), "--size", "1")
    assert job.code == 2
    assert "usage: heat_plate" in job.err


def test_a_trace_is_never_written_over(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    words = [str(BIN / "hopscope"), "run", "--dir", "mine", "--", *first_mpi.launch(2)]
    job = finish([*words, str(first_mpi.compile(HEAT_PLATE))], tmp_path / "mine", tmp_path)
    assert job.code == 2
    assert "name another directory" in job.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT", "Ctrl-C"])
def test_an_interrupted_job_still_leaves_its_trace(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path, signal_name: str
) -> None:
    words = [str(BIN / "hopscope"), "run", "--dir", "trace", "--", *first_mpi.launch(2)]
    words += [
        str(first_mpi.compile(HEAT_PLATE)),
        "--size",
        "64",
        "--sleep-ms",
        "20",
        "--iterations",
        "3000",
        "--tolerance",
        "0",
    ]
    terminal, its_end = pty.openpty()
    with subprocess.Popen(
        ["setsid", "--ctty", *words],
        cwd=tmp_path,
        stdin=its_end,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as job:
        assert job.stdout is not None
        for line in job.stdout:
            if line.startswith("iteration 20 "):
                break
        # A terminal's Ctrl-C reaches all processes in the foreground, a batch system's SIGTERM only the first process.
        if signal_name == "Ctrl-C":
            os.write(terminal, b"\x03")
        else:
            job.send_signal(signal.Signals[signal_name])
        _, err = job.communicate(timeout=120)
    os.close(terminal)
    os.close(its_end)
    assert job.returncode != 0
    assert "next: analyze trace" in err, err
    calls = analyze(tmp_path / "trace", "sql", "select count(*) n from calls where rank = 0")
    assert calls[0]["n"] >= 20


def test_mpi4py_programs_are_traced(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    program = tmp_path / "sum.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "total = sum(MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank) for _ in range(10))\n"
        "print(f'total={total}') if MPI.COMM_WORLD.rank == 0 else None\n"
    )
    library = find_mpi([str(mpi.compile(HEAT_PLATE))]).path
    assert library is not None
    folder = library.parent
    # The wheel has an extension for each ABI. MPICH's needs libmpi.so.12, which Debian calls libmpich.so.12.
    if library.name.startswith("libmpich."):
        folder = tmp_path / "abi"
        folder.mkdir()
        (folder / "libmpi.so.12").symlink_to(library)
    words = [str(BIN / "hopscope"), "run", "--dir", "trace", "--tree", "binomial", "--", *mpi.launch(3)]
    words += [str(BIN / "python"), str(program)]
    environment = {"MPI4PY_MPIABI": mpi.flavour, "LD_LIBRARY_PATH": str(folder)}
    job = finish(words, tmp_path / "trace", tmp_path, **environment)
    assert job.code == 0, job.err
    assert "total=30" in job.out
    assert analyze(job.trace, "sql", "select count(*) n from hops")[0]["n"] == 10 * 2 * 2
