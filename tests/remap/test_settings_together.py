"""Settings of an MPI library for several parts of a run: one file, and what it reaches is what was judged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hopscope.algorithms.rules import read_rules, rules_for
from hopscope.remap import remap, sentence, suggest_setting
from hopscope.remap.run.calls import Call
from hopscope.remap.run.program import Subject, source_of
from hopscope.remap.settings.reach import ends_in_rules, reached_together, with_reached_parts
from hopscope.tuning.offered import Library, Offered
from simulated_library import LibraryRun
from simulated_network import Network, SimulatedTrace, round_robin

MS = 1_000_000
SMALL, LARGE = 8, 80_000


def offered(operation: str, *names: str) -> list[Offered]:
    return [
        Offered(operation, name, number, f"coll_tuned_{operation}_algorithm") for number, name in enumerate(names, 1)
    ]


ALLREDUCE = offered("allreduce", "basic_linear", "nonoverlapping", "recursive_doubling", "ring")
ALLTOALL = offered("alltoall", "linear", "pairwise")
OPEN_MPI_4 = Library("openmpi", "4.1.4", "mpirun", [*ALLREDUCE, *ALLTOALL], {})
HAN = ("coll_han_alltoall_dynamic_global_communicator_module", "3")
OPEN_MPI_5 = OPEN_MPI_4._replace(release="5.0.11", besides={"alltoall": HAN})
MPICH = Library(
    "mpich",
    "5.0.2",
    "mpiexec",
    [
        Offered(operation, name, None, f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM")
        for operation, name in (
            ("alltoall", "scattered"),
            ("alltoall", "pairwise"),
            ("allreduce", "recursive_doubling"),
        )
    ],
    {"alltoall": ("MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE", "0")},
)


@pytest.fixture
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The installed library is the test's."""
    monkeypatch.setattr(suggest_setting, "installed", lambda *_: request.param)
    return request.param


def installed(one: Library) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("library", [one], indirect=True, ids=[one.name])


def network() -> Network:
    """Ranks dealt over one host in site A and two in site B, 20 ms apart. A byte takes 10 ns: too little to make a size
    of messages a guess."""
    made = round_robin(8, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=20 * MS)
    made.per_byte = 10
    return made


def ran(kinds: Sequence[tuple[str, int]], iterations: int = 40) -> SimulatedTrace:
    """Operations with their bytes in turn, each by recursive doubling: to and fro between the sites three times."""
    run, chance = LibraryRun(network()), random.Random(3)
    for iteration in range(iterations):
        run.op, run.size = kinds[iteration % len(kinds)]
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce()
    return run.trace()


def two_sizes() -> SimulatedTrace:
    """Blocks of 1 B and 10,000 B, an eighth of what each rank sends."""
    return ran([("MPI_Alltoall", SMALL), ("MPI_Alltoall", LARGE)])


def with_column(trace: SimulatedTrace, table: str, column: str, values: Sequence[Any]) -> SimulatedTrace:
    old = trace.tables[table]
    at = old.schema.get_field_index(column)
    field = old.schema.field(at)
    trace.tables[table] = old.set_column(at, field, pa.array(values, field.type))
    return trace


def where_large_ones_hold_their_senders() -> SimulatedTrace:
    """For 30 ms each."""
    trace = ran([("MPI_Alltoall", SMALL), ("MPI_Alltoall", SMALL), ("MPI_Alltoall", LARGE)])
    hops = trace.tables["hops"].to_pylist()
    ends = [hop["send_begin_ns"] + 30 * MS if hop["bytes"] == LARGE else hop["send_end_ns"] for hop in hops]
    return with_column(trace, "hops", "send_end_ns", ends)


def numbers(file: Path, operation: str, *sizes: int) -> list[int]:
    rules = read_rules(file.read_text())
    return [rules_for(rules, operation, 8, size)[0].algorithm for size in sizes]


@installed(OPEN_MPI_4)
@pytest.mark.usefixtures("library")
def test_each_range_of_bytes_that_gains_gets_a_rule_in_one_file(tmp_path: Path) -> None:
    table = remap(two_sizes(), tmp_path / "rules", library="openmpi")
    first, *others = table.to_pylist()
    assert first["chosen"] and first["operation"] is None, sentence(table)
    assert numbers(tmp_path / "rules", "alltoall", 7, SMALL, SMALL + 1, LARGE, LARGE + 1) == [0, 1, 0, 1, 0]
    # It gains over either alone, and these say what they are for.
    alone = [row for row in others if row["operation"] and not row["not_judged"]]
    assert {(row["comm"], row["bytes_min"], row["bytes_max"]) for row in alone} == {
        (0, 1, 1),
        (0, LARGE // 8, LARGE // 8),
    }
    assert all(first["predicted_ns"] < row["predicted_ns"] for row in alone)
    assert len({row["name"] for row in table.to_pylist()}) == len(table)
    said = sentence(table)
    assert said.startswith("linear for MPI_Alltoall of ") and ", of Open MPI 4.1.4, would take" in said
    for label in ("1 B", "10,000 B"):
        assert f"ithout the rule for MPI_Alltoall of {label} it would take" in said


@installed(OPEN_MPI_4)
@pytest.mark.usefixtures("library")
def test_two_operations_are_set_by_one_file(tmp_path: Path) -> None:
    table = remap(ran([("MPI_Allreduce", SMALL), ("MPI_Alltoall", SMALL)]), tmp_path / "rules", library="openmpi")
    first = table.to_pylist()[0]
    # 122 ms for both by doubling. To the root and back takes 40 and each to each 20, but while ranks wait for the root,
    # others' blocks are on their way.
    assert first["chosen"] and 41 * MS < first["predicted_ns"] < 62 * MS
    assert any(
        row["name"] == "nonoverlapping for MPI_Allreduce of 8 B" for row in table.to_pylist() if row["not_judged"]
    )
    assert numbers(tmp_path / "rules", "allreduce", SMALL) == numbers(tmp_path / "rules", "alltoall", SMALL) == [1]


@installed(OPEN_MPI_4)
@pytest.mark.usefixtures("library")
def test_a_rule_is_judged_on_every_communicator_that_it_reaches(tmp_path: Path) -> None:
    # Every other Allreduce is on a communicator of as many ranks, in another order. It used to be left out.
    trace = ran([("MPI_Allreduce", SMALL)])
    comms = trace.tables["comms"]
    members = [0, 2, 1, *range(3, 8)]
    other = pa.Table.from_pylist([{"comm": 1, "name": "other", "size": 8, "members": members}], schema=comms.schema)
    trace.tables["comms"] = pa.concat_tables([comms, other])
    with_column(trace, "collectives", "comm", [row % 2 for row in range(len(trace.tables["collectives"]))])
    table = remap(trace, tmp_path / "rules", library="openmpi")
    rows = table.to_pylist()
    best = rows[0]
    assert (best["name"], best["comm"], best["operation"]) == (
        "basic_linear for MPI_Allreduce of 8 B",
        None,
        "MPI_Allreduce",
    )
    # Each communicator's takes 41 ms. If only one had changed, an iteration of both would take 41 + 61.
    assert best["predicted_ns"] == pytest.approx(2 * 41 * MS, rel=0.03)
    assert numbers(tmp_path / "rules", "allreduce", SMALL) == [1]
    assert len([row for row in rows if row["name"].startswith("basic_linear")]) == 1


@installed(OPEN_MPI_4)
@pytest.mark.usefixtures("library")
def test_a_part_whose_messages_held_their_senders_stays_as_it_is_and_the_others_are_judged(tmp_path: Path) -> None:
    table = remap(where_large_ones_hold_their_senders(), tmp_path / "rules", library="openmpi")
    first, *others = table.to_pylist()
    assert (first["chosen"], first["bytes_max"]) == (True, 1), sentence(table)
    assert numbers(tmp_path / "rules", "alltoall", SMALL, LARGE) == [1, 0]
    assert "MPI_Alltoall of 10,000 B cannot be predicted: a message over a " in sentence(table)
    large = [row for row in others if row["bytes_max"] == LARGE // 8]
    assert large and all(row["not_judged"] and row["predicted_ns"] is None for row in large)


@installed(OPEN_MPI_5)
@pytest.mark.usefixtures("library")
def test_what_leaves_han_as_a_whole_is_set_as_a_whole(tmp_path: Path) -> None:
    table = remap(two_sizes(), tmp_path / "rules", library="openmpi")
    judged = [row["name"] for row in table.to_pylist() if not row["today"] and not row["not_judged"]]
    assert judged and all("1 B" in name and "10,000 B" in name for name in judged)
    assert numbers(tmp_path / "rules", "alltoall", SMALL, LARGE) == [1, 1]
    assert (table.schema.metadata or {})[b"words"].decode().count(HAN[0]) == 1


@installed(OPEN_MPI_5)
@pytest.mark.usefixtures("library")
def test_nothing_leaves_han_while_a_part_that_would_leave_too_cannot_be_judged(tmp_path: Path) -> None:
    # Rules for small ones would have made `tuned` choose for large ones as well, which nothing predicts.
    table = remap(where_large_ones_hold_their_senders(), tmp_path / "rules", library="openmpi")
    assert not any(table["chosen"].to_pylist()) and not (tmp_path / "rules").exists()
    said = sentence(table)
    # That nothing can be predicted is no advice: a Bcast of 1 MiB that was to be left as it was took 1 s, and 61 ms
    # without `han`.
    assert said.startswith("MPI_Alltoall of ") and " cannot be predicted: nothing that Open MPI 5.0.11 has for " in said
    assert "Leave" not in said and said.count("These are worth a run: `hopscope run -- mpirun -n 8 --mca ") == 1
    assert "change MPI_Alltoall of 10,000 B too: a message over a " in said


@installed(MPICH)
@pytest.mark.usefixtures("library")
def test_a_variable_is_judged_on_every_size_that_it_reaches(tmp_path: Path) -> None:
    trace = ran([("MPI_Alltoall", SMALL), ("MPI_Allreduce", SMALL), ("MPI_Alltoall", LARGE)], iterations=60)
    table = remap(trace, tmp_path / "settings", library="mpich")
    first = table.to_pylist()[0]
    assert first["name"].startswith("scattered for MPI_Alltoall"), sentence(table)
    # Blocks of an eighth of 8 and of 80,000 bytes.
    assert (first["operation"], first["bytes_min"], first["bytes_max"]) == ("MPI_Alltoall", 1, LARGE // 8)
    assert (tmp_path / "settings").read_text().splitlines() == [
        "export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=scattered",
        "export MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE=0",
    ]
    assert "MPI_Allreduce of 8 B stays as it is" in sentence(table)
    # Its own algorithm seemed to gain 13 % beside a scattered Alltoall.
    reasons = {row["name"]: row["not_judged"] for row in table.to_pylist()}
    assert reasons["recursive_doubling for MPI_Allreduce of 8 B"] == "it is what ran"


def a_part(op: str, members: Sequence[int], *sizes: int) -> Subject:
    """A part of a run of which only operation, ranks and bytes are looked at."""
    subject = source_of(ran([("MPI_Allreduce", SMALL)], iterations=3).table).subject
    calls = tuple(Call(op, size, -1, (size,)) for size in sizes)
    return replace(subject, op=op, members=tuple(members), calls=calls)


def test_rules_of_open_mpi_tell_operations_ranks_and_bytes_apart_and_variables_of_mpich_only_operations() -> None:
    eight, others, four = range(8), [*range(1, 8), 0], range(4)
    parts = [
        a_part("MPI_Allreduce", eight, 8, 64),
        a_part("MPI_Allreduce", eight, 9_000),
        a_part("MPI_Allreduce", others, 32, 128),
        a_part("MPI_Allreduce", four, 8),
        a_part("MPI_Barrier", eight, 0),
        a_part("MPI_Barrier", others, 0),
        a_part("MPI_Scan", eight, 8),
        a_part("MPI_Scan", others, 9_000),
    ]
    assert reached_together(parts, "openmpi") == [(0, 2), (1,), (3,), (4, 5), (6, 7)]
    assert reached_together(parts, "mpich") == [(0, 1, 2, 3), (4, 5), (6, 7)]
    assert ends_in_rules([parts[0], parts[2]]) == (8, 128)
    assert ends_in_rules(parts[4:6]) == ends_in_rules(parts[6:]) == (0, None)


def test_what_takes_little_time_or_runs_seldom_is_no_part() -> None:
    kinds = [("MPI_Allreduce", SMALL)] * 39 + [("MPI_Alltoall", SMALL)]
    source = source_of(ran(kinds, iterations=80).table)
    assert not with_reached_parts(source, "openmpi").subject.parts
    both = with_reached_parts(source_of(ran(kinds[-2:]).table), "openmpi").subject
    assert sorted(part.op for part in both.parts) == ["MPI_Allreduce", "MPI_Alltoall"]


@pytest.mark.parametrize(("library", "changes"), [(OPEN_MPI_4, False), (OPEN_MPI_5, True)], indirect=["library"])
@pytest.mark.usefixtures("library")
def test_it_is_said_what_a_setting_also_changes_without_being_judged(changes: bool) -> None:
    # Large ones are too seldom to be a part; without `han`, no rule reaches them.
    table = remap(ran([*[("MPI_Alltoall", SMALL)] * 39, ("MPI_Alltoall", LARGE)], iterations=80), library="openmpi")
    assert table.to_pylist()[0]["chosen"]
    also = "It also changes 2 other collectives of MPI_Alltoall, and what that takes is not predicted." in sentence(
        table
    )
    assert also == changes
