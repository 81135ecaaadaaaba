"""Comparisons of whole runs: time per iteration, computing, the program's own messages, and each operation."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import hopscope
import numpy as np
import pytest
from drawing import draw
from started_commands import analyze

COMMS = "comm name size members\n0 world 3 0,1,2"
RANKS = "rank host cluster last_event_ns\n0 a A END\n1 b B END\n2 b B END"
EXAMPLE = Path(__file__).parents[2] / "docs" / "ci" / "hopscope.toml"
TOOK = 100
"""Time from the last enter of each Allreduce to its last leave, in ns."""

Work = Sequence[int]


def run(
    directory: Path,
    computing: Work,
    *,
    messages: int = 0,
    op: str = "MPI_Allreduce",
    command: str = "./app",
    site: str = "app+0x1",
) -> hopscope.Trace:
    """A run whose n-th iteration computes for computing[n] ns, waits for messages, and calls a collective."""
    collectives = ["collective_id comm seq op comm_size bytes first_enter_ns last_enter_ns last_leave_ns complete"]
    calls = ["collective_id rank enter_ns leave_ns call_site"]
    stretches = ["path step rank begin_ns end_ns category collective_id op"]
    clock = 0
    for n, work in enumerate(computing):
        enter = clock + work + messages
        stretches += [
            f"run {3 * n} 0 {clock} {clock + work} compute - -",
            f"run {3 * n + 1} 0 {clock + work} {enter} p2p - MPI_Recv",
            f"run {3 * n + 2} 0 {enter} {enter + TOOK} native {n} {op}",
        ]
        collectives.append(f"{n} 0 {n} {op} 3 8 {enter} {enter} {enter + TOOK} true")
        calls += [f"{n} {rank} {enter} {enter + TOOK} {site}" for rank in range(3)]
        clock = enter + TOOK
    parts = {"collectives": collectives, "calls": calls, "path_stretches": stretches}
    tables = {name: "\n".join(lines) for name, lines in parts.items()}
    tables |= {"ranks": RANKS.replace("END", str(clock)), "comms": COMMS}
    return hopscope.open(draw(directory, **tables, run=f"run ranks duration_ns command\nr 3 {clock} {command}"))


def normal_work(middle: int, seed: int, iterations: int = 200) -> list[int]:
    return [int(work) for work in np.random.default_rng(seed).normal(middle, 20, iterations)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return run(tmp_path_factory.mktemp("base") / "d", normal_work(1000, 1))


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> list[hopscope.Trace]:
    """Three runs of one program."""
    folder = tmp_path_factory.mktemp("bases")
    return [run(folder / f"a{n}", normal_work(middle, n)) for n, middle in enumerate((1000, 1010, 990))]


@pytest.mark.parametrize("longer", [0.1, 0.2])
def test_longer_computing_on_all_ranks_is_a_slower_run(base: hopscope.Trace, tmp_path: Path, longer: float) -> None:
    """Regression: only collectives were compared, so every row said `same`."""
    new = run(tmp_path / "b", normal_work(round(1000 * (1 + longer)), 2))
    assert new.compare(base=base, by="operation", statistic="median")["verdict"].to_pylist() == ["same"]
    rows = {row["activity"]: row for row in new.compare(base=base).to_pylist()}
    assert list(rows) == ["whole", "compute", "MPI_Allreduce", "p2p"]
    # An iteration takes 1,000 + 100 ns in the base, and 1,100 or 1,200 + 100 in the new run.
    assert [rows["whole"][name] for name in ("base_ns", "new_ns")] == pytest.approx([1100, 1100 + 1000 * longer], abs=5)
    assert rows["whole"]["change"] == pytest.approx(1000 * longer / 1100, abs=0.01)
    assert rows["whole"]["change_low"] < rows["whole"]["change"] < rows["whole"]["change_high"]
    assert rows["compute"]["change"] == pytest.approx(longer, abs=0.01)
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "whole": "slower", "compute": "slower", "MPI_Allreduce": "same", "p2p": "same",
    }  # fmt: skip
    assert {row["per"] for row in rows.values()} == {"iteration"}
    reverse = base.compare(base=new).to_pylist()
    assert (reverse[0]["activity"], reverse[0]["verdict"]) == ("whole", "faster")


def test_longer_messages_of_the_program_are_a_slower_run(base: hopscope.Trace, tmp_path: Path) -> None:
    new = run(tmp_path / "b", normal_work(1000, 2), messages=150)
    rows = {row["activity"]: row for row in new.compare(base=base).to_pylist()}
    assert rows["whole"]["change"] == pytest.approx(150 / 1100, abs=0.01)
    assert (rows["p2p"]["base_ns"], rows["p2p"]["new_ns"], rows["p2p"]["change"]) == (0, 150, None)
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "whole": "slower", "p2p": "slower", "compute": "same", "MPI_Allreduce": "same",
    }  # fmt: skip


def test_activities_add_up_to_the_time_per_iteration_without_the_first(tmp_path: Path) -> None:
    # The first iteration sets up for 90,000 ns. The others take 1,000 + 30 + 100 and 2,000 + 30 + 100 in turn.
    computing = [90_000, *[1000, 2000] * 20]
    trace = run(tmp_path / "a", computing, messages=30)
    rows = {row["activity"]: row["new_ns"] for row in trace.compare(base=trace).to_pylist()}
    assert rows == {"whole": 1630, "compute": 1500, "MPI_Allreduce": 100, "p2p": 30}


def test_a_part_of_the_run_is_compared_by_its_iterations(base: hopscope.Trace) -> None:
    row = base.compare(base=base, from_="i:10", to="i:40").to_pylist()[0]
    assert (row["activity"], row["base_iterations"], row["new_iterations"]) == ("whole", 30, 30)
    assert base.compare(base=base)["base_iterations"].to_pylist()[0] == 199


def test_one_run_of_each_is_told_apart_and_passes_or_fails_no_gate(base: hopscope.Trace, tmp_path: Path) -> None:
    answer = run(tmp_path / "b", normal_work(1300, 2)).answer("compare", base=base)
    assert {row["slower"] for row in answer.rows} == {None}
    (note,) = [note for note in answer.notes if "one run of each" in note]
    assert "runs of one program differ" in note


def test_what_runs_differ_by_is_no_change(tmp_path: Path) -> None:
    # By hand, for the whole: the means are 1,200 and 1,250. Runs are 100 apart, so s = sqrt(2 (0.0833^2 + 0.0800^2) /
    # 4) = 0.0817 and the error is s sqrt((1200^2 + 1250^2) / 3) = 81.7. For one of 3 rows with 95 %, t(4) makes that 4
    # times as wide.
    old, new = (
        [run(tmp_path / f"{side}{n}", normal_work(middle, 10 * place + n)) for n, middle in enumerate(middles)]
        for place, (side, middles) in enumerate({"a": (1000, 1200, 1100), "b": (1150, 1050, 1250)}.items())
    )
    alone = new[2].compare(base=old[0]).to_pylist()[0]
    assert alone["verdict"] == "slower"
    whole = new[0].compare(base=old[0], base_also=old[1:], also=new[1:]).to_pylist()[0]
    assert (whole["verdict"], whole["slower"]) == ("undecided", None)
    assert (whole["base_runs"], whole["new_runs"], whole["new_iterations"]) == (3, 3, 3 * 199)
    assert whole["change"] == pytest.approx(50 / 1200, abs=0.005)
    assert whole["change_low"] < -0.1 and whole["change_high"] > 0.2


def test_a_change_beyond_what_runs_differ_by_is_found(bases: list[hopscope.Trace], tmp_path: Path) -> None:
    new = [run(tmp_path / f"b{n}", normal_work(middle, 9 + n)) for n, middle in enumerate((1205, 1190, 1210))]
    whole = new[0].compare(base=bases[0], base_also=bases[1:], also=new[1:]).to_pylist()[0]
    assert (whole["verdict"], whole["slower"]) == ("slower", True)


def test_whole_runs_are_compared_where_they_have_no_iterations_in_common(base: hopscope.Trace, tmp_path: Path) -> None:
    # Three collectives are not a loop. So the run extends from the first enter to the last leave: 2 x 1,000 + 3 x 100
    # ns.
    short = [run(tmp_path / f"s{n}", [1000] * 3) for n in range(2)]
    answer = short[0].answer("compare", base=short[1])
    whole = answer.rows[0]
    assert (whole["activity"], whole["per"], whole["new_ns"], whole["verdict"]) == ("whole", "run", 2300, "undecided")
    assert whole["change_low"] is None
    assert any("no iterations in common" in note for note in answer.notes)
    # Several runs show how much runs vary: here, not at all.
    pooled = short[0].compare(base=short[1], also=[short[1]]).to_pylist()[0]
    assert (pooled["verdict"], pooled["change_low"]) == ("same", 0)
    # Iterations that begin at another call cannot be compared.
    barrier_run = run(tmp_path / "other", normal_work(1000, 2), op="MPI_Barrier")
    assert {row["per"] for row in barrier_run.compare(base=base).to_pylist()} == {"run"}


def test_what_two_sides_differ_in_is_said_once(tmp_path: Path) -> None:
    """Regression: two runs of each side gave four sentences about their commands."""
    runs = [run(tmp_path / name, normal_work(1000, 1), command=f"./{name}") for name in ("a", "b", "c", "d")]
    answer = runs[0].answer("compare", base=runs[2], base_also=[runs[3]], also=[runs[1]])
    assert [note for note in answer.notes if "commands" in note] == [
        "the runs had different commands: ./c, ./d, ./a and ./b"
    ]
    single = runs[0].answer("compare", base=runs[1])
    assert [note for note in single.notes if "commands" in note] == ["the two runs had different commands: ./b and ./a"]


def test_an_option_of_one_grain_chooses_it(base: hopscope.Trace) -> None:
    answer = base.answer("compare", base=base, statistic="median")
    assert [(row["operation"], row["statistic"]) for row in answer.rows] == [("MPI_Allreduce", "median")]


@pytest.mark.parametrize(("middle", "outcome"), [(1000, "passed"), (1100, "failed"), (1200, "failed")])
def test_the_example_gates_notice_longer_computing(
    middle: int, outcome: str, bases: list[hopscope.Trace], tmp_path: Path
) -> None:
    """Regression: the example gates saw nothing where all ranks computed 10 or 20 % longer."""
    runs = [run(tmp_path / f"b{n}", normal_work(middle, 9 + n)) for n in range(3)]
    words = ["gate", str(runs[0].path), "--config", str(EXAMPLE), "--format", "csv"]
    words += [word for trace in runs[1:] for word in ("--also", str(trace.path))]
    words += [word for trace in bases for word in ("--baseline", str(trace.path))]
    rows = csv.DictReader(io.StringIO(analyze(*words).stdout))
    assert {row["outcome"] for row in rows if row["analysis"] == "compare"} == {outcome}
