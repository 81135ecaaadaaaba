"""Messages of MPI-4, under every library that has them, are matched by their kind."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest

SOURCE = Path(__file__).parent / "programs" / "mpi4_messages.c"
LIBRARIES = [mpi for mpi in local_mpi.find_all() if mpi.release != "openmpi-4"]


@pytest.mark.parametrize("mpi", LIBRARIES, ids=[mpi.release for mpi in LIBRARIES])
def test_partitioned_messages_and_isendrecv_are_messages(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = [*mpi.launch(2), str(mpi.compile(SOURCE))]
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--"]
    for prefix in ([], run):
        done = subprocess.run([*prefix, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, done.stderr
        # 3 starts with 0 + ... + 7 each, and 0 + 1 + 2 from the ordinary messages with the same tag.
        assert sorted(done.stdout.splitlines()) == ["rank 0: 0 12 17", "rank 1: 87 2 7"]
    trace = hopscope.open(tmp_path / "trace")
    assert trace.table("run")["missing"].to_pylist() == [None]
    messages = trace.table("messages").to_pylist()
    assert Counter((m["src"], m["dst"], m["tag"], m["bytes"]) for m in messages) == {
        (0, 1, 7, 32): 3,
        (0, 1, 7, 4): 3,
        (0, 1, 8, 12): 1,
        (1, 0, 8, 12): 1,
        (0, 1, 9, 16): 1,
        (1, 0, 9, 16): 1,
    }
    # A partitioned message counts as sent when its last part is ready, after the ordinary message of its round.
    order = [m["bytes"] for m in sorted(messages, key=lambda m: m["send_begin_ns"]) if m["tag"] == 7]
    assert order == [4, 32] * 3
    calls = Counter((i["region"], i["rank"], i["kind"]) for i in trace.table("intervals").to_pylist())
    assert calls["MPI_Pready", 0, "p2p"] == calls["MPI_Pready_list", 0, "p2p"] == 3
    assert calls["MPI_Pready_range", 0, "p2p"] == 3
    assert calls["MPI_Parrived", 1, "wait"] >= 3
    assert calls["MPI_Isendrecv", 1, "p2p"] == (1 if mpi.release == "mpich-4" else 2)
    assert calls["MPI_Request_get_status", 0, "wait"] >= 1
