"""An application that limits the size of its files gets SIGXFSZ only for its own writes, whatever the collector
writes."""

import os
import subprocess
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library
from kept_events import assemble, read_archive

pytestmark = pytest.mark.unfinished

PROGRAM = Path(__file__).parent / "programs" / "limited_files.c"
RANKS = 2
AS_IT_SHOULD = 7
AMPLE_BYTES = 10_000_000


def run(mpi: local_mpi.LocalMpi, folder: Path, limit: int, handling: str, shell: str = "", **settings: str) -> str:
    """Runs the program, which checks its signals itself. Returns its output."""
    prefix = ["sh", "-c", f'exec "$0" "$@" {shell}'] if shell else []
    program = str(mpi.compile(PROGRAM, "-pthread"))
    words = [*mpi.launch(RANKS), *prefix, "env", f"LD_PRELOAD={collector_library(mpi.release)}", program]
    environment = {"HOPSCOPE_DIR": str(folder / "trace"), "HOPSCOPE_SPOOL_CHUNK_BYTES": "4096", **settings}
    done = subprocess.run(
        [*words, str(limit), handling, str(folder / "own")],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    if handling == "ended":
        assert done.returncode not in (0, 1, AS_IT_SHOULD), done.stdout
    else:
        assert done.returncode == AS_IT_SHOULD, done.stdout
    assert "limited_files:" not in done.stdout
    return done.stdout


@pytest.mark.parametrize(("limit", "tree"), [(0, "binomial"), (2000, ""), (100_000, ""), (AMPLE_BYTES, "binomial")])
def test_a_limit_on_the_size_of_files_ends_the_recording_and_not_the_run(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path, limit: int, tree: str
) -> None:
    output = run(first_mpi, tmp_path, limit, "default", HOPSCOPE_TREE=tree)
    stopped = [line for line in output.splitlines() if "recording stopped on rank" in line]
    assert len(stopped) == (RANKS if limit < AMPLE_BYTES else 0), output
    assert all("File too large. The application continues" in line for line in stopped)
    _, missing = assemble(tmp_path / "trace")
    archive = read_archive(tmp_path / "trace")
    if limit == AMPLE_BYTES:
        assert missing == ""
        assert all(archive[rank].calls[-1] == "MPI_Finalize" for rank in range(RANKS))
    else:
        # If the files were below the limit, MPI_Finalize has already made an archive, with this message.
        assert "did after recording stopped" in output + missing
        assert all(archive[rank].calls.count("MPI_Allreduce") >= 20 for rank in range(RANKS))


@pytest.mark.parametrize(("limit", "handling"), [(0, "handled"), (0, "ended"), (0, "pending"), (100_000, "handled")])
def test_the_signal_stays_the_applications(mpi: local_mpi.LocalMpi, tmp_path: Path, limit: int, handling: str) -> None:
    """A handler is called only for the application's own writes. Without a handler these end the program. A signal that
    was pending before remains pending. Regression: in MPI_Finalize, MPICH 5 wrote for the collector's communicator."""
    assert "recording stopped on rank" in run(mpi, tmp_path, limit, handling)


def test_a_line_on_a_stderr_that_is_a_full_file_is_lost_and_nothing_else(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    output = run(first_mpi, tmp_path, 0, "handled", shell="2>err")
    assert "recording stopped" not in output
    assert "recording stopped" not in (tmp_path / "err").read_text()
