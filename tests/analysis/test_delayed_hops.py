"""The effect of one delayed hop on its collective, worked out by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
from drawing import draw

RANKS = "rank host cluster first_event_ns last_event_ns\n0 a A 0 1000\n1 b B 0 1000\n2 c B 0 1000"
COMMS = "comm name size members\n0 world 3 0,1,2"


def run(directory: Path, slow_ns: int, enter_0: int = 0, source: str = "tree") -> hopscope.Trace:
    """A run of six equal collectives: ranks 1 and 2 send to rank 0 at 1; when rank 0 has both messages, it sends back
    at once and leaves.

    A hop takes 10. In the last collective rank 1's hop takes 50, and rank 2's takes `slow_ns`. Rank 0 enters the last
    collective at `enter_0`.
    """
    collectives = ["collective_id comm seq comm_size bytes first_enter_ns last_enter_ns last_leave_ns"]
    calls = ["collective_id rank enter_ns leave_ns"]
    hops = ["collective_id role src dst bytes send_begin_ns recv_wait_begin_ns recv_end_ns binding link source"]
    # The roles of the MPI library's own hops come from recognition.
    up, down = ("up", "down") if source == "tree" else ("-", "-")
    for n in range(6):
        begin = 1000 * n
        last = n == 5
        enter = begin + (enter_0 if last else 0)
        first, second = begin + 1 + (50 if last else 10), begin + 1 + (slow_ns if last else 10)
        reply = max(first, second, enter) + 1
        collectives.append(f"{n} 0 {n} 3 8 {begin} {enter} {reply + 11}")
        calls += [f"{n} 0 {enter} {reply + 1}", f"{n} 1 {begin} {reply + 11}", f"{n} 2 {begin} {reply + 11}"]
        hops += [
            f"{n} {up} 1 0 8 {begin + 1} {enter} {first} recv wan {source}",
            f"{n} {up} 2 0 8 {begin + 1} {enter} {second} recv wan {source}",
        ]
        hops += [f"{n} {down} 0 {dst} 8 {reply} {begin + 2} {reply + 10} recv wan {source}" for dst in (1, 2)]
    tables = {"collectives": "\n".join(collectives), "calls": "\n".join(calls), "hops": "\n".join(hops)}
    return hopscope.open(draw(directory, ranks=RANKS, comms=COMMS, **tables))


def worst(trace: hopscope.Trace) -> dict[str, Any]:
    return trace.delayed_hops(limit=1).to_pylist()[0]


def test_a_delay_that_nothing_hides_moves_the_end_by_all_of_it(tmp_path: Path) -> None:
    # 50 instead of 10: without the delay, rank 0 has both messages at 11 instead of 51, and all ranks leave 40 earlier.
    row = worst(run(tmp_path / "d", slow_ns=10))
    assert (row["src"], row["dst"], row["took_ns"], row["usual_ns"], row["delay_ns"]) == (1, 0, 50, 10, 40)
    assert (row["moved_ns"], row["amplification"], row["ranks"]) == (40, 1.0, 3)
    assert (row["absorbed_at"], row["absorbed_ns"]) == (None, 0)


def test_a_sibling_that_is_late_too_absorbs_part_of_it(tmp_path: Path) -> None:
    # Rank 2's hop arrives at 31. Without rank 1's delay, rank 0 would still wait until 31 instead of 51, so 20 of the
    # 40 delay the end.
    row = worst(run(tmp_path / "d", slow_ns=30))
    assert (row["moved_ns"], row["amplification"], row["ranks"]) == (20, 0.5, 3)
    assert (row["absorbed_at"], row["absorbed_ns"], row["behind"]) == (0, 20, "hop 2->0")


def test_the_longest_delays_come_first_and_each_is_replayed_by_itself(tmp_path: Path) -> None:
    rows = run(tmp_path / "d", slow_ns=30).delayed_hops().to_pylist()
    # Rank 2's delay was hidden behind rank 1's. Alone it delayed nothing: rank 0 absorbed all its 20.
    assert [(row["src"], row["delay_ns"], row["moved_ns"]) for row in rows] == [(1, 40, 20), (2, 20, 0)]
    assert (rows[1]["absorbed_at"], rows[1]["absorbed_ns"], rows[1]["behind"]) == (0, 20, "hop 1->0")


def test_without_hops_it_says_what_would_have_them(tmp_path: Path) -> None:
    answer = hopscope.open(draw(tmp_path / "d")).answer("delayed-hops")
    assert answer.rows == []
    assert "no hop was late on an edge with 5 hops" in answer.notes[0]


def test_a_limit_of_no_rows_says_nothing_about_the_trace(tmp_path: Path) -> None:
    # Regression: the answer said that no edge had 5 hops that were waited for.
    answer = run(tmp_path / "d", slow_ns=30).answer("delayed-hops", limit=0)
    assert (answer.rows, answer.notes) == ([], ())


def test_on_a_real_run_nothing_moves_by_more_than_its_delay(sample: Callable[[str], hopscope.Trace]) -> None:
    rows = sample("demo").delayed_hops(limit=100).to_pylist()
    assert len(rows) > 20
    assert all(0 <= row["moved_ns"] <= row["delay_ns"] for row in rows)
    assert any(row["amplification"] > 0.5 for row in rows)


def test_a_message_of_the_mpi_library_is_not_slow_because_its_receiver_came_late(tmp_path: Path) -> None:
    """A rank receives only inside MPI. Rank 0 enters at 45, long after the messages were sent."""
    assert len(run(tmp_path / "engine", slow_ns=10, enter_0=45).delayed_hops()) > 0
    assert len(run(tmp_path / "late", slow_ns=10, enter_0=45, source="native").delayed_hops()) == 0
    assert worst(run(tmp_path / "there", slow_ns=10, source="native"))["src"] == 1


def test_a_delayed_hop_of_the_mpi_library_names_the_tree_that_it_ran_over(tmp_path: Path) -> None:
    # Regression: the hop counted as one between peers, which no page could draw.
    trace = run(tmp_path / "d", slow_ns=10, source="native")
    row = worst(trace)
    assert (row["src"], row["dst"], row["role"], row["delay_ns"]) == (1, 0, "up", 40)
    edges = {(tree["tree"], tree["role"], tree["rank"], tree["parent"]) for tree in trace.trees().to_pylist()}
    assert (row["tree"], row["role"], row["src"], row["dst"]) in edges
