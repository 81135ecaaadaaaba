"""Call sites of the program: the calls there, the waiting, and their time on the critical path.

    time    rank 0                          time     rank 1
    0-20    computes                        10-30    MPI_Recv at app+3, for which the sender is late by 10
    20-25   MPI_Send at app+2               30-80    computes
    25-60   computes                        80-100   MPI_Allreduce at app+4
    60-100  MPI_Allreduce at app+5          100-110  computes
    100-110 computes                        110-120  MPI_Finalize, from an unknown call site
    110-120 MPI_Finalize

The compiler gave app+4 and app+5 one line. The path computes on rank 0, follows the message to rank 1, computes there
and ends in the Allreduce. It is 90 long: start-up ends at 10, shutdown begins at 100.
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected

TABLES = {
    "ranks": "rank host first_event_ns last_event_ns\n0 a 0 120\n1 b 10 120",
    "comms": "comm name members\n0 world 0,1",
    "collectives": "collective_id op comm_size first_enter_ns last_enter_ns last_leave_ns\n0 MPI_Allreduce 2 60 80 100",
    "calls": """
        collective_id rank location enter_ns leave_ns call_site
        0             0    0        60       100      app+5
        0             1    1        80       100      app+4
    """,
    "messages": """
        src dst src_location dst_location bytes send_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns binding
        0   1   0            1            8     20            25          10           10                 30          recv
    """,  # noqa: E501
    "intervals": """
        rank location region       kind     begin_ns end_ns call_site
        0    0        MPI_Send     p2p      20       25     app+2
        1    1        MPI_Recv     p2p      10       30     app+3
        0    0        step         region   0        100    -
        0    0        MPI_Finalize finalize 110      120    -
        1    1        MPI_Finalize finalize 110      120    -
    """,
    "path_stretches": """
        path step rank begin_ns end_ns category collective_id message_id src dst op            call_site
        run  0    0    0        20     compute  -             -          -   -   -             app+2
        run  1    1    20       30     p2p      -             0          0   1   MPI_Recv      app+3
        run  2    1    30       80     compute  -             -          -   -   -             app+4
        run  3    1    80       100    native   0             -          -   -   MPI_Allreduce app+4
        run  4    1    100      110    compute  -             -          -   -   -             -
    """,
    "places": """
        call_site place         how
        app+2     halo(h.c:3)   line
        app+3     app+3         stripped
        app+4     solve(s.c:15) line
        app+5     solve(s.c:15) line
    """,
}
COLUMNS = (
    "place", "how", "time_ns", "share", "compute_ns", "call_ns", "calls", "collective_calls", "mpi_ns",
    "collective_waiting_ns", "messages", "waiting_caused_ns", "waiting_suffered_ns",
)  # fmt: skip


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path_factory.mktemp("what_places_cost") / "d", **TABLES))


def test_a_place_has_its_calls_its_waiting_and_its_part_of_the_path(trace: hopscope.Trace) -> None:
    # Rank 0 waits in the Allreduce from 60 to 80. The calls from an unknown call site are after the end of the path.
    assert cells(trace.places(), *COLUMNS) == expected("""
        place,         how,      time_ns, share,    compute_ns, call_ns, calls, collective_calls, mpi_ns, collective_waiting_ns, messages, waiting_caused_ns, waiting_suffered_ns
        solve(s.c:15), line,     70,      0.777778, 50,         20,      2,     2,                60,     20,                    0,        0,                 0
        app+3,         stripped, 10,      0.111111, 0,          10,      1,     0,                20,     0,                     0,        0,                 10
        halo(h.c:3),   line,     10,      0.111111, 10,         0,       1,     0,                5,      0,                     1,        10,                0
        unknown,       ,         0,       0,        0,          0,       2,     0,                20,     0,                     0,        0,                 0
    """)  # noqa: E501
    assert trace.places()["call_site"].to_pylist() == ["app+4, app+5", "app+3", "app+2", None]
    remedies = trace.places()["remedy"].to_pylist()
    assert remedies[0] is remedies[2] is remedies[3] is None
    assert "-g" in remedies[1]


def test_its_numbers_are_those_of_the_analyses_of_the_path_and_of_messages(trace: hopscope.Trace) -> None:
    path = {row["place"]: row for row in trace.critical_path(by="place").to_pylist()}
    sent = {row["place"]: row for row in trace.messages(by="place").to_pylist()}
    waited = sum(row["waiting_ns"] for row in trace.last_arrivals().to_pylist())
    rows = trace.places().to_pylist()
    for row in rows:
        for counterpart in (path.get(row["place"], {}), sent.get(row["place"], {})):
            shared = row.keys() & counterpart.keys() - {"call_site"}
            assert {name: row[name] for name in shared} == {name: counterpart[name] for name in shared}
    assert sum(row["collective_waiting_ns"] for row in rows) == waited


def test_of_a_part_only_its_ranks_and_its_places_have_rows(trace: hopscope.Trace) -> None:
    columns = ("place", "time_ns", "calls", "mpi_ns", "collective_waiting_ns", "messages", "waiting_suffered_ns")
    assert cells(trace.places(ranks="1"), *columns) == expected("""
        place,         time_ns, calls, mpi_ns, collective_waiting_ns, messages, waiting_suffered_ns
        solve(s.c:15), 70,      1,     20,     0,                     0,        0
        app+3,         10,      1,     20,     0,                     0,        10
        unknown,       0,       1,     10,     0,                     0,        0
    """)
    assert [row["place"] for row in trace.places(place="app+3").to_pylist()] == ["app+3"]
    assert trace.places(place="app+3").to_pylist()[0]["waiting_suffered_ns"] == 10
    assert cells(trace.places(place="unknown"), *columns) == expected("""
        place,   time_ns, calls, mpi_ns, collective_waiting_ns, messages, waiting_suffered_ns
        unknown, 0,       2,     20,     0,                     0,        0
    """)
    # Until 40: the message, and the first part of the computing before the Allreduce.
    assert {row["place"]: row["time_ns"] for row in trace.places(to=40).to_pylist()} == {
        "solve(s.c:15)": 10, "app+3": 10, "halo(h.c:3)": 10,
    }  # fmt: skip


@pytest.mark.parametrize(("analysis", "places"), [("critical-path", 3), ("messages", 2)])
def test_answers_by_place_say_what_makes_source_lines_known(trace: hopscope.Trace, analysis: str, places: int) -> None:
    # Regression: only the caveats and the pages said that -g was missing.
    notes = trace.answer(analysis, by="place").notes
    assert [note for note in notes if "no source line" in note] == [
        f"1 of {places} places has no source line: compile with -g, which goes with any -O, to see functions and "
        "source lines"
    ]
    assert not any("no source line" in note for note in trace.answer(analysis).notes)


def test_a_trace_without_mpi_calls_says_so(tmp_path: Path) -> None:
    answer = hopscope.open(draw(tmp_path / "d", ranks=TABLES["ranks"])).answer("places")
    assert answer.rows == []
    assert "no MPI calls" in answer.notes[-1]
