"""A damaged archive is named with its first bad place, and leaves no dataset behind."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from archive_drawing import Drawing, Place
from hopscope.convert import ensure_dataset
from hopscope.errors import InputError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SOURCE = Path(__file__).parent / "archives" / "scorep-8.4-preload-4ranks"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return copytree(SOURCE, tmp_path / "trace")


def refused(trace: Path) -> str:
    """The words with which a path is refused; nothing may have been written."""
    before = sorted(trace.rglob("*")) if trace.is_dir() else []
    with pytest.raises(InputError) as refusal:
        ensure_dataset(trace)
    assert (sorted(trace.rglob("*")) if trace.is_dir() else []) == before
    return str(refusal.value)


def test_a_truncated_event_file_is_named_with_the_event_where_it_breaks_off(trace: Path) -> None:
    file = trace / "traces" / "2.evt"
    file.write_bytes(file.read_bytes()[:2500])
    words = refused(trace)
    assert f"{file}: damaged after event " in words
    assert " of 596: " in words
    assert "copy it again whole" in words


def test_a_missing_event_file_is_named(trace: Path) -> None:
    (trace / "traces" / "3.evt").unlink()
    words = refused(trace)
    assert f"{trace}/traces/3.evt: missing or unreadable" in words
    assert "promises 596 events" in words


def test_a_missing_local_definition_file_is_named(trace: Path) -> None:
    """Without it regions and communicators would be taken for others, and clocks would not be corrected."""
    (trace / "traces" / "1.def").unlink()
    assert f"{trace}/traces/1.def: missing or unreadable" in refused(trace)


def test_truncated_global_definitions_are_named(trace: Path) -> None:
    file = trace / "traces.def"
    file.write_bytes(file.read_bytes()[:3000])
    assert str(file) in refused(trace)


def test_a_clock_offset_of_centuries_is_named(tmp_path: Path) -> None:
    """It once made times run over, and rows came out of order."""
    drawing = Drawing(tmp_path / "trace", [Place("h0"), Place("h1")])
    for at in (0, 10):  # libotf2 applies none if there is only one
        drawing.clock_offset(1, at, 1 << 61)
    for rank in (0, 1):
        drawing.span(rank, 0, 10, "MPI_Init")
    drawing.write()
    words = refused(tmp_path / "trace")
    assert "traces/1.def: a clock offset of 2305843009213693952 ticks cannot be" in words


def test_an_anchor_that_is_none_is_named(trace: Path) -> None:
    (trace / "traces.otf2").write_text("no archive\n")
    assert "not a readable OTF2 anchor file" in refused(trace)


def test_an_empty_archive_is_refused(tmp_path: Path) -> None:
    Drawing(tmp_path / "trace", [Place("h0")]).write()
    assert "holds no events" in refused(tmp_path / "trace")


def test_run_json_that_is_no_json_is_named(tmp_path: Path) -> None:
    drawing = Drawing(tmp_path / "trace", [Place("h0")])
    drawing.span(0, 0, 10, "MPI_Init")
    drawing.write()
    (tmp_path / "trace" / "run.json").write_text("{")
    assert "run.json is no JSON" in refused(tmp_path / "trace")


@pytest.mark.parametrize(
    "text",
    [b'{"clocks": 5}', b'{"clocks": [{"host": "h"}]}', b'{"started_ns": "x"}', b'{"started_ns": 1e30}',
     b'{"missing": 5}', b'{"event_cost_ns": "x"}', b'{"mode": 5}', b"\xff\xfe"],
)  # fmt: skip
def test_run_json_that_holds_something_else_is_named(tmp_path: Path, text: bytes) -> None:
    # Each of these ended in a traceback and exit code 1, which says that a gate failed.
    drawing = Drawing(tmp_path / "whole", [Place("h0")])
    drawing.span(0, 0, 10, "MPI_Init")
    drawing.write()
    (tmp_path / "whole" / "run.json").write_bytes(text)
    assert "run.json" in refused(tmp_path / "whole")
    assert "remove it to convert without" in refused(tmp_path / "whole")


def test_a_path_that_is_nothing_is_told_what_it_could_be(tmp_path: Path) -> None:
    assert "does not exist; give a trace directory" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "holds no OTF2 archive" in refused(tmp_path / "empty")
    (tmp_path / "notes.txt").write_text("")
    assert "is no OTF2 anchor file" in refused(tmp_path / "notes.txt")


def test_libotf2_does_not_talk_on_the_terminal(trace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (trace / "traces" / "3.evt").write_bytes(b"rubbish")
    refused(trace)
    assert capfd.readouterr() == ("", "")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_cut_or_overwritten_gives_a_dataset_or_a_sentence(tmp_path_factory: Any, data: Any) -> None:
    from dataset_reading import read_dataset

    trace = copytree(SOURCE, tmp_path_factory.mktemp("damaged") / "trace")
    file = data.draw(st.sampled_from(sorted(f for f in trace.rglob("*") if f.is_file())))
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        garbage = data.draw(st.binary(min_size=1, max_size=40))
        content[at : at + len(garbage)] = garbage
    file.write_bytes(content)
    try:
        read_dataset(ensure_dataset(trace))
    except InputError as refusal:
        assert str(trace) in str(refusal)
        assert not (trace / "dataset").exists()
