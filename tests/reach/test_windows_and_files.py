"""One-sided communication and files are MPI: they are recorded, never count as computing, and have last arrivals if MPI
synchronises.

Regression: fences counted as computing, 790 of 1,180 ms.
"""

import os
import subprocess
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from traced_worlds import Traced, program, run

RANKS = 3


def traced(mpi: local_mpi.LocalMpi, folder: Path, name: str, *words: str) -> Traced:
    """Runs a program with and without the collector, checks that both runs print the same, and that the trace lacks
    nothing. Returns the trace."""
    words = (*words, str(folder / "file"))
    done = run(mpi, folder, RANKS, program(mpi, name), *words)
    assert done.returncode == 0, done.stderr
    plain = subprocess.run(
        [*mpi.launch(RANKS), str(program(mpi, name)), *words],
        cwd=folder,
        env={**os.environ, **mpi.patience()},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    trace = Traced(folder / "trace")
    assert trace.facts["missing"] == []
    rules = trace.trace.run("check_data").to_pylist()
    assert [rule for rule in rules if rule["beyond"]] == []
    return trace


def collectives(trace: Traced) -> Counter[tuple[str, bool]]:
    """The number of collectives of each function, complete or not."""
    return Counter((row["op"], row["complete"]) for row in trace.rows("collectives"))


def calls(trace: Traced) -> Counter[tuple[str, str]]:
    """The number of calls that are not collectives, by function and kind."""
    return Counter((row["region"], row["kind"]) for row in trace.rows("intervals"))


def categories(trace: Traced) -> dict[str, int]:
    return {row["category"]: row["time_ns"] for row in trace.trace.run("critical_path", by="category").to_pylist()}


def test_fences_synchronise_and_puts_are_one_sided(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, "windows", "fences")
    assert collectives(trace) == {
        ("MPI_Win_allocate", True): 1,
        ("MPI_Win_fence", True): 20,
        ("MPI_Win_free", True): 1,
    }
    counts = calls(trace)
    assert counts["MPI_Win_fence", "rma"] == RANKS  # the first fence, which has no transfers before it
    assert counts["MPI_Put", "rma"] == 10 * RANKS
    names = {row["comm"]: row["name"] for row in trace.comms}
    assert {names[row["comm"]] for row in trace.rows("collectives") if row["op"] == "MPI_Win_fence"} == {"halo"}
    assert categories(trace)["rma"] > 0
    last = trace.trace.run("last_arrivals", by="rank").to_pylist()
    assert sum(row["share"] for row in last) == pytest.approx(1)


def test_a_window_outlives_its_communicator(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, "windows", "queue")
    assert collectives(trace) == {
        ("MPI_Comm_dup", True): 1,
        ("MPI_Win_allocate", True): 1,
        ("MPI_Barrier", True): 1,
        ("MPI_Win_fence", True): 2,
        ("MPI_Reduce", True): 1,
        ("MPI_Win_free", True): 1,
    }
    counts = calls(trace)
    assert counts["MPI_Fetch_and_op", "rma"] == counts["MPI_Win_flush", "rma"] == 10 + RANKS
    assert counts["MPI_Win_lock_all", "rma"] == counts["MPI_Win_unlock_all", "rma"] == RANKS


def test_epochs_of_pairs_are_one_sided(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, "windows", "pairs")
    counts = calls(trace)
    for function in ("MPI_Win_post", "MPI_Win_start", "MPI_Win_complete"):
        assert counts[function, "rma"] == 10 * RANKS
    assert counts["MPI_Win_wait", "rma"] == 5 * RANKS
    assert counts["MPI_Win_test", "rma"] >= 5 * RANKS
    assert counts["MPI_Rput", "rma"] == RANKS


def test_epochs_wait_for_the_rank_that_posts_and_completes_late(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Regression: nobody was waited for, so the diagnosis did not see rank 1's computing.
    trace = traced(mpi, tmp_path, "windows", "late")
    ends = Counter((row["tag"], row["src"], row["dst"]) for row in trace.rows("messages"))
    posts = {(0, rank, (rank - 1) % RANKS): 10 for rank in range(RANKS)}
    completes = {(1, rank, (rank + 1) % RANKS): 10 for rank in range(RANKS)}
    assert ends == posts | completes
    late_ends = [row for row in trace.trace.messages(by="rank").to_pylist() if row["waiting_caused_ns"]]
    assert max(late_ends, key=lambda row: row["waiting_caused_ns"])["rank"] == 1
    first = trace.trace.diagnose().to_pylist()[0]
    assert first["kind"] in ("imbalance", "serial-section")
    assert first["ranks"] == [1]
    assert first["call_sites"][0]["mpi"] == "MPI_Win_post"


def test_waits_for_transfers_are_one_sided(
    mpi: local_mpi.LocalMpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: these waits were of the category `mpi`.
    if mpi.release == "openmpi-4":  # its other components do not make windows of the program's own memory here
        monkeypatch.setenv("OMPI_MCA_osc", "pt2pt")
    trace = traced(mpi, tmp_path, "windows", "requests")
    counts = calls(trace)
    assert counts["MPI_Wait", "rma"] == counts["MPI_Waitany", "rma"] == RANKS
    assert counts["MPI_Test", "rma"] == RANKS
    assert (counts["MPI_Waitall", "rma"], counts["MPI_Waitall", "mixed"]) == (RANKS, RANKS)


def test_files_synchronise_where_they_open_close_and_resize(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, "files", "checkpoints")
    assert collectives(trace) == {
        ("MPI_File_open", True): 5,
        ("MPI_File_set_size", True): 5,
        ("MPI_File_close", True): 5,
        ("MPI_Barrier", True): 5,
    }
    counts = calls(trace)
    for function in ("set_view", "write_all", "sync", "read_at_all_begin", "read_at_all_end", "get_size"):
        assert counts[f"MPI_File_{function}", "io"] == 5 * RANKS
    assert "file file" in {row["name"] for row in trace.comms}
    assert categories(trace)["io"] > 0
    message_kinds = ("latency-bound", "bandwidth-bound")
    entries = [row for row in trace.trace.diagnose().to_pylist() if row["kind"] in message_kinds]
    assert not [site for row in entries for site in row["call_sites"] or () if site["mpi"].startswith("MPI_File_")]


def test_shared_pointers_and_requests_are_files(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, "files", "log")
    assert collectives(trace)["MPI_File_preallocate", True] == 1
    counts = calls(trace)
    for function in ("write_ordered", "seek_shared", "read_shared", "iwrite_at"):
        assert counts[f"MPI_File_{function}", "io"] == RANKS
    assert counts["MPI_File_iread_at", "io"] == 3 * RANKS
    assert (counts["MPI_Wait", "io"], counts["MPI_Waitall", "io"], counts["MPI_Waitall", "mixed"]) == (RANKS,) * 3


@pytest.mark.parametrize("name", ["windows", "files"])
def test_errors_come_back_as_they_are(mpi: local_mpi.LocalMpi, name: str, tmp_path: Path) -> None:
    trace = traced(mpi, tmp_path, name, "errors")
    assert all(complete for _, complete in collectives(trace))
