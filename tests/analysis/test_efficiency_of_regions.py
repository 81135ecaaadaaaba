"""Efficiencies inside regions of the program, and the intervals of all efficiencies.

The regions are on the run that test_efficiency.py draws, whose communication lasts from 90 to 570:

    main   0 to 600 on both ranks
    solve  110 to 560 on rank 0, of which 250-340, 350-370 and 400-500 are in MPI: 450, 240 of it useful; and once more
           inside itself. 150 to 510 on rank 1, of which 300-340 and 440-500 are in MPI: 360, 260 of it useful
    write  350 to 370 on rank 0, all of it in MPI
    start  0 to 60 on both, before the communication
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected
from test_efficiency import INTERVALS, TABLES

REGIONS = """
0 0 region main  0   600
1 1 region main  0   600
0 0 region solve 120 130
1 1 region solve 150 510
0 0 region write 350 370
0 0 region start 0   60
1 1 region start 0   60
"""
SAMPLES = Path(__file__).parents[2] / "sample_traces"


def test_a_region_has_the_metrics_of_a_run_and_main_has_the_run_s_own(tmp_path: Path) -> None:
    # solve: mean 250, T 450. A visit inside a visit counts once.
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "intervals": INTERVALS + REGIONS}))
    rows = trace.efficiency(by="region")
    columns = ("region", "ranks", "time_ns", "useful_ns", "parallel_efficiency", "load_balance")
    assert cells(rows, *columns) == expected("""
        region, ranks, time_ns, useful_ns, parallel_efficiency, load_balance
        main,   2,     480,     260,       0.541667,            0.962963
        solve,  2,     450,     250,       0.555556,            0.961538
        write,  1,     20,      0,         0,
    """)
    assert rows["communication_efficiency"].to_pylist() == pytest.approx([270 / 480, 260 / 450, 0])
    assert rows["note"].to_pylist() == [
        "no intervals: too few collectives",
        "no intervals: too few collectives",
        "no rank computes in it; no intervals: too few collectives",
    ]
    assert rows["parallel_efficiency_low"].null_count == 3


def test_of_a_part_only_its_time_and_its_ranks_count(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "intervals": INTERVALS + REGIONS}))
    rows = {row["region"]: row for row in trace.efficiency(by="region", ranks="1").to_pylist()}
    assert (rows["solve"]["time_ns"], rows["solve"]["useful_ns"]) == (360, 260)
    assert "write" not in rows


def test_a_trace_without_regions_says_so(tmp_path: Path) -> None:
    intervals = "\n".join(line for line in INTERVALS.splitlines() if " solve " not in line)
    answer = hopscope.open(draw(tmp_path / "d", **{**TABLES, "intervals": intervals})).answer("efficiency", by="region")
    assert answer.rows == []
    assert "no region of the program is visited" in answer.notes[-1]


def iterations(*, number: int, computed: tuple[int, int], second_half: tuple[int, int]) -> dict[str, str]:
    """Two ranks that call a barrier at the end of every 100 ns. Their computing before it changes after half of the
    run."""
    ranks = (0, 1)
    first = [computed if i < number // 2 else second_half for i in range(number)]
    return {
        "ranks": TABLES["ranks"],
        "comms": TABLES["comms"],
        "collectives": "\n".join(
            ["collective_id seq op comm_size", *(f"{i} {i} MPI_Barrier 2" for i in range(number))]
        ),
        "calls": "\n".join(
            [
                "collective_id rank location enter_ns leave_ns",
                *(f"{i} {r} {r} {100 * i + first[i][r]} {100 * i + 100}" for i in range(number) for r in ranks),
            ]
        ),
        "intervals": "\n".join(
            [
                "rank location kind region begin_ns end_ns",
                *(f"{r} {r} region step {100 * i} {100 * i + 100}" for i in range(1, number) for r in ranks),
                *(f"{r} {r} region once 310 320" for r in ranks),
            ]
        ),
    }


def test_where_every_iteration_is_alike_the_interval_is_narrow_and_else_it_is_wide(tmp_path: Path) -> None:
    # 60 and 95 of 100: the load balance is 77.5 / 95. In the other run, the second half is balanced with 95 and 95.
    steady = hopscope.open(draw(tmp_path / "a", **iterations(number=64, computed=(60, 95), second_half=(60, 95))))
    changing = hopscope.open(draw(tmp_path / "b", **iterations(number=64, computed=(60, 95), second_half=(95, 95))))
    for trace, narrow in ((steady, True), (changing, False)):
        for row in trace.efficiency().to_pylist():
            assert row["efficiency_low"] <= row["efficiency"] + 0.005
            assert row["efficiency_high"] >= row["efficiency"] - 0.005
        factors = {row["factor"]: row for row in trace.efficiency().to_pylist()}
        balance = factors["load balance"]
        assert (balance["efficiency_high"] - balance["efficiency_low"] < 0.01) == narrow
        regions = {row["region"]: row for row in trace.efficiency(by="region").to_pylist()}
        assert regions["step"]["load_balance"] == pytest.approx(balance["efficiency"], abs=0.01)
        wide = regions["step"]["load_balance_high"] - regions["step"]["load_balance_low"]
        assert (wide < 0.01) == narrow
        assert regions["once"]["load_balance_low"] is None
        assert regions["once"]["note"] == "no intervals: it lies in 1 of 16 blocks of collectives only"
    assert {row["factor"]: row["efficiency"] for row in steady.efficiency().to_pylist()}[
        "load balance"
    ] == pytest.approx(77.5 / 95, abs=0.01)


def test_the_interval_of_a_planted_imbalance_holds_it() -> None:
    # Three of four ranks sleep 6 ms an iteration and one 9 ms.
    rows = hopscope.open(SAMPLES / "late_rank" / "trace").efficiency().to_pylist()
    balance = next(row for row in rows if row["factor"] == "load balance")
    assert balance["efficiency_low"] < 0.75 < balance["efficiency_high"]
    assert balance["efficiency_high"] - balance["efficiency_low"] < 0.02


def test_a_score_p_trace_has_its_functions_as_regions(tmp_path: Path) -> None:
    archive = Path(__file__).parents[1] / "convert" / "archives" / "scorep-8.4-mpi-openmp-4x2" / "traces.otf2"
    trace = hopscope.open(archive, dataset=tmp_path / "dataset")
    whole = {row["factor"]: row for row in trace.efficiency().to_pylist()}
    rows = {row["region"]: row for row in trace.efficiency(by="region").to_pylist()}
    # All communication is in main, and all of work is outside MPI.
    for factor in ("parallel efficiency", "load balance", "communication efficiency"):
        column = factor.replace(" ", "_")
        for end in ("", "_low", "_high"):
            assert rows["main"][column + end] == pytest.approx(whole[factor]["efficiency" + end], rel=1e-9)
    assert rows["work"]["communication_efficiency"] == pytest.approx(1)
    assert rows["work"]["parallel_efficiency"] == pytest.approx(rows["work"]["load_balance"])
