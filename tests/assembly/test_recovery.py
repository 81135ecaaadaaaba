"""Archives from the remains of runs that did not end well, and several assemblies at the same time."""

import json
import os
import re
import time
from collections.abc import Callable

import pytest
from spooled_trace import Trace, barrier, world

NewTrace = Callable[[str], Trace]

# Three ranks in two barriers. Rank 2 is killed in the second one.
KILLED = (
    world(0, 3)
    + "spool 0 0 closed\n"
    + barrier(0, 10, 20)
    + barrier(0, 30, 90, 1)
    + world(1, 3)
    + "spool 1 0 closed\n"
    + barrier(1, 11, 20)
    + barrier(1, 31, 90, 1)
    + world(2, 3)
    + 'cut-def 2 {"def":"call_site","id":1,"mod\n'
    + "spool 2 0 open\n"
    + barrier(2, 12, 20)
    + "32 ENTER region=MPI_Barrier comm=1 b=1 c=none\ncut-record\nroom 100\n"
)


def facts(trace: Trace) -> dict[str, object]:
    return json.loads((trace.directory / "run.json").read_text())


def test_a_killed_rank_keeps_every_event_but_the_one_being_written(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    stderr = trace.assemble()
    assert "anything after the last record of rank 2 (MPI_Finalize was not reached)" in stderr
    assert [(name, time_ns) for name, time_ns, _ in trace.events(2)] == [
        ("ENTER", 12),
        ("MPI_COLLECTIVE_BEGIN", 12),
        ("MPI_COLLECTIVE_END", 20),
        ("LEAVE", 20),
        ("ENTER", 32),
        ("MPI_COLLECTIVE_BEGIN", 32),
    ]
    assert len(trace.events(0)) == 8


def test_a_call_that_never_left_names_its_communicator_and_number(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    trace.assemble()
    last_enter = trace.events(2)[4][2]
    assert re.search(r'"hopscope::comm" <\d>; UINT32; 0\)', last_enter)
    assert re.search(r'"hopscope::seq" <\d>; INT64; 1\)', last_enter)
    assert "hopscope" not in trace.events(0)[4][2]


def test_an_incomplete_run_says_so_in_the_archive_and_keeps_its_spools(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    trace.assemble()
    assert facts(trace)["complete"] is False
    assert facts(trace)["missing"] == ["anything after the last record of rank 2 (MPI_Finalize was not reached)"]
    complete = [line for line in trace.definitions("LOCATION_GROUP_PROPERTY") if "HOPSCOPE::COMPLETE" in line]
    assert ['Value: "yes"' in line for line in complete] == [True, True, False]
    assert "MPI_Finalize was not reached" in complete[2]
    assert (trace.directory / "spool" / "2.0.spool").exists()


def test_a_rank_that_ends_while_it_is_read_was_still_running(new_trace: NewTrace) -> None:
    # Regression: the definitions of a rank were read before its spool. If the rank ended in between, some definitions
    # were missing although its spool was complete. Reading the definitions opens the pipe.
    script = world(0, 1) + "spool 0 0 open\n" + barrier(0, 10, 20)
    trace = new_trace(script)
    definitions = trace.directory / "spool" / "0.defs"
    text = definitions.read_bytes()
    definitions.unlink()
    os.mkfifo(definitions)
    with trace.start(keep=True) as running:
        with definitions.open("wb") as pipe:
            trace.write(script.replace("open", "closed").replace(world(0, 1), ""))
            pipe.write(text)
        assert "MPI_Finalize was not reached" in running.communicate(timeout=60)[1]


def test_a_missing_rank_stays_a_rank(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    for path in (trace.directory / "spool").glob("1.*"):
        path.unlink()
    assert "everything of rank 1 (no spool was found" in trace.assemble()
    assert len(trace.definitions("LOCATION")) == 3
    assert trace.events(1) == []
    world_group = next(group for group in trace.definitions("GROUP") if "COMM_GROUP" in group)
    assert "3 Members" in world_group


def test_spools_brought_later_make_a_new_archive(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    spool = trace.directory / "spool" / "1.0.spool"
    spool_bytes = spool.read_bytes()
    spool.unlink()
    assert "all events of rank 1" in trace.assemble()
    assert trace.events(1) == []
    time.sleep(0.02)
    spool.write_bytes(spool_bytes)
    assert "all events of rank 1" not in trace.assemble()
    assert len(trace.events(1)) == 8


def test_where_recording_stopped_is_said_with_its_reason(new_trace: NewTrace) -> None:
    trace = new_trace(world(0, 1) + "spool 0 0 stopped No space left on device\n" + barrier(0, 10, 20))
    stderr = trace.assemble()
    assert "what rank 0, thread 0 did after recording stopped: No space left on device" in stderr
    assert len(trace.events(0)) == 4


def test_mpi_abort_is_no_good_end(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 1) + 'def 0 {"def":"end","ticks":20,"how":"abort"}\nspool 0 0 closed\n' + barrier(0, 10, 20)
    )
    assert "the end of the run of rank 0 (MPI_Abort was called there)" in trace.assemble()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"", "it is shorter than its header"),
        (lambda data: b"X" + data[1:], "it is not a spool"),
        (lambda data: data[:8] + b"\x09" + data[9:], "another version of the collector wrote it"),
        (lambda data: data[:16] + b"\x29" + data[17:], "its header is damaged"),
        (lambda data: data[:20] + b"\x07" + data[21:], "disagree about rank or thread"),
    ],
)
def test_a_damaged_spool_is_left_out_and_named(
    new_trace: NewTrace, damage: Callable[[bytes], bytes], words: str
) -> None:
    trace = new_trace(KILLED)
    spool = trace.directory / "spool" / "1.0.spool"
    spool.write_bytes(damage(spool.read_bytes()))
    stderr = trace.assemble()
    assert "1.0.spool" in stderr
    assert words in stderr
    assert trace.events(1) == []
    assert len(trace.events(0)) == 8


def test_records_that_make_no_sense_are_left_out_and_counted(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n5 LEAVE region=MPI_Send\n6 UNKNOWN\n"
        + "7 SEND comm=9 peer=0 b=1\n8 SEND comm=1 peer=5 b=1\n"
        + barrier(0, 10, 20)
        + world(1, 2)
        + "spool 1 0 closed\n"
    )
    stderr = trace.assemble()
    assert "2 message(s) and collectives on communicators that were never defined" in stderr
    assert "1 record(s) of an unknown kind" in stderr
    assert "1 call(s) whose beginning was not recorded" in stderr
    assert len(trace.events(0)) == 4


def test_records_out_of_order_are_sorted(new_trace: NewTrace) -> None:
    trace = new_trace(world(0, 1) + "spool 0 0 closed\n" + barrier(0, 30, 40, 1) + barrier(0, 10, 20, 0))
    assert trace.assemble() == ""
    assert [time_ns for _, time_ns, _ in trace.events(0)] == [10, 10, 20, 20, 30, 30, 40, 40]


def test_an_outer_leave_ends_what_was_open_inside(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 1)
        + "spool 0 0 closed\n10 ENTER region=MPI_Wait\n11 ENTER region=MPI_Send\n"
        + "12 WAIT_BEGIN\n20 LEAVE region=MPI_Wait\n"
    )
    assert trace.assemble() == ""
    assert [(name, time_ns) for name, time_ns, _ in trace.events(0)] == [
        ("ENTER", 10),
        ("ENTER", 11),
        ("ENTER", 12),
        ("LEAVE", 20),
        ("LEAVE", 20),
        ("LEAVE", 20),
    ]


def test_an_assembled_run_is_left_as_it_is(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    trace.assemble()
    archive = (trace.directory / "traces.otf2").read_bytes()
    assert trace.assemble() == ""
    assert (trace.directory / "traces.otf2").read_bytes() == archive


def test_a_killed_assembly_is_repeated(new_trace: NewTrace) -> None:
    trace = new_trace(KILLED)
    trace.assemble()
    # As if the machine had failed just before the last rename: only the anchor is missing.
    (trace.directory / "traces.otf2").rename(trace.directory / "gone")
    (trace.directory / "gone").unlink()
    (trace.directory / ".assembling" / "traces").mkdir(parents=True)
    (trace.directory / ".assembling" / "traces" / "0.evt").write_text("half")
    trace.assemble()
    assert len(trace.events(0)) == 8
    assert not (trace.directory / ".assembling").exists()


def test_assemblies_at_the_same_time_make_one_archive(new_trace: NewTrace) -> None:
    script = world(0, 1) + "spool 0 0 closed\n"
    script += "".join(barrier(0, 10 + 10 * i, 15 + 10 * i, i) for i in range(20000))
    trace = new_trace(script)
    running = [trace.start() for _ in range(4)]
    for assembly in running:
        _, stderr = assembly.communicate(timeout=60)
        assert (assembly.returncode, stderr) == (0, "")
    assert len(trace.events(0)) == 80000
    assert not (trace.directory / "spool").exists()


def test_nothing_to_assemble_is_said_with_what_to_do(new_trace: NewTrace) -> None:
    trace = new_trace("")
    stderr = trace.assemble(code=2)
    assert "spool has no definitions (<rank>.defs) of any rank" in stderr
    (trace.directory / "spool").rmdir()
    assert "name the trace directory of a recorded run" in trace.assemble(code=2)


def test_a_directory_that_does_not_exist_is_named(new_trace: NewTrace) -> None:
    trace = new_trace("")
    trace.directory = trace.directory / "nowhere"
    assert str(trace.directory) in trace.assemble(code=2)
