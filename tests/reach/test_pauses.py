"""A recording that the program stops and starts is exact while it is on, and the trace reports the rest."""

import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import hopscope
import local_mpi
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def traced(
    mpi: local_mpi.LocalMpi, program: str, ranks: int, folder: Path, *arguments: str, options: tuple[str, ...] = ()
) -> tuple[hopscope.Trace, list[list[str]]]:
    """The trace, and the words of every printed line."""
    executable = mpi.compile(PROGRAMS / program, "-I", str(local_mpi.ROOT / "collector" / "include"))
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", *options, "--"]
    done = subprocess.run(
        [*run, *mpi.launch(ranks), str(executable), *arguments],
        cwd=folder,
        env={**os.environ, **mpi.patience()},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return hopscope.open(folder / "trace"), [line.split() for line in done.stdout.splitlines()]


OBSERVE, TREE = (), ("--tree", "binomial")
CASES = [
    pytest.param(seed, options, id=f"{seed}-{'tree' if options else 'observe'}", marks=marks)
    for seed in range(1, 4)
    for options in (OBSERVE, TREE)
    for marks in [() if (seed, options) in ((1, OBSERVE), (2, TREE)) else pytest.mark.statistics]
]


@pytest.mark.parametrize(("seed", "options"), CASES)
def test_messages_and_collectives_match_across_gaps(
    mpi: local_mpi.LocalMpi, seed: int, options: tuple[str, ...], tmp_path: Path
) -> None:
    """Each message has its own size, so that a wrong match would show."""
    trace, lines = traced(mpi, "pauses.c", 3, tmp_path, str(seed), options=options)
    sent, received, collectives = {}, {}, defaultdict(list)
    for kind, rank, *rest in lines:
        if kind == "collective":
            collectives[int(rest[0])].append(rest[1] == "1")
        else:
            peer, size, recorded = (int(word) for word in rest)
            pair = (int(rank), peer) if kind == "sent" else (peer, int(rank))
            (sent if kind == "sent" else received)[*pair, size] = bool(recorded)
    assert set(sent) == set(received)
    assert len(set(sent.values()) | set(received.values())) == 2, "the seed makes no gap, or nothing but one"
    matched = {message for message in sent if sent[message] and received[message]}
    messages = trace.table("messages").select(["src", "dst", "bytes"]).to_pylist()
    assert Counter((m["src"], m["dst"], m["bytes"]) for m in messages) == Counter(matched)

    completeness = {
        c["seq"]: c["complete"] for c in trace.table("collectives").to_pylist() if c["op"] == "MPI_Allreduce"
    }
    expected = {number: all(members) for number, members in enumerate(m for _, m in sorted(collectives.items()))}
    assert completeness == {
        number: whole for number, whole in expected.items() if whole or any(_members(collectives, number))
    }

    caveats = {row["kind"]: row["sentence"] for row in trace.limits()}
    assert "on 3 of 3 ranks" in caveats["unrecorded"]
    lost_sends = sum(recorded and message not in matched for message, recorded in sent.items())
    assert (f"the receive of {lost_sends} send" in caveats["missing"]) == (lost_sends > 0)
    assert {row["verdict"] for row in trace.check_data().to_pylist()} <= {"holds", "exempt", "nothing to check"}


def _members(collectives: dict[int, list[bool]], number: int) -> list[bool]:
    return [members for _, members in sorted(collectives.items())][number]
