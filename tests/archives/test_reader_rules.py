"""The rules of OTF2's other readers: each kind of violation is noted, and what Score-P wrote has none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import otf2
import pytest
from otf2.enums import CollectiveOp, CommFlag, GroupType, LocationType, Paradigm, RegionRole, Type
from reader_rules import violations_of

ARCHIVES = Path(__file__).parents[1] / "convert" / "archives"


class Drawing:
    """An archive of two ranks on one host, by events that are written in the order of the calls."""

    def __init__(self, folder: Path, complete: str = "yes") -> None:
        self.anchor = folder / "traces.otf2"
        self._writer: Any = otf2.writer.Writer(str(folder), archive_name="traces", timer_resolution=1_000_000_000)
        definitions = self._writer.definitions
        host = definitions.system_tree_node("host", class_name="node")
        groups = [definitions.location_group(f"MPI Rank {rank}", system_tree_parent=host) for rank in range(2)]
        threads = [definitions.location("thread", type=LocationType.CPU_THREAD, group=group) for group in groups]
        for group in groups:
            definitions.location_group_property(group, "HOPSCOPE::COMPLETE", Type.STRING, complete)
        group = definitions.group(
            "all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=tuple(threads)
        )
        members = definitions.group(
            "world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=group.members
        )
        self.comm = definitions.comm("MPI_COMM_WORLD", members, None, CommFlag.NONE)
        self._regions = [
            definitions.region(
                name, canonical_name=name, region_role=RegionRole.FUNCTION, paradigm=Paradigm.MPI, source_file=""
            )
            for name in ("MPI_Wait", "MPI_Test")
        ]
        self._writers = [self._writer.event_writer_from_location(thread) for thread in threads]
        self.time = 0

    def add(self, rank: int, write: Callable[[Any, int], None]) -> None:
        """Add an event, one unit of time after the one before."""
        self.time += 1
        write(self._writers[rank], self.time)

    def enter(self, rank: int, number: int = 0) -> None:
        self.add(rank, lambda writer, time: writer.enter(time, self._regions[number]))

    def leave(self, rank: int, number: int = 0) -> None:
        self.add(rank, lambda writer, time: writer.leave(time, self._regions[number]))

    def send(self, receiver: int = 1, length: int = 8) -> None:
        self.add(0, lambda writer, time: writer.mpi_send(time, receiver, self.comm, 5, length))

    def receive(self, length: int = 8) -> None:
        self.add(1, lambda writer, time: writer.mpi_recv(time, 0, self.comm, 5, length))

    def begin_receive(self) -> None:
        self.add(1, lambda writer, time: writer.mpi_irecv_request(time, 7))

    def end_receive(self) -> None:
        self.add(1, lambda writer, time: writer.mpi_irecv(time, 0, self.comm, 5, 8, 7))

    def reduce(self, rank: int, operation: CollectiveOp = CollectiveOp.ALLREDUCE, root: int = 0) -> None:
        self.add(rank, lambda writer, time: writer.mpi_collective_begin(time))
        self.add(rank, lambda writer, time: writer.mpi_collective_end(time, operation, self.comm, root, 8, 8))

    def violations(self) -> list[str]:
        """The violations, after the archive is complete."""
        self._writer.close()
        return violations_of(self.anchor)


def good_run(drawing: Drawing) -> None:
    for rank in range(2):
        drawing.enter(rank)
        drawing.reduce(rank)
    drawing.begin_receive()
    drawing.send()
    drawing.end_receive()
    for rank in range(2):
        drawing.leave(rank)


def message_without_region(drawing: Drawing) -> None:
    drawing.send()
    drawing.enter(1)
    drawing.receive()
    drawing.leave(1)


def message_without_receive(drawing: Drawing) -> None:
    drawing.enter(0)
    drawing.send()
    drawing.leave(0)


def message_of_two_lengths(drawing: Drawing) -> None:
    drawing.enter(0)
    drawing.send(length=8)
    drawing.leave(0)
    drawing.enter(1)
    drawing.receive(length=4)
    drawing.leave(1)


def message_to_nobody(drawing: Drawing) -> None:
    drawing.enter(0)
    drawing.send(receiver=2)
    drawing.leave(0)


def crossed_regions(drawing: Drawing) -> None:
    drawing.enter(0, 0)
    drawing.enter(0, 1)
    drawing.leave(0, 0)
    drawing.leave(0, 1)


def region_without_end(drawing: Drawing) -> None:
    drawing.enter(0, 0)
    drawing.enter(0, 1)
    drawing.leave(0, 1)


def request_without_end(drawing: Drawing) -> None:
    drawing.enter(1)
    drawing.begin_receive()
    drawing.leave(1)


def request_without_begin(drawing: Drawing) -> None:
    drawing.enter(0)
    drawing.send()
    drawing.leave(0)
    drawing.enter(1)
    drawing.end_receive()
    drawing.leave(1)


def collective_of_one_member(drawing: Drawing) -> None:
    drawing.enter(0)
    drawing.reduce(0)
    drawing.leave(0)


def collectives_of_two_operations(drawing: Drawing) -> None:
    for rank, operation in enumerate((CollectiveOp.ALLREDUCE, CollectiveOp.BCAST)):
        drawing.enter(rank)
        drawing.reduce(rank, operation)
        drawing.leave(rank)


def root_beyond_the_members(drawing: Drawing) -> None:
    for rank in range(2):
        drawing.enter(rank)
        drawing.reduce(rank, CollectiveOp.BCAST, root=2)
        drawing.leave(rank)


BROKEN: dict[Callable[[Drawing], None], str] = {
    message_without_region: "an event lies in no region",
    message_without_receive: "messages have only one end",
    message_of_two_lengths: "the ends of a message differ in length",
    message_to_nobody: "a peer is no rank of the communicator",
    crossed_regions: "a region ends that is not the innermost",
    region_without_end: "a region or collective has no end",
    request_without_end: "a request has no end",
    request_without_begin: "a request ends that has not begun",
    collective_of_one_member: "the members' collectives differ",
    collectives_of_two_operations: "the members' collectives differ",
    root_beyond_the_members: "a root is no rank of the communicator",
}


def test_a_good_archive_has_no_violation(tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "archive")
    good_run(drawing)
    assert drawing.violations() == []


@pytest.mark.parametrize("draw", BROKEN, ids=lambda draw: draw.__name__)
def test_a_broken_rule_is_named(draw: Callable[[Drawing], None], tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "archive")
    draw(drawing)
    assert any(violation.startswith(BROKEN[draw]) for violation in drawing.violations())


def test_a_rank_without_an_end_may_leave_things_open(tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "archive", complete="MPI_Finalize was not reached")
    for draw in (message_without_receive, request_without_end, collective_of_one_member, region_without_end):
        draw(drawing)
    assert drawing.violations() == []


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "archive")
    good_run(drawing)
    assert drawing.violations() == []
    events = tmp_path / "archive" / "traces" / "1.evt"
    events.write_bytes(events.read_bytes()[:20])
    assert any("otf2-print complains" in violation for violation in violations_of(drawing.anchor))


def test_what_score_p_writes_has_no_violation() -> None:
    violations = {anchor: violations_of(anchor) for anchor in sorted(ARCHIVES.rglob("traces.otf2"))}
    assert violations
    assert not any(violations.values()), violations
