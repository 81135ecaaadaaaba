"""The summary, the lists of collectives and trees, and the caveats, on one small drawing.

It has two Allreduces (0:0 on the tree, 0:1 native with a reason) and one incomplete Barrier on three ranks; rank 2 was
killed.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError

EMULATED = {
    "links": {"wan": {"latency_ns": 20_000_000, "bytes_per_second": 1e6}},
    "pairs": [{"from": "a", "to": "b", "latency_ns": 1500}],
    "cluster_pairs": [{"from": "A", "to": "B", "bytes_per_second_trace": [5, 6], "gateways": {"to": "b"}}],
    "host_interface": {"per_message_ns": 5_000_000, "cut_through": True},
    "rank": {"per_message_ns": 8_000, "per_byte_ns": 2},
}
TABLES = {
    "run": """
        run   command clock_error_ns clock_bound_ns clock_used emulated     events event_cost_ns overhead_ns
        drawn ./app   5              9              bound      EMULATED 100    2.5           50""".replace(
        "EMULATED", json.dumps(EMULATED, separators=(",", ":"))
    ),
    "ranks": """
        rank host cluster first_event_ns last_event_ns complete
        0    a    A       0              1000          true
        1    a    A       0              1000          true
        2    b    B       0              500           false""",
    "comms": "comm name size members\n0 world 3 2,1,0",
    "collectives": """
        collective_id comm seq op            comm_size bytes first_enter_ns last_enter_ns last_leave_ns complete
        0             0    0   MPI_Allreduce 3         8     100            130           170           true
        1             0    1   MPI_Allreduce 3         8     200            210           300           true
        2             0    2   MPI_Barrier   3         0     400            410           -             false""",
    "calls": """
        collective_id rank enter_ns leave_ns engine                       tree     call_site
        0             0    100      160      tree                         binomial app+0x1
        0             1    110      170      tree                         binomial app+0x1
        0             2    130      165      tree                         binomial app+0x1
        1             0    200      300      native:user-defined-operation -       -
        1             1    205      290      native:user-defined-operation -       -
        1             2    210      280      native:user-defined-operation -       -
        2             0    400      -        native                       -        -
        2             1    410      -        native                       -        -""",
    "hops": """
        collective_id role src dst bytes link send_begin_ns recv_post_ns recv_end_ns binding
        0             up    1   0   8     shm  111           101          115         recv
        0             up    2   0   8     wan  131           101          150         recv
        0             down  0   1   8     shm  151           116          160         recv
        0             down  0   2   8     wan  152           132          164         recv""",
    "trees": """
        tree     comm root role rank parent child_order
        binomial 0    2    up    2    -      0
        binomial 0    2    up    1    2      0
        binomial 0    2    up    0    2      1""",
    "path_stretches": """
        path       path_collective_id step rank begin_ns end_ns category collective_id hop_id src dst
        collective 0                  0    2    130      131    local    0             -      -   -
        collective 0                  1    0    131      150    wan      0             1      2   0
        collective 0                  2    0    150      151    local    0             -      -   -
        collective 0                  3    1    151      160    shm      0             2      0   1
        collective 0                  4    1    160      170    local    0             -      -   -
        collective 1                  0    0    210      300    native   1             -      -   -""",
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path_factory.mktemp("answers") / "d", **TABLES))


def item(trace: hopscope.Trace, name: str) -> dict[str, Any]:
    rows = [row for row in trace.summary().to_pylist() if row["item"] == name]
    assert len(rows) == 1, f"{name}: {rows}"
    return rows[0]


def test_the_summary_has_calls_hops_and_time_per_operation(trace: hopscope.Trace) -> None:
    # Allreduce: 60 + 60 + 35 + 100 + 85 + 70 = 410 of the ranks' 2500. No rank left the Barrier.
    assert item(trace, "calls of MPI_Allreduce")["value"] == 6
    assert item(trace, "hops of MPI_Allreduce")["value"] == 4
    assert item(trace, "time in MPI_Allreduce")["value"] == 410
    assert item(trace, "time in collectives")["note"] == "of all ranks: 16.4 %"


def test_the_summary_by_operation_counts_the_same(trace: hopscope.Trace) -> None:
    # Waiting: 30 + 20 in 0:0, 10 + 5 in 0:1. An incomplete collective has none.
    columns = ("operation", "collectives", "calls", "hops", "bytes", "time_ns", "share", "waiting_ns", "incomplete")
    assert cells(trace.summary(by="operation"), *columns) == expected("""
        operation,collectives,calls,hops,bytes,time_ns,share,waiting_ns,incomplete
        MPI_Allreduce,2,6,4,32,410,0.164,65,0
        MPI_Barrier,1,2,0,0,0,0,0,1
    """)


def test_collectives_come_worst_first_with_the_time_of_their_path(trace: hopscope.Trace) -> None:
    # 0:1 took 90 after the last enter, 0:0 40. In 0:1 rank 2 is last by 5. That is less than the clocks' bound of 9,
    # but all ranks share one clock here.
    times = ("duration_ns", "spread_ns", "after_last_enter_ns", "local_ns", "shm_ns", "wan_ns", "native_ns")
    assert cells(trace.collectives(), "collective", *times) == expected("""
        collective,duration_ns,spread_ns,after_last_enter_ns,local_ns,shm_ns,wan_ns,native_ns
        0:1,100,10,90,0,0,0,90
        0:0,70,30,40,12,9,19,0
        0:2,,10,,,,,
    """)
    assert cells(trace.collectives(), "collective", "last_rank", "hops", "engine", "complete") == expected("""
        collective,last_rank,hops,engine,complete
        0:1,2,0,native:user-defined-operation,true
        0:0,2,4,tree,true
        0:2,,0,native,false
    """)


def test_collectives_can_be_chosen_and_ordered(trace: hopscope.Trace) -> None:
    def names(**options: Any) -> list[str]:
        return trace.collectives(**options)["collective"].to_pylist()

    assert names(order="first", limit=2) == ["0:0", "0:1"]
    assert names(operation="MPI_Barrier") == ["0:2"]
    # The median of 40 and 90 is 65. Both are 25 away from it, so the earlier one comes first.
    assert names(order="median") == ["0:0", "0:1", "0:2"]
    with pytest.raises(InputError, match="no communicator 7"):
        names(comm=7)
    with pytest.raises(InputError, match="one of worst, median, first"):
        names(order="best")


def test_the_calls_of_one_collective_say_who_waited_for_whom(trace: hopscope.Trace) -> None:
    columns = ("rank", "comm_rank", "host", "time_ns", "waiting_ns", "needed_rank", "tree", "on_path")
    assert cells(trace.collective_calls(collective="0:0"), *columns) == expected("""
        rank,comm_rank,host,time_ns,waiting_ns,needed_rank,tree,on_path
        0,2,a,60,30,2,binomial,true
        1,1,a,60,20,2,binomial,true
        2,0,b,35,0,,binomial,true
    """)
    with pytest.raises(InputError, match="no such collective"):
        trace.collective_calls(collective="5:0")


def test_the_hops_of_one_collective_say_which_are_on_the_path(trace: hopscope.Trace) -> None:
    columns = ("hop_id", "role", "src", "dst", "link", "time_ns", "on_path")
    assert cells(trace.collective_hops(collective="0:0"), *columns) == expected("""
        hop_id,role,src,dst,link,time_ns,on_path
        0,up,1,0,shm,4,false
        1,up,2,0,wan,19,true
        2,down,0,1,shm,9,true
        3,down,0,2,wan,12,false
    """)


def test_trees_are_told_in_trace_wide_ranks(trace: hopscope.Trace) -> None:
    # The communicator's order is 2, 1, 0: rank 2 of the communicator, which is the root, is rank 0 of the trace.
    assert cells(trace.trees(), "root", "rank", "parent", "child_order", "link") == expected("""
        root,rank,parent,child_order,link
        0,0,,0,
        0,1,0,0,shm
        0,2,0,1,wan
    """)


def test_the_caveats_count_what_nobody_can_tell(tmp_path: Path) -> None:
    hops = TABLES["hops"].replace("150         recv", "150         undecided")
    caveats = hopscope.open(draw(tmp_path / "d", **{**TABLES, "hops": hops})).caveats()
    sentence = "For 1 of 4 hops the trace does not show whether the receiver waited; "
    assert f"{sentence}critical paths stay on the receiver there." in caveats


def test_the_caveats_name_everything_that_limits_an_answer(trace: hopscope.Trace) -> None:
    text = "\n".join(trace.caveats())
    assert "1 of 3 collectives are incomplete" in text
    assert "application messages and native collectives were not delayed" in text
    assert "3 calls of MPI_Allreduce went native: user-defined-operation" in text


def test_a_trace_without_messages_says_what_cannot_be_told_apart(tmp_path: Path) -> None:
    text = "run ranks duration_ns record\nr 3 500 collectives"
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "run": text}))
    assert "The application's messages were not recorded (HOPSCOPE_RECORD=collectives)" in "\n".join(trace.caveats())
    messages = item(trace, "application messages")
    assert messages["value"] is None
    assert messages["note"].startswith("not recorded (HOPSCOPE_RECORD=collectives)")


PLACES = "call_site place how module line\n"
EXTENSION = "/lib/mpi4py/MPI.mpich.cpython-311.so"


def places(tmp_path: Path, rows: str) -> list[str]:
    """The caveats of a trace whose call sites are these."""
    caveats = hopscope.open(draw(tmp_path / "d", **{**TABLES, "places": PLACES + rows})).caveats()
    return [caveat for caveat in caveats if "call sites" in caveat]


def test_nobody_is_told_to_compile_python_anew(tmp_path: Path) -> None:
    """The call sites are a line of Python, a thread without a line, and the end of MPI, which the interpreter calls."""
    rows = f"a.py:1 f archive - 1\nc x symbol {EXTENSION} -\nd y stripped /lib/libpython3.11.so.1.0 -"
    assert places(tmp_path, rows) == []


def test_calls_through_mpi4py_without_lines_say_why(tmp_path: Path) -> None:
    [caveat] = places(tmp_path, f"c x symbol {EXTENSION} -\ne y stripped {EXTENSION} -")
    assert caveat.startswith("2 call sites are shown by their place inside mpi4py")
    assert "HOPSCOPE_PYTHON=0" in caveat


def test_the_caveats_say_which_messages_of_the_library_are_not_among_the_hops(tmp_path: Path) -> None:
    text = "run ranks duration_ns native_off native_unknown native_lost native_thinned\nr 3 500 - 1200 7 5"
    caveats = hopscope.open(draw(tmp_path / "some", **{**TABLES, "run": text})).caveats()
    assert any(
        caveat.startswith("For 1,200 ends of messages inside the MPI library it is not known") for caveat in caveats
    )
    assert any(caveat.startswith("7 ends of messages inside the MPI library were not recorded") for caveat in caveats)
    text = "run ranks duration_ns native_off native_unknown native_lost native_thinned\nr 3 500 untested 0 0 0"
    caveats = hopscope.open(draw(tmp_path / "none", **{**TABLES, "run": text})).caveats()
    assert "The MPI library's messages inside collectives were not recorded: untested." in caveats
    assert not any("ends of messages inside" in caveat for caveat in caveats)


def unseen(tmp_path: Path, native_unseen: str, **columns: str) -> list[str]:
    """The caveats of an observed run of three ranks with these values in its row of the table `run`; `-` is null."""
    values = {"run": "r", "ranks": "3", "duration_ns": "500", "mode": "observe", "native_unseen": native_unseen}
    values |= columns
    text = f"{' '.join(values)}\n{' '.join(values.values())}"
    return hopscope.open(draw(tmp_path / "d", **{**TABLES, "run": text})).caveats()


def test_collectives_without_a_recorded_call_come_first(tmp_path: Path) -> None:
    """Nothing limited the answers about a run whose 200 Allreduces went by dlsym."""
    caveats = unseen(tmp_path, "1200", unfinished="killed")
    assert caveats[0].startswith("Collectives ran without a recorded call: 1,200 ends of their messages were seen.")
    assert not any(caveat.startswith("Nothing shows whether") for caveat in caveats)


@pytest.mark.parametrize(
    ("native_unseen", "columns", "reason"),
    [
        ("-", {}, "HOPSCOPE_NATIVE"),
        ("-", {"mpi_library": "MPICH"}, "HOPSCOPE_NATIVE=mpich only"),
        ("-", {"unfinished": "killed"}, "the job did not come to its end"),
        ("-", {"native_off": "untested"}, "messages were not recorded."),
        ("0", {"mpi_library": "MPICH"}, "nonblocking and persistent collectives"),
    ],
)
def test_where_nothing_would_show_an_unrecorded_collective_the_caveat_says_so(
    tmp_path: Path, native_unseen: str, columns: dict[str, str], reason: str
) -> None:
    [caveat] = [
        caveat for caveat in unseen(tmp_path, native_unseen, **columns) if caveat.startswith("Nothing shows whether")
    ]
    assert reason in caveat


@pytest.mark.parametrize("columns", [{}, {"mode": "foreign"}, {"ranks": "1"}], ids=["seen", "foreign", "alone"])
def test_where_messages_show_every_collective_there_is_no_such_caveat(tmp_path: Path, columns: dict[str, str]) -> None:
    caveats = unseen(tmp_path, "-" if columns else "0", **columns)
    assert not any(caveat.startswith(("Nothing shows whether", "Collectives ran")) for caveat in caveats)


def test_without_paths_the_caveat_says_how_to_get_them(tmp_path: Path) -> None:
    tables = {name: text for name, text in TABLES.items() if name != "path_stretches"}
    caveats = hopscope.open(draw(tmp_path / "d", **tables)).caveats()
    assert any("no critical paths; delete its directory" in sentence for sentence in caveats)


def test_the_caveats_count_collectives_whose_messages_are_not_whole(tmp_path: Path) -> None:
    collectives = "collective_id comm seq comm_size native_reason\n0 0 0 2 unmatched\n1 0 1 2 -\n2 0 2 2 undecided"
    caveats = hopscope.open(draw(tmp_path / "d", **{**TABLES, "collectives": collectives})).caveats()
    sentence = (
        "For 1 of 3 collectives, messages of the MPI library were seen, but the critical path stays native: the trace"
    )
    assert f"{sentence} lacks one end of a message." in caveats
    assert f"{sentence} does not show whether a rank on the path waited for a message." in caveats


def test_the_caveats_count_collectives_that_the_library_ran_without_messages(tmp_path: Path) -> None:
    collectives = "collective_id comm seq comm_size native_reason\n0 0 0 2 shared\n1 0 1 2 -\n2 0 2 2 shared"
    caveats = hopscope.open(draw(tmp_path / "d", **{**TABLES, "collectives": collectives})).caveats()
    assert any(caveat.startswith("No message of 2 of 3 collectives was seen") for caveat in caveats)
    assert not any("messages of the MPI library were seen" in caveat for caveat in caveats)


def test_rows_of_noise_are_those_of_the_ranks_asked_for_and_of_any_of_them(
    sample: Callable[[str], hopscope.Trace],
) -> None:
    # Regression: the column `rank` of noise is text, because its last row is about all ranks; selecting ranks ended in
    # a type error.
    trace = sample("demo")
    assert trace.noise(ranks="1,3")["rank"].to_pylist() == ["1", "3", trace.noise()["rank"].to_pylist()[-1]]
