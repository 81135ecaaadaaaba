"""A call stored as one record gives the same archive as its separate records. If a process died while the record of a
call was being completed, the call has no leave."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from hopscope.launch import collector_file
from spooled_trace import Trace, world

NewTrace = Callable[[str], Trace]

ABSENT = 0xFFFFFFFF
ANY_PEER, ANY_TAG = 1 << 63, 1 << 62


def halves(lower: int, upper: int) -> int:
    """A field that consists of two halves."""
    return lower | upper << 32


SITE = 'def 0 {"def":"call_site","id":7,"module":"/bin/heat","offset":4660,"symbol":"main"}\n'
ENTERS_AND_LEAVES = f"""
10 ENTER region=MPI_Barrier comm=1 a=7 b=0 c=none
20 LEAVE region=MPI_Barrier
30 ENTER region=MPI_Bcast comm=1 a=7 b=1 c=1
45 LEAVE region=MPI_Bcast a=8 b=4294967295
50 ENTER region=MPI_Send comm=1 a=7 b={halves(5, 1)}
50 SEND comm=1 peer=1 tag=5 b=12
60 LEAVE region=MPI_Send
70 ENTER region=MPI_Recv comm=1 a=7 b={halves(ABSENT, ABSENT)}
80 RECV comm=1 peer=1 tag=6 b=16
80 LEAVE region=MPI_Recv
90 ENTER region=MPI_Isend a=7
90 ISEND comm=1 peer=1 tag=5 b=12 c=3
95 LEAVE region=MPI_Isend
100 ENTER region=MPI_Isend a=7
100 ISEND comm=1 peer=1 tag=5 b=12 c=4
105 ISEND_COMPLETE c=4
105 LEAVE region=MPI_Isend
110 ENTER region=MPI_Irecv a=7
110 IRECV_POST comm=1 peer=1 tag=5 c=5
115 LEAVE region=MPI_Irecv
120 ENTER region=MPI_Wait a=7
140 IRECV comm=1 peer=1 tag=5 b=99 c=5
140 LEAVE region=MPI_Wait
150 ENTER region=MPI_Wait a=7
160 ISEND_COMPLETE c=3
160 LEAVE region=MPI_Wait
170 ENTER region=MPI_Comm_dup a=7
180 LEAVE region=MPI_Comm_dup
"""
WHOLE_CALLS = f"""
10 CALL_COLLECTIVE region=MPI_Barrier comm=1 a={halves(7, 10)} b=0 c={halves(ABSENT, 0)}
30 CALL_COLLECTIVE region=MPI_Bcast comm=1 a={halves(7, 15)} b={halves(1, 8)} c={halves(1, ABSENT)}
50 CALL_SEND region=MPI_Send comm=1 a={halves(7, 10)} b={halves(5, 1)} c=12
70 CALL_RECV region=MPI_Recv comm=1 a={halves(7, 10)} b={halves(6, 1)} c={16 | ANY_PEER | ANY_TAG}
90 CALL_ISEND region=MPI_Isend comm=1 a={halves(7, 5)} b={halves(5, 1)} c={halves(12, 3)}
100 CALL_ISEND_DONE region=MPI_Isend comm=1 a={halves(7, 5)} b={halves(5, 1)} c={halves(12, 4)}
110 CALL_IRECV_POST region=MPI_Irecv comm=1 a={halves(7, 5)} b={halves(5, 1)} c={halves(0, 5)}
120 CALL_IRECV region=MPI_Wait comm=1 a={halves(7, 20)} b={halves(5, 1)} c={halves(99, 5)}
150 CALL_ISEND_COMPLETE region=MPI_Wait a={halves(7, 10)} c={halves(0, 3)}
170 CALL region=MPI_Comm_dup a={halves(7, 10)}
"""


def inspection(directory: Path) -> dict:
    words = [str(collector_file("hopscope-assemble")), "--inspect", str(directory)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def without_clocks(directory: Path) -> dict:
    fields = inspection(directory)
    return {key: value for key, value in fields.items() if key != "now_ns"}


def test_one_place_or_several_give_the_same_archive_and_inspection(new_trace: NewTrace, writer: Path) -> None:
    def archive_and_inspection(name: str, records: str) -> tuple[list[str], dict]:
        trace = Trace(writer.parent / name, writer)
        trace.write(world(0, 2) + SITE + "spool 0 0 open\n" + records)
        fields = without_clocks(trace.directory)
        trace.assemble()
        return [line for line in trace.print() if not line.startswith("===")], fields

    assert archive_and_inspection("one", WHOLE_CALLS) == archive_and_inspection("each", ENTERS_AND_LEAVES)


def test_records_that_are_out_of_order_come_out_in_order_of_time(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 open\n"
        + f"10 CALL region=MPI_Comm_dup a={halves(0, 100)}\n"
        + f"50 CALL region=MPI_Comm_split a={halves(0, 10)}\n"
    )
    trace.assemble()
    assert [(name, time_ns) for name, time_ns, _ in trace.events(0)] == [
        ("ENTER", 10), ("ENTER", 50), ("LEAVE", 60), ("LEAVE", 110),
    ]  # fmt: skip


def test_a_call_that_was_being_completed_is_open_and_as_it_was_entered(new_trace: NewTrace) -> None:
    def open_call(record: str) -> dict:
        trace = new_trace(world(0, 2) + SITE + "spool 0 0 open\n" + record)
        (thread,) = inspection(trace.directory)["ranks"][0]["threads"]
        return thread["call"]

    half = halves(7, 123)
    assert open_call(f"10 ENTER_COLLECTIVE region=MPI_Bcast comm=1 a={half} b={halves(3, 8)} c={halves(1, 8)}\n") == (
        open_call("10 ENTER region=MPI_Bcast comm=1 a=7 b=3 c=1\n")
    )
    assert open_call(f"10 ENTER_MESSAGE region=MPI_Send comm=1 a={half} b={halves(5, 1)} c=12\n") == (
        open_call(f"10 ENTER region=MPI_Send comm=1 a=7 b={halves(5, 1)}\n")
    )
    assert open_call(f"10 ENTER_BARE region=MPI_Wait comm=1 a={half} b=3 c=4\n") == (
        open_call("10 ENTER region=MPI_Wait a=7\n")
    )
