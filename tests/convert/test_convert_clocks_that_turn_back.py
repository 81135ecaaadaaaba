"""Clocks that turn back: libotf2 refuses to write such times but reads them, and clock offsets can cause them. The
conversion stops the clock until it has caught up, and reports the number of such events."""

from pathlib import Path
from typing import Any

import hopscope
from archive_drawing import Drawing, Place
from dataset_reading import read_dataset
from hopscope.dataset.convert import ensure_dataset


def draw_barrier(directory: Path) -> Drawing:
    """Two ranks in a barrier from 30_000 to 40_000."""
    drawing = Drawing(directory, [Place("h0"), Place("h1")])
    for rank in (0, 1):
        drawing.span(rank, 0x1111, 0x2222, "MPI_Init")
        drawing.collective(rank, 30_000, 40_000 + rank, "MPI_Barrier")
        drawing.span(rank, 0xC333, 0xD444, "MPI_Finalize")
    return drawing


def tables_of(anchor: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The row of `run`, the calls and the intervals."""
    tables = read_dataset(ensure_dataset(anchor))
    return tables["run"].to_pylist()[0], tables["calls"].to_pylist(), tables["intervals"].to_pylist()


def test_an_event_before_the_one_before_it_gets_its_time(tmp_path: Path) -> None:
    draw_barrier(tmp_path).write()
    file = tmp_path / "traces" / "0.evt"
    # MPI_Finalize begins at 0x1133 instead of 0xc333: before the barrier, which ended at 40_000.
    assert file.read_bytes().count(b"\x33\xc3") == 1
    file.write_bytes(file.read_bytes().replace(b"\x33\xc3", b"\x33\x11"))
    run, _, intervals = tables_of(tmp_path)
    (finalize,) = [i for i in intervals if i["region"] == "MPI_Finalize" and i["rank"] == 0]
    assert (finalize["begin_ns"], finalize["end_ns"]) == (40_000 - 0x1111, 0xD444 - 0x1111)
    assert (run["set_back_events"], run["missing"]) == (1, None)
    trace = hopscope.open(tmp_path)
    assert any("The timestamps of 1 of 16 events ran backwards" in sentence for sentence in trace.caveats())
    assert {row["item"]: row["value"] for row in trace.run("trust").to_pylist()}["events set back"] == 1
    assert not any(row["beyond"] for row in trace.run("check-data").to_pylist())


def test_time_stands_still_where_offsets_turn_it_back_between_two_events(tmp_path: Path) -> None:
    drawing = draw_barrier(tmp_path)
    for raw_time, offset in ((0, 0), (30_000, 0), (40_000, -20_000), (60_000, -20_000)):
        drawing.clock_offset(1, raw_time, offset)
        drawing.clock_offset(0, raw_time, 0)
    run, calls, _ = tables_of(drawing.write())
    # The call begins at 30_000 and ends, with its two events, at raw 40_001, which is 20_001. MPI_Finalize begins at
    # 29_971 and ends at 34_340.
    assert (calls[1]["enter_ns"], calls[1]["leave_ns"]) == (30_000 - 0x1111, 30_000 - 0x1111)
    assert run["set_back_events"] == 3
