"""The collector's own time is neither computing nor noise, and gives a caveat above 1 %."""

from pathlib import Path

import hopscope
from test_noise import MS, iterations


def _with_overhead(directory: Path, time_ns: int) -> hopscope.Trace:
    """A run of two ranks with 25 iterations of 30 ms. In the 10th iteration, rank 1 also computes for 30 ms, but the
    collector needs `time_ns` more to change to a new chunk."""
    work = [[30.0, 30.0] for _ in range(25)]
    work[10][1] += time_ns / MS
    begin = 10 * 31 * MS + 5 * MS
    rows = f"rank begin_ns end_ns region kind\n1 {begin} {begin + time_ns} collector_overhead overhead"
    return iterations(directory, work, intervals=rows)


def test_a_chunk_change_is_no_noise_and_no_computing(tmp_path: Path) -> None:
    trace = _with_overhead(tmp_path / "d", 12 * MS)
    assert {row["noise_ns"] for row in trace.noise().to_pylist()} == {0}
    efficiency = {row["rank"]: row for row in trace.efficiency(by="rank").to_pylist()}
    assert efficiency[0]["useful_ns"] == efficiency[1]["useful_ns"]


def test_it_is_a_caveat_above_1_percent(tmp_path: Path) -> None:
    def sentences(time_ns: int) -> list[str]:
        rows = _with_overhead(tmp_path / str(time_ns), time_ns).limits()
        return [row["sentence"] for row in rows if row["kind"] == "overhead"]

    assert sentences(12 * MS) == []  # the collector takes 12 ms of 2 x 787 ms
    (sentence,) = sentences(60 * MS)
    assert sentence.startswith("The collector took 3.6 %")  # the ranks have 2 x 835 ms
