"""Runs jobs of several worlds under the collector, and compares their traces with the members that the processes print
for their communicators (programs/told.h)."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
import local_mpi

PROGRAMS = Path(__file__).parent / "programs"
HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))
RELEASES = {mpi.release: mpi for mpi in local_mpi.find_all()}


DYNAMIC = [RELEASES[release] for release in ("openmpi-4", "mpich-5") if release in RELEASES]
"""MPI libraries whose processes can start others and connect to others. Debian's MPICH 4 cannot (its MPI_Comm_spawn and
MPI_Open_port fail). Open MPI 5 has one separate test, because it takes long and itself hangs in some of the others."""

Pids = tuple[tuple[int, ...], ...]


def settings(mpi: local_mpi.LocalMpi) -> dict[str, str]:
    """Variables that a library in its own folder needs, and those that let ranks make progress if they outnumber the
    cores."""
    prefix = Path(mpi.compiler).parents[1]
    return mpi.patience() | ({"OPAL_PREFIX": str(prefix)} if mpi.release == "openmpi-5" else {})


def program(mpi: local_mpi.LocalMpi, name: str = "worlds") -> str:
    return str(mpi.compile(PROGRAMS / f"{name}.c"))


def run(
    mpi: local_mpi.LocalMpi, cwd: Path, ranks: int, *words: str, seconds: int = 150, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a job under `hopscope run`, with its trace in cwd/trace."""
    return subprocess.run(
        ["timeout", str(seconds), HOPSCOPE, "run", "--dir", "trace", "--", *mpi.launch(ranks), *words],
        cwd=cwd,
        env={**os.environ, **settings(mpi), **variables},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def printed_members(output: str) -> dict[str, set[Pids]]:
    """The members of communicators by name, as the processes print them."""
    pids_by_name: dict[str, set[Pids]] = {}
    for line in output.splitlines():
        words = re.fullmatch(r"(.*): ([ 0-9|]+)", line)
        assert words, line
        name, pids = words.groups()
        pids_by_name.setdefault(name, set()).add(tuple(tuple(map(int, group.split())) for group in pids.split("|")))
    return pids_by_name


class Traced:
    """A trace's tables, with processes instead of ranks. Every call of its program was recorded, so no message may
    count as unseen."""

    def __init__(self, directory: Path) -> None:
        self.trace = hopscope.open(directory)
        self.ranks = self.rows("ranks")
        self.comms = self.rows("comms")
        self.facts: dict[str, Any] = json.loads((directory / "run.json").read_text())
        assert (self.facts["native_messages"] or {}).get("unseen", 0) == 0

    def rows(self, table: str) -> list[dict[str, Any]]:
        return self.trace.table(table).to_pylist()

    def members(self) -> dict[str, set[tuple[int, ...]]]:
        """The pids of the members of communicators by name; for an intercommunicator, both groups one after the
        other."""
        pids_by_name: dict[str, set[tuple[int, ...]]] = {}
        for comm in self.comms:
            pids = tuple(self.ranks[rank]["pid"] for rank in comm["members"])
            pids_by_name.setdefault(comm["name"], set()).add(pids)
        return pids_by_name

    def worlds(self) -> list[int]:
        """The sizes of the worlds."""
        numbers = [rank["world"] for rank in self.ranks]
        return [numbers.count(world) for world in sorted(set(numbers))]

    def collectives(self, name: str) -> Iterator[dict[str, Any]]:
        comms = {comm["comm"] for comm in self.comms if comm["name"] == name}
        return (row for row in self.rows("collectives") if row["comm"] in comms)


def assert_agrees(traced: Traced, output: str) -> None:
    """Asserts that every printed communicator is in the trace with its members, and that the trace has no others.

    Several communicators may have one name: MPI_COMM_WORLD in several worlds, and those that are made several times.
    """
    printed, traced_members = printed_members(output), traced.members()
    for name, members in printed.items():
        expected = {tuple(pid for group in groups for pid in group) for groups in members}
        swapped = {tuple(pid for group in groups[::-1] for pid in group) for groups in members}
        # The group with the lower ranks of an intercommunicator comes first.
        assert traced_members[name] in (expected, swapped), name
        if name != "MPI_COMM_SELF":
            comms = [comm["comm"] for comm in traced.comms if comm["name"] == name]
            assert len(comms) == len(members), f"{name} is {len(comms)} communicators"
    assert not {name for name in traced_members if not re.match(r"MPI_COMM_|comm \d", name)} - printed.keys()


def assert_matched(traced: Traced, output: str) -> None:
    """Asserts that each collective is complete, with all members of its communicator, and that each message has both
    ends."""
    size = {comm["comm"]: len(comm["members"]) for comm in traced.comms}
    calls: dict[int, int] = {}
    for call in traced.rows("calls"):
        calls[call["collective_id"]] = calls.get(call["collective_id"], 0) + 1
    for row in traced.rows("collectives"):
        assert (row["complete"], calls[row["collective_id"]]) == (True, size[row["comm"]]), row
    names = {comm["comm"]: comm["name"] for comm in traced.comms}
    pids = [rank["pid"] for rank in traced.ranks]
    pairs = {(names[m["comm"]], pids[m["src"]], pids[m["dst"]]) for m in traced.rows("messages")}
    for name, lists in printed_members(output).items():
        for groups in lists:
            if len(groups) == 1 and name != "MPI_COMM_SELF":
                ring = zip(groups[0], groups[0][1:] + groups[0][:1], strict=True)
                assert {(name, a, b) for a, b in ring} <= pairs, name
