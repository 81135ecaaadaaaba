"""The loop of a program whose turns are its iterations, in runs drawn as sequences of calls.

A letter is a call from its own call site that takes 10 ns on both ranks: a capital is a collective of both ranks, any
other letter a point-to-point call. A dot is 100 ns of computing, an exclamation mark 100 ns on rank 1 alone. The
critical path is rank 1's.
"""

import random
from pathlib import Path

import hopscope
import pytest
from click.testing import CliRunner
from drawing import draw
from hopscope.cli.main import hopscope as program

SAME_CALLS = " of them make the same calls"


def run(folder: Path, sequence: str, *, places: bool = True) -> hopscope.Trace:
    clock = seq = 0
    collectives = ["collective_id comm seq op comm_size first_enter_ns last_enter_ns last_leave_ns"]
    calls = ["collective_id rank location enter_ns leave_ns call_site"]
    intervals = ["rank location region kind begin_ns end_ns call_site"]
    path = ["path step rank begin_ns end_ns category"]
    lead_ns = 0  # the time by which rank 0 is ahead of rank 1
    for letter in sequence:
        begin, end, site = clock, clock + (100 if letter in ".!" else 10), f"app+{letter}" if places else "-"
        path.append(f"run {len(path) - 1} 1 {begin} {end} {'compute' if letter in '.!' else 'mpi'}")
        if letter.isupper():
            collectives.append(f"{seq} 0 {seq} MPI_{letter} 2 {begin - lead_ns} {begin} {end}")
            calls += [f"{seq} {rank} {rank} {enter} {end} {site}" for rank, enter in ((0, begin - lead_ns), (1, begin))]
            seq += 1
        elif letter not in ".!":
            intervals += [f"{rank} {rank} MPI_{letter} p2p {begin} {end} {site}" for rank in (0, 1)]
        lead_ns = lead_ns + 100 if letter == "!" else 0
        clock = end
    ranks = f"rank host cluster first_event_ns last_event_ns\n0 h A 0 {clock}\n1 h A 0 {clock}"
    tables = {"collectives": collectives, "calls": calls, "intervals": intervals, "path_stretches": path}
    return hopscope.open(
        draw(
            folder / "d",
            ranks=ranks,
            comms="comm name members\n0 world 0,1",
            **{name: "\n".join(rows) for name, rows in tables.items() if len(rows) > 1},
        )
    )


def steps(body: str, number: int, **periods: int) -> str:
    """The calls of a loop of `number` turns. periods: the letter of an extra call, and n: the call comes in every n-th
    turn."""
    return "".join(body + "".join(c for c, n in periods.items() if i % n == 0) for i in range(1, number + 1))


def solves(body: str, opening: str, turns: list[int]) -> str:
    """The calls of several steps. Each step begins with the calls of `opening`; then an inner loop has this step's
    number of turns."""
    return "".join(opening + body * number for number in turns)


VARYING = random.Random(7).choices(range(3, 13), k=60)
EVERY_TENTH = [f"{'..' if i % 10 else '..T'}hsA" for i in range(100)]


def rebuilding(output: str) -> str:
    """100 steps of molecular dynamics. C checks. In most steps the atoms' halo f is sent; every 5 to 8 steps, when
    atoms have moved far, they are exchanged instead (e, b). r sends forces back."""
    gaps = random.Random(3)
    text, rebuild = "", 6
    for i in range(1, 101):
        text += "C" + (".eb." if i == rebuild else "ff") + "rr..." + (output if i % 10 == 0 else "")
        rebuild += gaps.randint(5, 8) if i == rebuild else 0
    return text


@pytest.mark.parametrize(
    ("sequence", "iterations"),
    [
        # Regression: the rarer call marked the iterations, of which there were 10, 20 and 12.
        (steps("..A", 100, T=10), "100 iterations, each with one turn at app+A; 90.9 %"),
        (steps("..A", 100, T=5), "100 iterations, each with one turn at app+A; 80.8 %"),
        (steps("..A", 60, B=5), "60 iterations, each with one turn at app+A"),
        ("".join(EVERY_TENTH), "100 iterations, each with one turn at app+A"),
        (steps("..hsw", 100, B=10), "100 iterations, each with one turn at app+h"),
        (steps("..A", 100, T=5, B=7), "100 iterations, each with one turn at app+A; 68.7 %"),
        # An occasional call may take far longer than a step.
        (steps("..A", 100, T=10).replace("T", "T........."), "100 iterations, each with one turn at app+A"),
    ],
)
def test_what_comes_every_fifth_step_or_seldomer_is_part_of_a_step(
    tmp_path: Path, sequence: str, iterations: str
) -> None:
    assert str(run(tmp_path, sequence).iterations_found).startswith(iterations)


def test_set_up_before_the_loop_does_not_count_against_it(tmp_path: Path) -> None:
    # 100 steps of 210 ns follow 300,000 ns between two barriers. Regression: a loop had to cover half of the run, so
    # the run had no iterations, and its noise was "fine: 0 iterations looked at".
    trace = run(tmp_path, f"B{'.' * 3000}C{steps('..A', 100)}")
    assert str(trace.iterations_found).startswith("100 iterations, each with one turn at app+A; 100.0 %")


def test_set_up_that_reads_in_a_short_loop_does_not_count_against_the_main_loop(tmp_path: Path) -> None:
    trace = run(tmp_path, f"B{steps('.R', 8)}{'.' * 3000}C{steps('..A', 100)}{'.' * 3000}W")
    assert str(trace.iterations_found).startswith("100 iterations, each with one turn at app+A; 100.0 %")


def test_none_of_several_equal_loops_stands_for_the_run(tmp_path: Path) -> None:
    # Three loops in sequence: the loops before the last one are not set-up.
    trace = run(tmp_path, steps("..A", 40) + steps("..B", 40) + steps("..C", 40))
    assert trace.iterations_found is None
    assert any("no sequence of MPI calls repeats through half" in note for note in trace.answer("noise").notes)
    # The user may choose one of the loops.
    part = trace.part(iteration_at="app+B")
    assert str(part.iterations_found).startswith("40 iterations, each with one turn at app+B")


def test_a_run_without_a_loop_has_a_reason_and_no_counts(tmp_path: Path) -> None:
    # Regression: the number of late iterations was 0, so a gate on it passed, and `iterations` said that the run has no
    # collectives.
    trace = run(tmp_path / "none", "A..B..C..A")
    assert trace.noise()["late_1ms"].to_pylist() == [None, None, None]
    for command in ("noise", "iterations"):
        assert trace.answer(command).notes[-1] == (
            "the run has no iterations: no MPI call repeats 5 times or more; if it has a loop, name a call of each "
            "iteration with --iteration-at"
        )
    gate = [str(trace.path), "--fail-if", '"any rank".late_1ms > 5']
    assert CliRunner().invoke(program, ["analyze", "noise", *gate], standalone_mode=False).return_value == 2
    loop = run(tmp_path / "loop", steps("..A", 40))
    assert not any("--iteration-at" in note for note in loop.answer("noise").notes)
    assert loop.noise()["late_1ms"].to_pylist() == [0, 0, 0]


def test_an_inner_loop_of_varying_length_is_inside_an_iteration(tmp_path: Path) -> None:
    # Regression: the turns of the inner loop counted as the iterations.
    assert run(tmp_path / "a", solves("h.A", "...B", VARYING)).iterations_found == (
        "60 iterations, each with one turn at app+B; 100.0 % of them make calls at the same places, each with 3 to 12 "
        "turns of a loop at app+A; if those are the iterations, choose it with --iteration-at"
    )
    # Only one call lies between the inner loops, and the solver calls some of its call sites before its loop too.
    light = str(run(tmp_path / "b", solves("..A", "B", VARYING)).iterations_found)
    assert light.startswith("60 iterations, each with one turn at app+B")
    cut = str(run(tmp_path / "c", solves("h.AA", "..BhA", VARYING)).iterations_found)
    assert cut.startswith("60 iterations, each with one turn at app+B")


def test_what_every_fifth_step_with_a_solver_inside_prints_is_part_of_a_step(tmp_path: Path) -> None:
    parts = [f"..B{'h.A' * number}{'T' if i % 5 == 4 else ''}" for i, number in enumerate(VARYING)]
    assert str(run(tmp_path, "".join(parts)).iterations_found).startswith("60 iterations, each with one turn at app+B")


def test_a_loop_with_always_the_same_number_of_turns_is_named_as_another_reading(tmp_path: Path) -> None:
    # A solver of ten turns makes the same calls as a program that reports after every ten steps.
    iterations = run(tmp_path, steps("..A", 100, T=10)).iterations_found
    assert str(iterations).endswith(
        f"{SAME_CALLS}; app+T comes only after every 10 of them; if it is what each iteration calls once, choose it "
        "with --iteration-at"
    )


def test_stages_of_a_step_are_no_iterations(tmp_path: Path) -> None:
    iterations = run(tmp_path, solves("hs..", ".D", [4] * 50)).iterations_found
    assert iterations == "50 iterations, each with one turn at app+D; 100.0 %" + SAME_CALLS


def test_a_collective_marks_steps_rather_than_a_message_that_comes_as_often(tmp_path: Path) -> None:
    # Regression: the collective is called twice in each step. Every other call was not a mark, and no collective ended
    # a step.
    trace = run(tmp_path, steps("A..A..ssw", 40))
    assert (trace.iterations_found or "").startswith(f"40 iterations, each with one turn at app+A; 100.0 %{SAME_CALLS}")
    assert None not in {row["collective_id"] for row in trace.iterations().to_pylist()}


def test_a_loop_over_neighbours_is_no_iteration(tmp_path: Path) -> None:
    swaps = run(tmp_path / "a", solves("hs", "......A", [6] * 50)).iterations_found
    assert swaps == "50 iterations, each with one turn at app+A; 100.0 %" + SAME_CALLS
    # Only point-to-point calls: the call site is called six times in a row, and each row is a turn.
    alone = str(run(tmp_path / "b", steps("......" + "hs" * 6 + "x", 50)).iterations_found)
    assert alone.startswith("50 iterations")


@pytest.mark.parametrize("output", ["T", ""])
def test_a_step_that_does_something_else_now_and_then_is_a_step(tmp_path: Path, output: str) -> None:
    # Regression: the iterations of LAMMPS were its rebuilt neighbour lists, its output, or none.
    iterations = str(run(tmp_path, rebuilding(output)).iterations_found)
    assert iterations.startswith("100 iterations, each with one turn at app+C")


def test_calls_without_call_sites_are_a_loop_only_by_their_sequence(tmp_path: Path) -> None:
    # Six Allreduces of one step may come from six call sites.
    six = run(tmp_path / "a", solves("A.", "..B", [6] * 40), places=False).iterations_found
    assert six == "40 iterations, each with one turn at MPI_B on 0; 100.0 %" + SAME_CALLS
    halo = str(run(tmp_path / "b", steps("..hA", 100, T=10), places=False).iterations_found)
    assert halo.startswith("100 iterations, each with one turn at MPI_A on 0")
