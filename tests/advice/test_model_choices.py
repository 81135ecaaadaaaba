"""The method that each model chooses at a sweep's points, the penalty for a wrong choice, and the points that are
measured again."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from drawn_sweeps import PROVENANCE
from hopscope.advice.sweep.decision import decisions, disputed, penalties
from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.measured import Sweep, read
from hopscope.advice.sweep.methods import OWN_CHOICE, Method
from hopscope.advice.sweep.models import Predictions
from hopscope.advice.sweep.summary import summary
from hopscope.launch.inputs import checked_file
from hopscope.mpi_libraries.offered import Offered
from started_commands import analyze

SETTING: Final = "coll_tuned_bcast_algorithm"
LINEAR, PIPELINE, BINOMIAL, KNOMIAL = (
    Method(name, Offered("bcast", name, number, SETTING))
    for name, number in (("basic_linear", 1), ("pipeline", 3), ("binomial", 6), ("knomial", 7))
)
METHODS: Final = [OWN_CHOICE, LINEAR, PIPELINE, BINOMIAL, KNOMIAL]
SMALL: Final = Point("bcast", 8, 1)


def machine(*, several_ns: float | None = None) -> dict[str, Any]:
    """The probe's file for one host. A message takes 1,000 ns, and 1 ns more for each further byte. Both overheads are
    100 ns. The gap is 500 ns, or several_ns towards four destinations."""

    def value(median: float) -> dict[str, Any]:
        return {"median": median, "low": median, "high": median, "count": 9}

    def size(count: int) -> dict[str, Any]:
        gaps = {1: 500.0 + count - 1, **({4: several_ns + count - 1} if several_ns else {})}
        return {
            "bytes": count,
            "one_way_ns": value(999.0 + count),
            "send_overhead_ns": value(100.0),
            "receive_overhead_ns": value(100.0),
            "gaps": [{"destinations": destinations, "gap_ns": value(gap)} for destinations, gap in gaps.items()],
        }

    level = {"inside_ns": None, "between_ns": None, "certainty": None}
    ends = {"link": "shm", "hosts": ["a", "a"], "ranks": [0, 1], "outlying": False}
    return {
        "schema_version": 1,
        "made": {"at": "", "command": [], "library": "", "ranks": 8, "seconds": 1, "spent_seconds": 1},
        "hosts": [{"name": "a", "cluster": "A", "ranks": list(range(8))}],
        "levels": {"host": level, "cluster": level},
        "latencies": [],
        "links": [{**ends, "sizes": [size(1), size(1 << 20)]}],
        "combining": [],
        "contention": [],
    }


def sweep_of(times: dict[str, list[float]], **machine_options: Any) -> Sweep:
    """A sweep of Bcast of one byte on eight ranks, with these times by method."""
    sweep = Sweep(dict(PROVENANCE), {"bcast": METHODS}, machine=machine(**machine_options))
    for name, values in times.items():
        sweep.add(SMALL, name, values)
    return sweep


def steady(**times: float) -> dict[str, list[float]]:
    return {name: [time] * 4 for name, time in times.items()}


MEASURED: Final = steady(default=2000, basic_linear=1000, pipeline=7000, binomial=4000, knomial=3000)


def test_formulas_and_replay_of_each_method() -> None:
    times = Predictions(machine(), ["a"] * 8).times_of(SMALL, METHODS)
    # 7 or 3 messages of 1,000 ns one after another. L = 800, o = 100, g = 500; for PLogP L = 500.
    assert times["Hockney"] == pytest.approx({"basic_linear": 7000, "pipeline": 7000, "binomial": 3000})
    assert times["LogGP"] == pytest.approx({"basic_linear": 500 + 7 * 500, "pipeline": 7000, "binomial": 3000})
    assert times["PLogP"] == pytest.approx({"basic_linear": 500 + 7 * 500, "pipeline": 7000, "binomial": 3000})
    assert times["replay"]["basic_linear"] == pytest.approx(4000, rel=0.01)
    assert times["replay"]["pipeline"] == pytest.approx(7000, rel=0.01)
    assert "knomial" not in times["Hockney"]


def test_a_model_that_is_wrong_by_construction_has_a_known_penalty() -> None:
    (row,) = decisions(sweep_of(MEASURED))
    assert (row["best"], row["penalty"]) == ("basic_linear", 1.0)
    for model in ("hockney", "loggp", "plogp"):
        assert (row[model], row[f"{model}_penalty"]) == ("binomial", 3.0)
    assert (row["methods"], row["formulas"]) == (5, 3)


def test_the_gap_by_destinations_finds_the_linear_broadcast_that_no_published_model_chose() -> None:
    # LogGP: 800 + 200 - 100 + 7 * 100 = 1,600; PLogP: 500 + 7 * 100 = 1,200; a binomial tree takes 3,000.
    (row,) = decisions(sweep_of(MEASURED, several_ns=100.0))
    assert [row[model] for model in ("loggp", "plogp", "replay")] == ["basic_linear"] * 3
    assert [row[f"{model}_penalty"] for model in ("loggp", "plogp", "replay")] == [0.0] * 3
    assert (row["hockney"], row["hockney_penalty"]) == ("binomial", 3.0)


def test_a_model_does_not_choose_where_its_times_are_all_the_same_or_missing() -> None:
    sweep = sweep_of({})
    alike, incomplete = Point("bcast", 8, 8), Point("bcast", 8, 64)
    for name in ("default", "basic_linear", "pipeline"):  # by Hockney, all three take seven messages
        sweep.add(alike, name, [1000.0] * 4)
    for name in ("default", "knomial"):
        sweep.add(incomplete, name, [1000.0] * 4)
    rows = decisions(sweep)
    assert [row["hockney"] for row in rows] == [None, None]
    assert [row["hockney_penalty"] for row in rows] == [None, None]
    assert penalties(rows, "Hockney") is None
    assert rows[0]["loggp"] == "basic_linear"


def test_the_summary_has_median_90th_percentile_and_maximum_of_each_model() -> None:
    rows = [
        {"penalty": penalty, "loggp_penalty": penalty if penalty < 1 else None, "methods": 5, "formulas": 3}
        | dict.fromkeys(("hockney_penalty", "plogp_penalty", "replay_penalty"))
        for penalty in (0.0, 0.1, 0.2, 0.3, 3.0)
    ]
    assert list(summary(rows)) == [
        "Penalty of the library's own choice: median 20.0 %, 90th percentile 192.0 %, largest 300.0 %, "
        "at 5 of 5 points.",
        "Penalty of LogGP: median 15.0 %, 90th percentile 27.0 %, largest 30.0 %, at 4 of 5 points, "
        "with times for 15 of 25 measured methods.",
    ]


def test_points_are_measured_again_where_a_model_is_wrong_or_repeats_differ() -> None:
    agreed = steady(default=1000, basic_linear=5000, pipeline=7000, binomial=1000, knomial=3000)
    assert disputed(sweep_of(agreed)) == {}
    # The models' choice is measured again although it takes four times as long as the best method; pipeline is not.
    assert disputed(sweep_of(MEASURED)) == {SMALL: {"default", "basic_linear", "binomial"}}
    unsteady = {**agreed, "default": [1000.0, 1000.0, 1200.0, 1300.0]}
    assert disputed(sweep_of(unsteady)) == {SMALL: {"default", "binomial"}}


def test_a_file_keeps_the_machine_and_one_without_it_says_so(tmp_path: Path) -> None:
    file, parameters = tmp_path / "machine-rules.json", tmp_path / "machine.json"
    sweep = sweep_of(MEASURED)
    sweep.write(file)
    assert read(file).machine == sweep.machine
    parameters.write_text(json.dumps(sweep.machine))
    assert checked_file(parameters, "machine") == sweep.machine
    done = analyze("decide", file, "--format", "json")
    assert [row["plogp_penalty"] for row in json.loads(done.stdout)] == [3.0]
    sweep.machine = None
    sweep.write(file)
    done = analyze("decide", file, "--format", "json")
    assert [row["plogp"] for row in json.loads(done.stdout)] == [None]
    assert "--resume" in done.stderr
