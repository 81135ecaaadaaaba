"""The sentence with which `analyze compare` begins, and the places that show it."""

import json
from pathlib import Path

import pytest
from hopscope.explain.compare_sentence import Change, of_activity, of_run
from hopscope.format.quantities import change, changes, interval
from started_commands import analyze
from test_compare_activities import normal_work, run

SECOND = 1e9


def activity(name: str, base_s: float, new_s: float, verdict: str = "undecided", *, interval: bool = True) -> Change:
    """A change in the time of an activity. Changes of less than 0.2 s count as small."""
    is_small = abs(new_s - base_s) < 0.2
    return Change(name, base_s * SECOND, new_s * SECOND, verdict, interval, is_small)


@pytest.mark.parametrize(
    ("whole", "activities", "sentence"),
    [
        (
            # 12.1 - 2.18 = 9.92 s, 82.0 % of 12.1 s; 10 s of 10.1 s are 99.0 %.
            activity("whole", 12.1, 2.18, "faster"),
            [activity("MPI_Allreduce", 10.1, 0.1, "faster"), activity("compute", 2, 2.08, "same")],
            "12.1 s became 2.18 s (-9.92 s, -82.0 %): MPI_Allreduce 99.0 % less, computing unchanged.",
        ),
        (
            activity("whole", 2, 5, "slower"),
            [activity("compute", 1, 3, "slower"), activity("p2p", 0, 1.5, "slower"), activity("lan", 1, 0, "faster")],
            "2.00 s became 5.00 s (+3.00 s, +150.0 %): computing 200.0 % more, point-to-point messages added (1.50 s).",
        ),
        (
            activity("whole", 2, 2.01, "same"),
            [activity("MPI_Bcast", 1, 0, "faster"), activity("MPI_Reduce", 0.5, 1.4), activity("compute", 0.5, 0.61)],
            "2.00 s became 2.01 s (+10.0 ms, +0.5 %): unchanged; MPI_Bcast gone.",
        ),
        (
            activity("whole", 2, 2.5),
            [activity("compute", 2, 2.5)],
            "2.00 s became 2.50 s (+500 ms, +25.0 %): undecided.",
        ),
        (
            activity("whole", 2, 4, interval=False),
            [activity("MPI_Bcast", 1, 3, interval=False), activity("compute", 1, 1, interval=False)],
            "2.00 s became 4.00 s (+2.00 s, +100.0 %): undecided, because there are too few iterations or runs; "
            "MPI_Bcast 200.0 % more, computing unchanged.",
        ),
    ],
)
def test_the_run_is_one_sentence(whole: Change, activities: list[Change], sentence: str) -> None:
    assert of_run(whole, activities, per_iteration=False) == sentence
    assert of_run(whole, activities, per_iteration=True) == f"Per iteration, {sentence}"


def test_an_activity_has_its_own_sentence() -> None:
    assert of_activity(activity("p2p", 2, 1.5, "faster")) == (
        "Point-to-point messages: 2.00 s became 1.50 s (-500 ms, -25.0 %)."
    )
    assert of_activity(activity("compute", 0, 0, "same")) == "Computing: 0 ns became 0 ns (0 ns): unchanged."


def test_a_change_has_its_sign_and_an_interval_wider_than_all_is_undecided() -> None:
    assert [change(2e6, "ns"), change(-0.5, "share"), change(0, "share")] == ["+2.00 ms", "-50.0 %", "0.0 %"]
    assert [changes(-2e6, -0.5), changes(2e6, None), changes(None, None)] == ["-2.00 ms, -50.0 %", "+2.00 ms", "–"]
    # Regression: such an interval read `-250.3 to 812.1 %`.
    assert interval(-0.6, 0.5) == "undecided"
    assert interval(-0.5, 0.5) == "-50.0 to 50.0 %"
    assert interval(1.5, 4) == "above 150.0 %"
    assert interval(-2e6, 4e9, "ns") == "-2.00 ms to 4.00 s"


def test_the_command_and_a_gates_summary_begin_with_the_same_sentence(tmp_path: Path) -> None:
    base, new = (run(tmp_path / name, normal_work(middle, 3)) for name, middle in (("base", 1000), ("new", 1300)))
    words = ["compare", str(base.path), str(new.path)]
    sentence = json.loads(analyze(*words, "--format", "json").stdout)[0]["sentence"]
    # An iteration computes for 1,000 or 1,300 ns, and its Allreduce takes 100.
    assert sentence.startswith("Per iteration, 1.10 µs became 1.40 µs (+300 ns, +27."), sentence
    assert "computing 3" in sentence and sentence.endswith(" % more."), sentence
    table = analyze(*words).stdout
    assert table.splitlines()[0] == sentence
    assert "+300" not in table.split("\n", 1)[1]
    gates, summary = tmp_path / "gates.toml", tmp_path / "gates.md"
    gates.write_text('[gates]\ncompare = "whole.change_low > 50%"')
    words = ["gate", str(new.path), "--baseline", str(base.path), "--config", str(gates), "--markdown", str(summary)]
    assert analyze(*words).returncode == 0
    assert summary.read_text().split("\n\n")[2] == sentence
