"""The readable part of a damaged archive is converted, and the rest is named. An archive with nothing readable is
refused and leaves no dataset."""

from pathlib import Path
from shutil import copytree
from typing import Any

import hopscope
import pytest
from archive_drawing import Drawing, Place
from damaging import outcomes
from dataset_reading import read_dataset
from hopscope.dataset.convert import ensure_dataset
from hopscope.errors import InputError
from started_commands import analyze

SOURCE = Path(__file__).parent / "archives" / "scorep-8.4-preload-4ranks"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return copytree(SOURCE, tmp_path / "trace")


def refused(trace: Path) -> str:
    """The sentence with which the conversion of a path is refused. Checks that no dataset was written."""
    files = sorted(trace.rglob("*")) if trace.is_dir() else []
    with pytest.raises(InputError) as refusal:
        ensure_dataset(trace)
    assert (sorted(trace.rglob("*")) if trace.is_dir() else []) == files
    return str(refusal.value)


def what_is_left(trace: Path) -> dict[str, Any]:
    """The row of `run` of a damaged archive's dataset, and its collectives. Checks the dataset's contracts."""
    tables = read_dataset(ensure_dataset(trace))
    (run,) = tables["run"].to_pylist()
    complete = tables["collectives"]["complete"].to_pylist()
    return {**run, "complete": complete.count(True), "incomplete": complete.count(False)}


def test_of_a_truncated_event_file_all_before_the_break_is_kept_and_the_place_is_named(trace: Path) -> None:
    whole = what_is_left(trace)
    file = trace / "traces" / "2.evt"
    file.write_bytes(file.read_bytes()[:2500])
    left = what_is_left(trace)
    # 2,500 bytes hold the records of 195 events and a part of one more. Regression: libotf2 read the memory behind
    # them, so events were wrong or too many.
    assert left["events"] == whole["events"] - 596 + 195
    assert left["missing"].startswith("events after 195 of 596 in traces/2.evt (truncated there); ")
    assert left["damaged_files"] == 1
    assert left["complete"] + left["incomplete"] == whole["complete"] == 83
    assert 0 < left["complete"] < 83
    # Half of the reductions are among ranks 1 and 3, which the break does not affect.
    tables = read_dataset(trace / "dataset")
    odd = [c["comm"] for c in tables["comms"].to_pylist() if c["members"] == [1, 3]]
    assert all(c["complete"] for c in tables["collectives"].to_pylist() if c["comm"] in odd)
    assert [r["complete"] for r in tables["ranks"].to_pylist()] == [True, True, False, True]


def test_without_an_event_file_the_other_ranks_are_converted(trace: Path) -> None:
    (trace / "traces" / "3.evt").unlink()
    left = what_is_left(trace)
    assert left["missing"].startswith("all events of traces/3.evt (missing or unreadable: ")
    assert "the archive promises 596 events there" in left["missing"]
    assert (left["events"], left["damaged_files"]) == (3 * 596, 1)
    assert left["complete"] == 20  # the reductions of ranks 0 and 2


def test_without_local_definitions_a_location_is_left_out(trace: Path) -> None:
    """Without local definitions, regions and communicators would be mixed up, and clocks not corrected."""
    (trace / "traces" / "1.def").unlink()
    left = what_is_left(trace)
    assert left["missing"].startswith("all events of traces/1.def (missing or unreadable: ")
    assert "cannot be interpreted" in left["missing"]
    assert left["events"] == 3 * 596


def test_an_archive_without_any_event_file_is_refused(trace: Path) -> None:
    for file in (trace / "traces").glob("*.evt"):
        file.unlink()
    words = refused(trace)
    assert f"{trace}/traces/0.evt: missing or unreadable" in words
    assert "copy it again completely" in words


def test_every_answer_says_that_files_are_damaged(trace: Path) -> None:
    (trace / "traces" / "3.evt").unlink()
    opened = hopscope.open(trace)
    damaged_file = "traces/3.evt"
    assert any(damaged_file in sentence for sentence in opened.caveats())
    trust = {row["item"]: row for row in opened.run("trust").to_pylist()}
    assert damaged_file in trust["missing"]["sentence"]
    assert trust["damaged files"]["value"] == 1
    rules = {row["rule"]: row for row in opened.run("check-data").to_pylist()}
    damaged = rules["damaged files, left out from the damage on"]
    assert (damaged["rows"], damaged["verdict"]) == (1, "exempt")
    assert damaged_file in damaged["example"]
    assert not any(row["beyond"] for row in rules.values())
    for command in (["critical-path"], ["export", "-o", str(trace / "trace.json")]):
        answer = analyze(command[0], trace, *command[1:])
        assert answer.returncode == 0
        assert f"note: Missing from the trace: all events of {damaged_file}" in answer.stderr


def test_truncated_global_definitions_are_named(trace: Path) -> None:
    file = trace / "traces.def"
    file.write_bytes(file.read_bytes()[:3000])
    assert str(file) in refused(trace)


def test_a_clock_offset_of_centuries_is_named(tmp_path: Path) -> None:
    """Regression: such an offset made times overflow, so rows were out of order."""
    drawing = Drawing(tmp_path / "trace", [Place("h0"), Place("h1")])
    for raw_time in (0, 10):  # libotf2 applies none if there is only one
        drawing.clock_offset(1, raw_time, 1 << 61)
    for rank in (0, 1):
        drawing.span(rank, 0, 10, "MPI_Init")
    drawing.write()
    words = refused(tmp_path / "trace")
    assert "traces/1.def: a clock offset of 2305843009213693952 ticks is impossible" in words


def test_an_anchor_that_is_none_is_named(trace: Path) -> None:
    (trace / "traces.otf2").write_text("no archive\n")
    assert "not a readable OTF2 anchor file" in refused(trace)


def test_an_empty_archive_is_refused(tmp_path: Path) -> None:
    Drawing(tmp_path / "trace", [Place("h0")]).write()
    assert "contains no events" in refused(tmp_path / "trace")


def test_run_json_that_is_no_json_is_named(tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "trace", [Place("h0")])
    drawing.span(0, 0, 10, "MPI_Init")
    drawing.write()
    (tmp_path / "trace" / "run.json").write_text("{")
    assert "run.json is not valid JSON" in refused(tmp_path / "trace")


@pytest.mark.parametrize(
    "text",
    [b'{"clocks": 5}', b'{"clocks": [{"host": "h"}]}', b'{"started_ns": "x"}', b'{"started_ns": 1e30}',
     b'{"missing": 5}', b'{"event_cost_ns": "x"}', b'{"mode": 5}', b"\xff\xfe"],
)  # fmt: skip
def test_run_json_that_holds_something_else_is_named(tmp_path: Path, text: bytes) -> None:
    # Regression: each of these ended in a traceback and in exit code 1, which means that a gate failed.
    drawing = Drawing(tmp_path / "whole", [Place("h0")])
    drawing.span(0, 0, 10, "MPI_Init")
    drawing.write()
    (tmp_path / "whole" / "run.json").write_bytes(text)
    assert "run.json" in refused(tmp_path / "whole")
    assert "remove it to convert without" in refused(tmp_path / "whole")


def test_a_path_that_is_nothing_is_told_what_it_could_be(tmp_path: Path) -> None:
    assert "does not exist; give a trace directory" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "contains no OTF2 archive" in refused(tmp_path / "empty")
    (tmp_path / "notes.txt").write_text("")
    assert "is not an OTF2 anchor file" in refused(tmp_path / "notes.txt")


def test_libotf2_does_not_talk_on_the_terminal(trace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (trace / "traces" / "3.evt").write_bytes(b"rubbish")
    ensure_dataset(trace)
    assert capfd.readouterr() == ("", "")


def test_whatever_is_damaged_gives_a_dataset_or_a_sentence_that_names_a_file() -> None:
    """A short form of `python tests/convert/damaging.py`, which can run for any time."""
    results = list(outcomes([SOURCE], range(40)))
    assert [str(outcome) for outcome in results if outcome.is_bad] == []
    assert {outcome.kind for outcome in results} == {"dataset", "refused"}


@pytest.mark.parametrize(("spans", "declared"), [(0, 120), (2, 120), (2, 1)])
def test_whole_files_are_read_whatever_numbers_of_events_the_archive_declares(
    tmp_path: Path, spans: int, declared: int
) -> None:
    """In archives of APEX, a first file without events declares the events of all threads. Regression: it counted as
    truncated."""
    drawing = Drawing(tmp_path / "trace", [Place("h0"), Place("h1")], by_hopscope=False)
    helper = drawing.thread(0, "helper")
    for rank in (0, 1):
        drawing.span(rank, 0, 10, "MPI_Init")
    for begin in range(spans):
        drawing.span(helper, 10 * begin, 10 * begin + 5, "MPI_Comm_dup")
    drawing.miscounts[helper] = declared - 2 * spans
    drawing.write()
    (run,) = read_dataset(ensure_dataset(tmp_path / "trace"))["run"].to_pylist()
    assert (run["events"], run["damaged_files"], run["missing"]) == (4 + 2 * spans, 0, None)
    assert run["miscounted"] == f"traces/2.evt holds {2 * spans} and not {declared}"
    caveats = {row["kind"]: row["sentence"] for row in hopscope.open(tmp_path / "trace").limits()}
    assert caveats["counts"] == (
        f"The archive declares wrong numbers of events: {run['miscounted']}. What its files hold was read."
    )
