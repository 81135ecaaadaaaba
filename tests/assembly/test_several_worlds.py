"""Worlds with nested spool directories: which ranks the archive connects, and which it does not."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spooled_trace import Trace, process

NewTrace = Callable[[str], Trace]


def process_in_world(rank: int, size: int, **entries: str) -> str:
    """The definition lines of a process and of its MPI_COMM_WORLD (id 1)."""
    members = str(list(range(size))) if rank == 0 else "null"
    return process(rank, size, **entries) + (
        f'def {rank} {{"def":"comm","id":1,"key":"01","parent":"00","name":"MPI_COMM_WORLD","size":{size},'
        f'"rank":{rank},"members":{members},"inter":false}}\n'
    )


def meets(rank: int, number: int, origin: str, local: list[int], remote: list[int], **entries: object) -> str:
    """The definition line of one group's side of an intercommunicator, as the member with this rank writes it. entries:
    further entries, which only the leader has."""
    rest = "".join(f',"{key}":{json.dumps(value)}' for key, value in entries.items())
    return (
        f'def {rank} {{"def":"comm","id":{number},"key":"{number + 16:02x}","parent":"01","name":"{origin}",'
        f'"size":{len(local)},"rank":{local.index(rank)},"members":{local},"remote":{remote},"inter":true,'
        f'"origin":"{origin}","salt":"00","nth":{number - 1},"leads":{"true" if entries else "false"}{rest}}}\n'
    )


def barrier(rank: int, begin: int, comm: int) -> str:
    return (
        f"spool {rank} 0 closed\n{begin} ENTER region=MPI_Barrier comm={comm} b=0 c=none\n"
        f"{begin + 5} LEAVE region=MPI_Barrier\n"
    )


def child(parent: Trace, name: str, begin: int, *, parent_rank: int = -1, **entries: str) -> None:
    """Writes a spawned world of one process, which calls a Barrier on the communicator with its parents."""
    Trace(parent.directory / f"spawned-{name}", parent.writer).write(
        process_in_world(0, 1, spawned="true", parent_rank=str(parent_rank), **entries)
        + meets(0, 2, "parent", [0], [1], began=begin, ended=begin + 5)
        + barrier(0, begin + 10, 2)
    )


def spawner(rank: int, begin: int, end: int, foreign: int, number: int = 2) -> str:
    return meets(rank, number, "spawn", [rank], [foreign], began=begin, ended=end)


def pairs(trace: Trace) -> list[list[str]]:
    """The members of both groups of every intercommunicator, each of whose groups has one rank."""
    lines = [line.split(None, 2) for line in trace.print("-G") if line.startswith(("GROUP ", "INTER_COMM "))]
    members = {number: re.findall(r"Members?: (\d+)|$", text)[0] for kind, number, text in lines if kind == "GROUP"}
    communicators = [re.findall(r'Group [AB]: "" <(\d+)>', text) for kind, _, text in lines if kind == "INTER_COMM"]
    return sorted([members[group] for group in groups] for groups in communicators)


def facts(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "run.json").read_text())


def test_spawns_after_one_another_go_to_the_worlds_that_began_in_them(new_trace: NewTrace) -> None:
    trace = new_trace(
        process_in_world(0, 1)
        + spawner(0, 100, 200, 1)
        + spawner(0, 300, 400, 2, 3)
        + "spool 0 0 closed\n210 ENTER region=MPI_Barrier comm=2 b=0 c=none\n215 LEAVE region=MPI_Barrier\n"
        + "410 ENTER region=MPI_Barrier comm=3 b=0 c=none\n415 LEAVE region=MPI_Barrier\n"
    )
    child(trace, "b", 150)
    child(trace, "a", 350)
    assert trace.assemble() == ""
    assert [len(trace.events(rank)) for rank in range(3)] == [8, 4, 4]
    assert pairs(trace) == [["0", "1"], ["0", "2"]]
    assert not list(trace.directory.glob("spawned-*"))


def two_spawns_at_once(new_trace: NewTrace, *parents: int) -> Trace:
    trace = new_trace(
        process_in_world(0, 2)
        + spawner(0, 100, 200, 2)
        + barrier(0, 210, 2)
        + process_in_world(1, 2)
        + spawner(1, 110, 190, 2)
        + barrier(1, 210, 2)
    )
    for name, parent in zip("ab", parents, strict=True):
        child(trace, name, 150, parent_rank=parent)
    return trace


def test_spawns_at_one_time_are_not_guessed_at(new_trace: NewTrace) -> None:
    trace = two_spawns_at_once(new_trace, -1, -1)
    stderr = trace.assemble()
    assert (
        "the processes that 2 call(s) of MPI_Comm_spawn started (they were not recorded, or simultaneous spawns"
        in stderr
    )
    assert "the parents of 2 world(s) started by MPI_Comm_spawn" in stderr
    assert "4 message(s) and collectives on communicators shared with processes that could not be identified" in stderr
    assert trace.definitions("INTER_COMM") == []
    assert list(trace.directory.glob("spawned-*/spool/0.defs"))


def test_a_launcher_that_names_the_spawning_rank_tells_them_apart(new_trace: NewTrace) -> None:
    trace = two_spawns_at_once(new_trace, 1, 0)
    assert trace.assemble() == ""
    assert pairs(trace) == [["0", "3"], ["1", "2"]]  # rank 1 is the parent of world 1 (rank 2)


def test_a_world_on_another_machine_is_brought_to_the_reference_by_way_of_its_own(new_trace: NewTrace) -> None:
    # n2 is 1000 ns behind n1 (measured in world 0), and n3 is 50 ns behind n2 (measured in world 1).
    trip = '"ref_send":{0},"here_recv":{1},"here_send":{1},"ref_recv":{0},"ref_host":"{2}","spread_ns":0'
    trace = new_trace(
        process_in_world(0, 2)
        + "spool 0 0 closed\n5000 SEND comm=1 peer=1 b=1\n9000 SEND comm=1 peer=1 b=1\n"
        + process_in_world(1, 2, machine="n2")
        + f'def 1 {{"def":"round_trip",{trip.format(6000, 5000, "n1")}}}\n'
        + "spool 1 0 closed\n4000 RECV comm=1 peer=0 b=1\n8000 RECV comm=1 peer=0 b=1\n"
    )
    Trace(trace.directory / "spawned-x", trace.writer).write(
        process_in_world(0, 2, machine="n2")
        + "spool 0 0 closed\n6000 SEND comm=1 peer=1 b=1\n"
        + process_in_world(1, 2, machine="n3")
        + f'def 1 {{"def":"round_trip",{trip.format(6000, 5950, "n2")}}}\n'
        + "spool 1 0 closed\n5960 RECV comm=1 peer=0 b=1\n"
    )
    assert trace.assemble() == ""
    offsets = {clock["host"]: clock["offset_ns"] for clock in facts(trace.directory)["clocks"]}
    assert offsets == {"n1": 0, "n2": 1000, "n3": 1050}


def test_two_machines_that_two_worlds_call_by_one_name_stay_two(new_trace: NewTrace) -> None:
    trace = new_trace(process_in_world(0, 1, boot='"one"') + barrier(0, 10, 1))
    Trace(trace.directory / "spawned-x", trace.writer).write(process_in_world(0, 1, boot='"two"') + barrier(0, 20, 1))
    assert "the clock offset between n1#2 and n1" in trace.assemble()


@pytest.mark.parametrize("swap", [False, True])
def test_communicators_of_several_threads_have_the_same_numbers_in_every_order(new_trace: NewTrace, swap: bool) -> None:
    ids = (3, 2) if swap else (2, 3)
    script = process_in_world(0, 1, thread_multiple="true")
    for number, key, name in sorted([(ids[0], "a0", "left"), (ids[1], "90", "right")]):
        script += (
            f'def 0 {{"def":"comm","id":{number},"key":"{key}","parent":"01","name":"{name}","size":1,"rank":0,'
            '"members":[0],"inter":false}\n'
        )
    trace = new_trace(script + "spool 0 0 closed\n")
    assert trace.assemble() == ""
    names = [line.split('"')[1] for line in trace.definitions("COMM")]
    assert names == ["MPI_COMM_WORLD", "right", "left"]
