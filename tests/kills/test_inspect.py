"""`hopscope inspect` on jobs that hang, while they run and after they were killed."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import jsonschema
import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.launch import collector_library, job
from hopscope.launch.inspection import Inspection

pytestmark = pytest.mark.unfinished

SCHEMAS = Path(__file__).parents[2] / "schemas"
BIN = Path(sys.executable).parent
PROGRAM = Path(__file__).parent / "programs" / "hangs.c"
RANKS = 4
HANGING_SEQ = 7
"""The number of the hanging collective on MPI_COMM_WORLD: two communicators and five Allreduces were made before it."""
Document = dict[str, Any]


def inspect(trace: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = [str(BIN / "hopscope"), "inspect", str(trace), *options]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def states(collective: Document) -> list[str]:
    return [member["state"] for member in collective["members"]]


def call_of(document: Document, rank: int) -> Document:
    return document["ranks"][rank]["threads"][0]["call"]


def absent(document: Document) -> bool:
    """The expected state: rank 2 computes; the others are in the Allreduce over a tree, and each waits for a hop."""
    (collective,) = document["open_collectives"]
    assert (collective["function"], collective["seq"]) == ("MPI_Allreduce", HANGING_SEQ)
    assert states(collective) == ["inside", "inside", "absent", "inside"]
    assert call_of(document, 2) is None
    assert document["ranks"][2]["threads"][0]["last"]["function"] == "MPI_Allreduce"
    waits = {
        r: [(h["kind"], h["role"], h["peer"]) for h in document["ranks"][r]["threads"][0]["open"]] for r in (0, 1, 3)
    }
    assert waits == {0: [("receive", "up", 2)], 1: [("receive", "down", 0)], 3: [("receive", "down", 2)]}
    assert all(document["ranks"][rank]["threads"][0]["waits_ns"] is not None for rank in waits)
    assert any("ranks 0-1, 3 ultimately wait for rank 2" in sentence for sentence in document["sentences"])
    return True


def absent_natively(document: Document) -> bool:
    """The expected state without a tree: the library's own messages show the rank that each rank waits for, step by
    step."""
    (collective,) = document["open_collectives"]
    assert states(collective) == ["inside", "inside", "absent", "inside"]
    waits: dict[int, int] = {}
    for rank in (0, 1, 3):
        (message,) = [
            request for request in document["ranks"][rank]["threads"][0]["open"] if request["kind"] == "receive"
        ]
        assert (message["tree"], message["role"]) == ("native:Open MPI", "unknown")
        waits[rank] = message["peer"]
    for rank in waits:
        way = [rank]
        while way[-1] in waits and len(way) <= RANKS:
            way.append(waits[way[-1]])
        assert way[-1] == 2
    assert any("ranks 0-1, 3 ultimately wait for rank 2" in sentence for sentence in document["sentences"])
    return True


def operations(document: Document) -> bool:
    (collective,) = document["open_collectives"]
    assert collective["seq"] == HANGING_SEQ
    assert states(collective) == ["inside", "elsewhere", "inside", "inside"]
    assert collective["members"][1]["function"] == "MPI_Barrier"
    assert any("rank 1 MPI_Barrier" in sentence for sentence in document["sentences"])
    return True


def receive(document: Document) -> bool:
    (collective,) = document["open_collectives"]
    assert collective["function"] == "MPI_Barrier"
    assert states(collective) == ["absent", "inside", "inside", "inside"]
    call = call_of(document, 0)
    assert (call["function"], call["peer"], call["tag"]) == ("MPI_Recv", 1, 77)
    assert any("wait for one another" in sentence for sentence in document["sentences"])
    return True


def comms(document: Document) -> bool:
    assert [c["name"] for c in document["open_collectives"]] == ["first", "second"]
    assert states(document["open_collectives"][0]) == ["inside", "absent", "inside", "absent"]
    assert states(document["open_collectives"][1]) == ["absent", "inside", "absent", "inside"]
    assert any("wait for one another" in sentence for sentence in document["sentences"])
    return True


def started(document: Document) -> bool:
    (collective,) = document["open_collectives"]
    assert (collective["function"], collective["name"]) == ("MPI_Iallreduce", "first")
    assert states(collective) == ["inside", "inside", "absent", "inside"]
    assert call_of(document, 0)["function"] == "MPI_Wait"
    started, *messages = document["ranks"][0]["threads"][0]["open"]
    assert started["kind"] == "collective"
    # by Open MPI's own messages
    assert [(message["kind"], message["peer"]) for message in messages] == [("receive", 2)] * len(messages)
    assert any("ultimately wait for rank 2" in sentence for sentence in document["sentences"])
    return True


def roots(document: Document) -> bool:
    (collective,) = document["open_collectives"]
    assert (collective["function"], collective["seq"]) == ("MPI_Bcast", HANGING_SEQ)
    assert states(collective) == ["inside"] * RANKS
    assert [member["root"] for member in collective["members"]] == [1, 0, 0, 0]
    (sentence,) = document["sentences"]
    assert sentence.endswith("differ: ranks 1-3 name root 0, rank 0 names root 1; all members must name the same one")
    return True


def lock(document: Document) -> bool:
    # Regression: nobody was named.
    for rank in (2, 3):
        call = call_of(document, rank)
        assert call is not None
        assert call["function"] in ("MPI_Win_lock", "MPI_Put", "MPI_Win_unlock")
        if call["function"] != "MPI_Put":
            assert call.get("peer") == 0
    (held,) = document["ranks"][1]["threads"][0]["locks"]
    assert (held["peer"], held["exclusive"]) == (0, True)
    assert any("ranks 0, 2-3 ultimately wait for rank 1: " in sentence for sentence in document["sentences"])
    return True


def access(document: Document) -> bool:
    call = call_of(document, 0)
    assert call is not None
    assert call["function"] in ("MPI_Win_start", "MPI_Win_complete")
    assert call.get("peer") == 2
    assert any("ranks 0-1, 3 ultimately wait for rank 2: " in sentence for sentence in document["sentences"])
    return True


def exposure(document: Document) -> bool:
    call = call_of(document, 0)
    assert call is not None
    assert (call["function"], call.get("peer")) == ("MPI_Win_wait", 2)
    assert any("ranks 0-1, 3 ultimately wait for rank 2: " in sentence for sentence in document["sentences"])
    return True


def circle(document: Document) -> bool:
    assert document["open_collectives"] == []
    for rank in range(RANKS):
        (request,) = document["ranks"][rank]["threads"][0]["open"]
        assert call_of(document, rank)["function"] == "MPI_Wait"
        assert (request["kind"], request["peer"], request["tag"]) == ("receive", (rank + 1) % RANKS, 5)
    assert "ranks 0-3 wait for one another: 0 > 1 > 2 > 3 > 0" in document["sentences"]
    return True


def has_all_ranks(document: Document) -> bool:
    return len(document["ranks"]) == RANKS and all(rank["threads"] for rank in document["ranks"])


def wait_until_it_hangs(trace: Path, expected: Callable[[Document], bool]) -> Document:
    """Waits until the job looks as expected. On timeout, the test fails as the last inspection did."""
    deadline = time.monotonic() + 100
    while True:
        try:
            document = Inspection(job.inspect(trace)).document()
            assert has_all_ranks(document)
            assert expected(document)
            return document
        except (AssertionError, ValueError, InputError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def assert_places_are_lines_of_the_program(document: Document) -> None:
    """Asserts that call sites are source lines of the program. Regression: they were the program's file and an
    offset."""
    lines = PROGRAM.read_text().splitlines()
    threads = [thread for rank in document["ranks"] for thread in rank["threads"]]
    calls = [call for thread in threads for call in (thread["call"], thread["last"]) if call is not None]
    for call in calls:
        place = re.fullmatch(r"main \(hangs\.c:(\d+)\)", call["place"])
        assert place is not None, call["place"]
        assert call["function"] in lines[int(place[1]) - 1]
    assert calls


def looked_at(
    mpi: local_mpi.LocalMpi, trace: Path, hang_name: str, expected: Callable[[Document], bool], tree: str
) -> None:
    """Asserts that the inspection finds the expected state while the job hangs and after the job was killed."""
    settings = {"HOPSCOPE_DIR": str(trace), "HOPSCOPE_TREE": tree}
    preload = f"LD_PRELOAD={collector_library(mpi.release)}"
    words = [*mpi.launch(RANKS), "env", preload, str(mpi.compile(PROGRAM, "-g")), hang_name]
    hanging = subprocess.Popen(
        words,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        document = wait_until_it_hangs(trace, expected)
        assert {rank["state"] for rank in document["ranks"]} == {"running"}
        assert document["now_ns"] >= document["last_ns"]
        assert_places_are_lines_of_the_program(document)
    finally:
        hanging.send_signal(signal.SIGTERM)
        hanging.communicate(timeout=100)
    for rank in document["ranks"]:
        wait_for_end(rank["pid"])
    dead = Inspection(job.inspect(trace)).document()
    assert {rank["state"] for rank in dead["ranks"]} == {"died"}
    assert expected(dead)
    jsonschema.validate(dead, json.loads((SCHEMAS / "inspection.schema.json").read_text()))


MPIS = local_mpi.find()
HANGS = [(expected, mpi) for expected in (absent, started, lock, access, exposure) for mpi in MPIS]
HANGS += [
    (expected, MPIS[place % len(MPIS)])
    for place, expected in enumerate([operations, receive, comms, roots, circle])
    if MPIS
]
HANGS += [(absent, mpi) for mpi in local_mpi.find_intel()]
"""Hangs that depend on the library's messages run under each library, the others under one library each."""


@pytest.mark.parametrize(
    ("expected", "mpi"),
    HANGS,
    ids=[f"{mpi.flavour if mpi in MPIS else mpi.release}-{expected.__name__}" for expected, mpi in HANGS],
)
def test_a_hanging_job_is_explained(
    expected: Callable[[Document], bool], mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    looked_at(mpi, trace, expected.__name__, expected, "binomial" if expected is absent else "")
    if expected is absent:
        (collective,) = json.loads(inspect(trace, "--format", "json").stdout)["open_collectives"]
        assert states(collective) == ["inside", "inside", "absent", "inside"]
        printed = inspect(trace).stdout
        assert f"MPI_Allreduce #{HANGING_SEQ} on MPI_COMM_WORLD: 3 of 4 in it" in printed
        assert "its process died" in printed
        assert "called from main (hangs.c:" in printed
        words = f"{shlex.join([str(BIN / 'hopscope'), 'inspect', str(trace)])} | true"
        closed = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=True, timeout=60)
        assert closed.stderr == ""  # a reader that closes the pipe early is no error
    if expected in (absent, circle):
        assert_first_cause_says_who_waits(hopscope.open(trace), Inspection(job.inspect(trace)))


_MOMENT = re.compile(r", at [\d.]+ s")


def assert_first_cause_says_who_waits(trace: hopscope.Trace, inspection: Inspection) -> None:
    """Asserts that diagnosis and caveats begin with the end of the run, with the sentences of `inspect`."""
    first = trace.diagnose().to_pylist()[0]
    assert (first["kind"], first["severity"]) == ("unfinished", "PROBLEM")
    assert f"The run did not finish: {RANKS} ranks (0, 1, 2, 3) ended before MPI_Finalize." in first["sentence"]
    # Once the archive is made, a moment may be rounded to another microsecond.
    caveat = _MOMENT.sub("", trace.caveats()[0])
    for sentence in inspection.sentences():
        assert _MOMENT.sub("", sentence[1:]) in caveat


OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]


@pytest.mark.parametrize("mpi", OPEN_MPI, ids=[mpi.release for mpi in OPEN_MPI])
def test_in_a_hanging_collective_of_open_mpi_each_rank_waits_for_a_message(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    looked_at(mpi, tmp_path / "trace", "absent", absent_natively, "")


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 100
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, f"process {pid} does not end"
        time.sleep(0.05)


def test_what_holds_no_recordings_is_said(tmp_path: Path) -> None:
    printed = inspect(tmp_path)
    assert printed.returncode == 2
    assert "contains no recordings" in printed.stderr
