"""Time in the program's own regions, where a rank has several threads."""

from pathlib import Path

import hopscope
from drawing import draw


def test_threads_that_are_all_inside_make_a_share_of_one(tmp_path: Path) -> None:
    # Regression: two threads made 200 % of the rank's time.
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank first_event_ns last_event_ns\n0 0 100\n1 0 100",
            intervals="""
                rank location kind   region begin_ns end_ns
                0    0        region solve  0        100
                0    1        region solve  0        100
                1    2        region solve  0        100
                1    3        region other  0        10""",
        )
    )
    rows = {(row["region"], row["rank"]): row for row in trace.run("regions").to_pylist()}
    assert {key: row["share"] for key, row in rows.items()} == {
        ("solve", 0): 1.0, ("solve", 1): 0.5, ("other", 1): 0.05,
    }  # fmt: skip
    assert rows["solve", 0]["time_ns"] == 200
