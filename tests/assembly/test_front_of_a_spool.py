"""A spool's newest records are in its front. When the front is full, its records go behind the chunks. At whatever
moment of this a process dies, the file holds every record once."""

import struct
from collections.abc import Callable

import pytest
from spooled_trace import Trace, barrier, world

NewTrace = Callable[[str], Trace]

HEADER_BYTES = 4096
RECORD_BYTES = 40
CHUNK_BYTES = 20480
"""The smallest chunk: whole pages and whole records."""
CHUNK = CHUNK_BYTES // RECORD_BYTES
COUNTERS = struct.Struct("<QQQ")
COUNTERS_AT = 296
OPEN, CLOSED = 0, 1


def calls(count: int) -> str:
    return world(0, 1) + "spool 0 0 open\n" + "".join(barrier(0, 10 + 20 * i, 20 + 20 * i, i) for i in range(count))


def rebuild(trace: Trace, *, flushed: int, front: int, records: bytes, chunks: bytes, state: int = OPEN) -> None:
    """Writes the spool anew: a header with these counters, the records of the front, and the chunks behind it."""
    path = trace.directory / "spool" / "0.0.spool"
    head = bytearray(path.read_bytes()[:HEADER_BYTES])
    COUNTERS.pack_into(head, COUNTERS_AT, CHUNK_BYTES, flushed, front)
    struct.pack_into("<I", head, 32, state)
    path.write_bytes(bytes(head) + records.ljust(CHUNK_BYTES, b"\0") + chunks)


def records_of(trace: Trace, count: int) -> bytes:
    return (trace.directory / "spool" / "0.0.spool").read_bytes()[HEADER_BYTES:][: count * RECORD_BYTES]


@pytest.mark.parametrize("state", [OPEN, CLOSED])
@pytest.mark.parametrize("moment", ["written", "counted", "cleared in part", "cleared", "begun again"])
def test_whatever_moment_a_process_dies_at_every_record_is_there_once(
    new_trace: NewTrace, moment: str, state: int
) -> None:
    count = CHUNK + (4 if moment == "begun again" else 0)
    trace = new_trace(calls(count // 2))
    records = records_of(trace, count)
    whole, rest = records[:CHUNK_BYTES], records[CHUNK_BYTES:]
    if moment == "written":  # half of the chunk is written, but not counted yet
        rebuild(trace, flushed=0, front=0, records=whole, chunks=whole[: CHUNK_BYTES // 2], state=state)
    elif moment == "counted":
        rebuild(trace, flushed=1, front=0, records=whole, chunks=whole, state=state)
    elif moment == "cleared in part":  # clearing goes backwards, so the remaining records look like new ones
        rebuild(trace, flushed=1, front=0, records=whole[: 10 * RECORD_BYTES], chunks=whole, state=state)
    else:
        rebuild(trace, flushed=1, front=1, records=rest, chunks=whole, state=state)
    trace.assemble()
    events = trace.events(0)
    assert [time_ns for name, time_ns, _ in events if name == "ENTER"] == [10 + 20 * i for i in range(count // 2)]
    assert [time_ns for name, time_ns, _ in events if name == "LEAVE"] == [20 + 20 * i for i in range(count // 2)]


def test_of_a_file_that_was_cut_what_lies_before_the_cut_is_read(new_trace: NewTrace) -> None:
    trace = new_trace(calls(CHUNK // 2 + 2))
    records = records_of(trace, CHUNK + 4)
    rebuild(trace, flushed=1, front=1, records=records[CHUNK_BYTES:], chunks=records[: 100 * RECORD_BYTES + 7])
    trace.assemble()
    assert [time_ns for name, time_ns, _ in trace.events(0) if name == "ENTER"] == [10 + 20 * i for i in range(50)]


@pytest.mark.parametrize("chunk_bytes", [0, 40, 4096, 1 << 40, 20481])
def test_chunks_of_an_impossible_size_are_a_damaged_header(new_trace: NewTrace, chunk_bytes: int) -> None:
    trace = new_trace(calls(3))
    path = trace.directory / "spool" / "0.0.spool"
    data = bytearray(path.read_bytes())
    COUNTERS.pack_into(data, COUNTERS_AT, chunk_bytes, 2**64 - 1, 2**64 - 1)
    path.write_bytes(bytes(data))
    stderr = trace.assemble()
    assert "its header is damaged" in stderr
