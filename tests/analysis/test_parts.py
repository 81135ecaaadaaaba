"""The selection that each option makes, worked out on one drawing.

Two ranks on two hosts of two clusters go through a loop of ten iterations of 100 ns each, from 1000 on. Iteration i
begins at 1000 + 100 i: ranks compute, rank 0 sends a message to rank 1 (20 to 30), ranks compute, and both enter an
Allreduce, rank 0 at 60 and rank 1 at 80. It ends at 100. The run's path computes on rank 0, follows the message to rank
1, computes there, and ends in the Allreduce. Before 1000 there are MPI_Init (900 ns) and 100 of computing; after 2000,
computing until 2050.

    time    0           20      30            80          100
    rank 0  | compute   | Send  | compute  60 | Allreduce |
    rank 1  | compute   | Recv  | compute     | Allreduce |
    path    | compute 0 | p2p 1 | compute 1   | native 1  |
"""

import json
from collections.abc import Callable
from pathlib import Path

import hopscope
import pytest
from click.testing import CliRunner
from drawing import cells, draw, expected
from hopscope.cli.analyze import analyze
from hopscope.errors import InputError

RANKS = """
rank host cluster first_event_ns last_event_ns
0    h0   A       0              2050
1    h1   B       0              2050
"""
TURNS = range(10)


def table(columns: str, rows: list[str]) -> str:
    return "\n".join([columns, *rows])


def tables() -> dict[str, str]:
    begins = [(i, 1000 + 100 * i) for i in TURNS]
    path = ["run - 0 0 0 900 mpi - - - - MPI_Init app+0x1", "run - 1 0 900 1000 compute - - - - - app+0x2"]
    for i, t in begins:
        path += [
            f"run - {4 * i + 2} 0 {t} {t + 20} compute - - - - - app+0x2",
            f"run - {4 * i + 3} 1 {t + 20} {t + 30} p2p - {i} 0 1 MPI_Recv app+0x3",
            f"run - {4 * i + 4} 1 {t + 30} {t + 80} compute - - - - - app+0x4",
            f"run - {4 * i + 5} 1 {t + 80} {t + 100} native {i} - - - MPI_Allreduce app+0x4",
        ]
    path.append("run - 99 1 2000 2050 compute - - - - - app+0x5")
    return {
        "ranks": RANKS,
        "comms": "comm name members\n0 MPI_COMM_WORLD 0,1\n1 self 1",
        "collectives": table(
            "collective_id comm seq op comm_size first_enter_ns last_enter_ns last_leave_ns",
            [f"{i} 0 {i} MPI_Allreduce 2 {t + 60} {t + 80} {t + 100}" for i, t in begins],
        ),
        "calls": table(
            "collective_id rank location enter_ns leave_ns call_site",
            [f"{i} {r} {r} {t + (60, 80)[r]} {t + 100} app+0x4" for i, t in begins for r in (0, 1)],
        ),
        "messages": table(
            "message_id comm src dst src_location dst_location send_begin_ns send_end_ns recv_post_ns recv_end_ns",
            [f"{i} 0 0 1 0 1 {t + 20} {t + 25} {t + 20} {t + 30}" for i, t in begins],
        ),
        "intervals": table(
            "rank location region kind begin_ns end_ns call_site",
            [f"{r} {r} MPI_Init init 0 900 app+0x1" for r in (0, 1)]
            + [f"0 0 MPI_Send p2p {t + 20} {t + 25} app+0x2" for i, t in begins]
            + [f"1 1 MPI_Recv p2p {t + 20} {t + 30} app+0x3" for i, t in begins]
            + [f"{r} {r} second region 1500 2000 -" for r in (0, 1)],
        ),
        "path_stretches": table(
            "path path_collective_id step rank begin_ns end_ns category collective_id message_id src dst op call_site",
            path,
        ),
    }


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> hopscope.Trace:
    return hopscope.open(opened_once(draw(tmp_path_factory.mktemp("parts") / "d", **tables())))


def by_category(trace: hopscope.Trace, **part: object) -> dict[str, int]:
    rows = trace.run("critical-path", **part).to_pylist()  # type: ignore[arg-type]
    return {row["category"]: row["time_ns"] for row in rows if row["time_ns"]}


def test_the_path_of_the_run_is_clipped_to_a_time_range(trace: hopscope.Trace) -> None:
    # The communication begins at 1020, when the first message is sent. The time before that is start-up.
    assert by_category(trace) == {"compute": 680, "p2p": 100, "native": 200}
    # From the middle of a message (25 in iteration 2) to the middle of the second computing of iteration 4 (50).
    assert by_category(trace, from_=1225, to="1450ns") == {"compute": 160, "p2p": 25, "native": 40}
    rows = trace.run("critical-path", from_=1225, to=1450).to_pylist()
    compute = rows[0]
    assert compute["share"] == pytest.approx(160 / 225)
    assert compute["share_of_run"] == pytest.approx(160 / 2050)


def test_start_up_and_shutdown_are_named_where_a_range_reaches_into_them(trace: hopscope.Trace) -> None:
    whole = by_category(trace, from_="start", to="end")
    assert whole == {"compute": 680, "p2p": 100, "native": 200, "startup": 1020, "shutdown": 50}
    assert by_category(trace, from_=950, to=1030) == {"p2p": 10, "startup": 70}
    assert trace.answer("critical-path").notes == (
        "left out: 1.02 µs of start-up (49.8 % of the path) and 50 ns of shutdown (2.4 % of the path). "
        "--from start --to end includes it",
    )


def test_iterations_end_with_the_collective_that_all_call_once(trace: hopscope.Trace) -> None:
    # Iteration 0 begins with the communication, at 1020; iteration i ends at 1100 + 100 i.
    assert by_category(trace, from_="i:0", to="i:1") == {"compute": 50, "p2p": 10, "native": 20}
    assert by_category(trace, from_="i:3", to="i:5") == {"compute": 140, "p2p": 20, "native": 40}
    assert trace.collectives(from_="i:3", to="i:5", order="first")["seq"].to_pylist() == [3, 4]
    assert by_category(trace, from_="i:9", to="i:10") == {"compute": 70, "p2p": 10, "native": 20}
    assert trace.answer("last-arrivals", from_="i:3").notes == (
        "10 iterations, each with one turn at app+0x4; 100.0 % of them make the same calls",
    )
    with pytest.raises(InputError, match="no iteration 11; the run has 10 iterations, i:0 to i:9, and i:10 is the end"):
        trace.critical_path(from_="i:11")


def test_iterations_without_a_collective_begin_with_a_call(tmp_path: Path) -> None:
    # Only messages remain. Rank 0 calls MPI_Send once in each of the ten iterations, at 20.
    messages_only = {name: text for name, text in tables().items() if name not in ("collectives", "calls")}
    trace = hopscope.open(draw(tmp_path / "d", **messages_only))
    assert by_category(trace, from_="i:4", to="i:5") == {"compute": 70, "p2p": 10, "native": 20}
    # The last iteration ends with the communication, at 1930.
    assert by_category(trace, from_="i:9", to="i:10") == {"p2p": 10}


def test_a_place_can_be_said_to_be_called_once_in_an_iteration(trace: hopscope.Trace) -> None:
    # If iterations begin at the Send, at 20 of each turn, the third iteration is from 1220 to 1320.
    assert by_category(trace, from_="i:2", to="i:3", iteration_at="app+0x2") == {
        "compute": 70, "p2p": 10, "native": 20,
    }  # fmt: skip
    assert trace.collectives(from_="i:2", to="i:3", iteration_at="app+0x2")["seq"].to_pylist() == [2]


def test_a_place_for_iterations_that_has_no_effect_or_comes_once_is_said(tmp_path: Path, trace: hopscope.Trace) -> None:
    # Regression: the option was ignored, whatever its value.
    sentence = "--iteration-at app+0x2 changes nothing here; it is for --from and --to by iteration, as --from i:10"
    assert sentence in trace.answer("critical-path", iteration_at="app+0x2").notes
    assert sentence not in trace.answer("critical-path", iteration_at="app+0x2", from_="i:3").notes
    assert sentence not in trace.answer("noise", iteration_at="app+0x2").notes
    rows = [f"0 0 MPI_Send p2p {100 * i} {100 * i + 10} app+{i}" for i in range(8)]
    intervals = table("rank location region kind begin_ns end_ns call_site", rows)
    short_trace = hopscope.open(draw(tmp_path / "once", ranks=RANKS, intervals=intervals))
    with pytest.raises(InputError, match="rank 0 is there only once, which tells no iterations apart"):
        short_trace.part(iteration_at="app+3")


def test_a_program_without_a_loop_has_no_iterations(tmp_path: Path) -> None:
    # Eight calls at eight call sites.
    rows = [f"0 0 MPI_Send p2p {100 * i} {100 * i + 10} app+{i}" for i in range(8)]
    intervals = table("rank location region kind begin_ns end_ns call_site", rows)
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, intervals=intervals))
    with pytest.raises(InputError, match="repeats no sequence of MPI calls five times or more"):
        trace.critical_path(from_="i:1")


def test_ranks_select_the_path_on_them_and_the_rows_about_them(trace: hopscope.Trace) -> None:
    # On rank 0 the path computes from 0 to 20 of each iteration; in the first iteration this is start-up.
    assert by_category(trace, ranks="0") == {"compute": 180}
    assert by_category(trace, ranks=[0]) == {"compute": 180}
    everyone = {row["rank"]: row for row in trace.late_ranks().to_pylist()}
    rows = trace.late_ranks(ranks="1").to_pylist()
    # Lateness is still relative to the median of all members.
    assert rows == [everyone[1]]
    assert trace.collectives(ranks="1").num_rows == 10
    assert trace.part(ranks="1").sql("select distinct rank from intervals order by 1")["rank"].to_pylist() == [1]


def test_an_operation_selects_the_path_inside_it_and_its_collectives(trace: hopscope.Trace) -> None:
    assert by_category(trace, operation="MPI_Allreduce") == {"native": 200}
    assert by_category(trace, operation="MPI_Recv") == {"p2p": 100}
    # Messages belong to the calls that send and receive them.
    assert trace.part(operation="MPI_Send").table("messages").num_rows == 10
    assert trace.part(operation="MPI_Recv").table("messages").num_rows == 10
    assert trace.part(operation="MPI_Allreduce").table("messages").num_rows == 0


def test_a_communicator_has_a_number_and_a_name(trace: hopscope.Trace) -> None:
    categories = {"p2p": 100, "native": 200}
    assert by_category(trace, comm="MPI_COMM_WORLD") == by_category(trace, comm=0) == categories
    with pytest.raises(InputError, match="--comm self selects nothing"):
        trace.collectives(comm="self")


def test_a_region_clips_the_path_to_its_visits(trace: hopscope.Trace) -> None:
    # The region is the second half of the loop on both ranks.
    assert by_category(trace, region="second") == {"compute": 350, "p2p": 50, "native": 100}
    assert trace.collectives(region="second").num_rows == 5
    assert trace.part(region="second").table("messages").num_rows == 5
    assert by_category(trace, region="second", from_="i:9") == {"compute": 70, "p2p": 10, "native": 20}


def test_a_place_takes_the_computing_that_led_to_its_calls(trace: hopscope.Trace) -> None:
    assert by_category(trace, place="app+0x4") == {"compute": 500, "native": 200}
    # A unique part of the text suffices.
    assert by_category(trace, place="0x4") == {"compute": 500, "native": 200}


def test_calls_without_a_call_site_are_selected_as_the_place_unknown(tmp_path: Path) -> None:
    # The collector does not know the call sites of MPI_Allreduce and MPI_Send.
    hidden = {
        name: text.replace("app+0x4", "-").replace("app+0x2", "-") for name, text in tables().items() if name != "ranks"
    }
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, **hidden))
    rows = trace.critical_path(by="place").to_pylist()
    assert {row["place"]: row["time_ns"] for row in rows} == {"unknown": 880, "app+0x3": 100}
    # The computing of 1000 to 1020 is start-up.
    assert by_category(trace, place="unknown") == {"compute": 680, "native": 200}
    assert trace.collectives(place="unknown").num_rows == 10
    part = trace.part(place="unknown")
    assert part.messages(by="place").to_pylist()[0]["messages"] == 10
    assert {row["region"] for row in part.table("intervals").to_pylist() if row["kind"] == "p2p"} == {"MPI_Send"}
    assert trace.part(place="app+0x5").table("messages").num_rows == 0
    with pytest.raises(InputError, match=r"calls came from app\+0x1, app\+0x3, app\+0x5, unknown"):
        trace.part(place="main")


def test_a_message_whose_send_began_in_no_call_has_no_place(tmp_path: Path) -> None:
    # Every send begins 2 after its thread left the previous call.
    drawing = tables()
    drawing["messages"] = table(
        "comm src dst src_location dst_location send_begin_ns send_end_ns recv_post_ns recv_end_ns",
        [f"0 0 1 0 1 {t + 27} {t + 28} {t + 20} {t + 30}" for t in (1000 + 100 * i for i in TURNS)],
    )
    trace = hopscope.open(draw(tmp_path / "d", **drawing))
    sent = {row["place"]: row["messages"] for row in trace.messages(by="place").to_pylist()}
    # Rank 1 waited at app+0x3 for the message that was sent there.
    assert sent == {"unknown": 10, "app+0x3": 0}
    assert trace.part(place="unknown").table("messages").num_rows == 10
    assert trace.part(place="app+0x2").table("messages").num_rows == 0
    assert trace.part(place="app+0x3").table("messages").num_rows == 10


def test_computing_before_the_part_still_counts_for_its_first_calls(trace: hopscope.Trace) -> None:
    # Rank 0 computes 35 before each Allreduce (from 25 to 60), rank 1 50; so they do before the first one of the
    # selection.
    gaps = trace.part(from_=1250, to=1400)
    rows = gaps.sql("select rank, end_ns, computing_ns from computing_gaps order by rank, end_ns")
    assert cells(rows, "rank", "end_ns", "computing_ns") == expected("""
        rank,end_ns,computing_ns
        0,1260,35
        0,1320,20
        0,1360,35
        1,1280,50
        1,1320,20
        1,1380,50
    """)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"from_": "soon"}, "--from soon is not a time; write for example 1.5s"),
        ({"from_": "2us", "to": "1us"}, "--from 2us is not before --to 1us"),
        ({"from_": "3us"}, "--from 3us is after the end of the run, which takes 2.05 µs"),
        ({"from_": "end"}, "--from end is the end of the run, which takes 2.05 µs"),
        ({"ranks": "0-3"}, "the trace has no rank 2; its ranks are 0 to 1"),
        ({"ranks": "a"}, "is not a list of ranks; write for example 3,8-15"),
        # Regression: each of these selected something else, or nothing, without an explanation.
        ({"ranks": "1-0"}, "--ranks 1-0: 1-0 runs backwards; write 0-1"),
        ({"ranks": "0 1"}, "--ranks 0 1 is not a list of ranks; write for example 3,8-15"),
        ({"ranks": "0-999999999"}, "the trace has no rank 2; its ranks are 0 to 1"),
        ({"from_": "1.5"}, "--from 1.5 has no unit; write 1.5s or 1.5ms, or a whole number of ns"),
        ({"to": "0"}, "--to 0 is the start of the trace, so nothing comes before it; give a later time"),
        ({"to": "start"}, "--to start is the start of the trace"),
        ({"place": " "}, "--place is empty; give a value or leave the option out"),
        ({"comm": ""}, "--comm is empty; give a value or leave the option out"),
        ({"iteration_at": ""}, "--iteration-at is empty; give a value or leave the option out"),
        (
            {"iteration_at": "main"},
            "calls nothing from there and has no region of that name; its calls come from app+0x2",
        ),
        ({"iteration_at": "app+0x3", "from_": "i:1"}, "rank 0, whose calls tell iterations apart, calls nothing from"),
        ({"comm": "7"}, "no communicator 7; it has 0, 1"),
        ({"operation": "MPI_Alreduce"}, "Did you mean MPI_Allreduce?"),
        ({"region": "secand"}, "no region secand; it has second. Did you mean second?"),
        ({"place": "main"}, "nothing was called from there; calls came from app"),
        ({"place": "unknown"}, "nothing was called from there; calls came from app"),
    ],
)
def test_what_selects_nothing_is_wrong_input(trace: hopscope.Trace, part: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("?", r"\?").replace("+", r"\+")):
        trace.part(**part)


def test_a_part_that_holds_nothing_is_wrong_input_for_every_analysis(trace: hopscope.Trace) -> None:
    # Regression: `last-arrivals` answered with a row of zeros for each rank. All Allreduces are after 1000.
    part = trace.part(to=1000, operation="MPI_Allreduce")
    for analysis in part.analyses():
        if not analysis.default.whole_run and analysis.default.base is None:
            with pytest.raises(InputError, match=r"--to 1000 --operation MPI_Allreduce selects nothing|looks at one"):
                part.run(analysis.name)
    done = CliRunner().invoke(analyze, ["last-arrivals", str(trace.path), "--from", "1s"], standalone_mode=False)
    assert isinstance(done.exception, InputError)


def test_a_part_without_a_collective_says_so(trace: hopscope.Trace) -> None:
    # Between 1030 and 1080 all ranks compute. The first Allreduce counts at the enter of its last member, 1080.
    answer = trace.answer("last-arrivals", from_=1030, to=1080)
    assert answer.notes[1:] == ("no collective lies in this part of the run",)
    assert trace.part(from_=1030, to=1080).part_notes == answer.notes[1:]
    (empty, *_) = trace.answer("late-ranks", from_=1030, to=1080).notes
    assert "in this part of the run (--from 1030 --to 1080), there are no collectives" in empty
    assert trace.part(from_=1030, to=1081).part_notes == ()
    assert trace.part(from_=1030, to=1080, place="app+0x4").part_notes == ()


def test_how_sure_the_iterations_are_is_known_of_a_trace_and_of_its_parts(trace: hopscope.Trace) -> None:
    sentence = "10 iterations, each with one turn at app+0x4; 100.0 % of them make the same calls"
    assert trace.iterations_found == trace.part(ranks="1").iterations_found == sentence
    assert trace.part_notes == ()
    assert trace.part(from_="i:3").part_notes == (sentence,)
    with_send = trace.part(from_="i:3", iteration_at="app+0x2").part_notes[0]
    assert with_send.startswith("10 iterations, each with one turn at app+0x2")


def test_what_is_about_the_whole_run_takes_no_part(trace: hopscope.Trace) -> None:
    with pytest.raises(InputError, match="check-data is about the whole run; leave out --ranks 1"):
        trace.check_data(ranks="1")


def test_commands_and_gates_take_the_same_options(trace: hopscope.Trace) -> None:
    def run_command(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(analyze, [words[0], str(trace.path), *words[1:]], standalone_mode=False)
        return done.return_value, done.stdout

    code, stdout = run_command("critical-path", "--from", "i:3", "--to", "i:5", "--format", "json")
    rows = {row["category"]: row["time_ns"] for row in json.loads(stdout)}
    assert (code, rows["compute"], rows["native"]) == (0, 140, 40)
    assert run_command("critical-path", "--from", "i:3", "--to", "i:5", "--fail-if", "compute.share > 69%")[0] == 1
    assert run_command("critical-path", "--operation", "MPI_Allreduce", "--fail-if", "compute.share > 0%")[0] == 0


def test_the_sql_of_a_part_says_what_is_restricted(trace: hopscope.Trace) -> None:
    text = trace.statements(trace.answer("critical-path", from_=1225, ranks="1"))
    assert "create or replace macro part_from_ns() as 1225::bigint;" in text
    assert "list_contains(part_ranks(), it.rank)" in text
    assert trace.answer("critical-path", from_=1225, ranks="1").name == "critical-path --from 1225 --ranks 1"


def test_a_part_of_a_part_keeps_what_it_was_selected_by(trace: hopscope.Trace) -> None:
    part = trace.part(from_="i:3", to="i:7")
    assert by_category(part, ranks=1) == by_category(trace, from_="i:3", to="i:7", ranks=1)
    assert part.collectives(order="first", comm="0")["seq"].to_pylist() == [3, 4, 5, 6]
    assert by_category(part.part(ranks="1")) == by_category(trace, from_="i:3", to="i:7", ranks=1)
    assert by_category(part, from_="i:5") == by_category(trace, from_="i:5", to="i:7")
    assert by_category(part) == by_category(trace, from_="i:3", to="i:7")


def test_a_part_is_opened_once_whoever_asks(trace: hopscope.Trace) -> None:
    assert trace.part(ranks="1").part(comm="0") is trace.part(comm="0", ranks=1)
    assert trace.part(ranks="1").part() is trace.part(ranks="1")
