"""A dataset is made once, and again when its archive changes. Nobody sees it half-made."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import hopscope
import jsonschema
import pyarrow.parquet as pq
import pytest
from archive_drawing import Drawing, Place
from dataset_reading import read_dataset
from hopscope.dataset.convert import conversion, dataset, ensure_dataset, parts, place
from hopscope.dataset.convert.contract import arrow_schema
from hopscope.dataset.manifest import SCHEMA_VERSION
from hopscope.dataset.store import table_names
from hopscope.errors import InputError
from hopscope.launch.inputs import schema
from hopscope.query import database


def draw(directory: Path, barriers: int = 3, name: str = "traces") -> Path:
    """The anchor of an archive with this number of barriers of two ranks."""
    drawing = Drawing(directory, [Place("h0"), Place("h0")], archive_name=name)
    for i in range(barriers):
        for rank in (0, 1):
            drawing.collective(rank, 100 * i, 100 * i + 50, "MPI_Barrier")
    return drawing.write()


def barriers_in(directory: Path) -> int:
    return read_dataset(directory)["collectives"].num_rows


def test_directory_anchor_and_dataset_all_lead_to_the_dataset(tmp_path: Path) -> None:
    anchor = draw(tmp_path)
    directory = ensure_dataset(tmp_path)
    assert directory == tmp_path / "dataset"
    assert ensure_dataset(anchor) == directory
    assert ensure_dataset(directory) == directory
    assert sorted(p.name for p in directory.iterdir()) == sorted([*table_names(), "manifest.json"])


def test_an_archive_may_have_any_name(tmp_path: Path) -> None:
    anchor = draw(tmp_path, name="epoch_17.v2")
    assert anchor.name == "epoch_17.v2.otf2"
    directory = ensure_dataset(tmp_path)
    assert barriers_in(directory) == 3
    assert read_dataset(directory)["run"]["run"].to_pylist() == ["epoch_17.v2"]


def test_converting_loads_no_package_that_it_does_not_need(tmp_path: Path) -> None:
    """Regression: loading pandas and Arrow's functions took as long as converting 3 M events."""
    draw(tmp_path)
    (tmp_path / "run.json").write_text('{"clocks": []}')
    program = (
        "import sys; from pathlib import Path; from hopscope.dataset.convert import ensure_dataset;"
        "ensure_dataset(Path(sys.argv[1])); print(*sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    needless = {"duckdb", "jsonschema", "pandas", "pyarrow.compute", "pyarrow.dataset", "rich", "scipy"}
    assert needless & set(process.stdout.split()) == set()


def test_two_archives_in_one_directory_keep_their_datasets_apart(tmp_path: Path) -> None:
    first, second = draw(tmp_path, 2, "first"), draw(tmp_path, 4, "second")
    assert (barriers_in(ensure_dataset(first)), barriers_in(ensure_dataset(second))) == (2, 4)
    with pytest.raises(InputError, match="contains several archives"):
        ensure_dataset(tmp_path)


def test_a_second_opening_converts_nothing(tmp_path: Path) -> None:
    draw(tmp_path)
    stages: list[str] = []
    ensure_dataset(tmp_path, progress=lambda stage, _done, _total: stages.append(stage))
    assert stages[-1] == "writing"
    later_stages: list[str] = []
    ensure_dataset(tmp_path, progress=lambda stage, _done, _total: later_stages.append(stage))
    assert later_stages == []


def test_a_changed_archive_is_converted_anew(tmp_path: Path) -> None:
    draw(tmp_path / "old", 3)
    draw(tmp_path / "new", 5)
    directory = ensure_dataset(tmp_path / "old")
    for file in (tmp_path / "new").rglob("*"):
        if file.is_file():
            file.replace(tmp_path / "old" / file.relative_to(tmp_path / "new"))
    assert barriers_in(directory) == 3
    assert barriers_in(ensure_dataset(tmp_path / "old")) == 5
    assert sorted(p.name for p in (tmp_path / "old").iterdir()) == ["dataset", "traces", "traces.def", "traces.otf2"]


def test_another_build_of_the_converter_converts_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(tmp_path)
    directory = ensure_dataset(tmp_path)
    (directory / "calls" / "part-00000.parquet").write_bytes(b"what an older build wrote")
    monkeypatch.setattr(dataset, "_converter", lambda: "newer")
    assert barriers_in(ensure_dataset(tmp_path)) == 3


def test_a_dataset_that_lost_a_table_is_made_anew(tmp_path: Path) -> None:
    draw(tmp_path)
    (ensure_dataset(tmp_path) / "calls" / "part-00000.parquet").unlink()
    assert read_dataset(ensure_dataset(tmp_path))["calls"].num_rows == 6


def test_an_older_dataset_without_hashes_is_made_anew(tmp_path: Path) -> None:
    draw(tmp_path)
    directory = ensure_dataset(tmp_path)
    content = json.loads((directory / "manifest.json").read_text())
    content |= {"schema_version": 1, "tables": {"calls": 6}, "parts": {"calls": 1}}
    (directory / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"older dataset.*schema_version 1.*Delete"):
        hopscope.open(directory)
    assert barriers_in(ensure_dataset(tmp_path)) == 3


def test_a_dataset_alone_can_be_opened_when_its_archive_is_gone(tmp_path: Path) -> None:
    anchor = draw(tmp_path)
    directory = ensure_dataset(tmp_path)
    anchor.unlink()
    assert ensure_dataset(tmp_path) == directory


def test_a_directory_without_permission_has_its_dataset_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test replaces the check for permission, because permission bits do not stop the superuser."""
    draw(tmp_path / "trace")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(place.os, "access", lambda *_: False)
    directory = ensure_dataset(tmp_path / "trace")
    assert directory.parent.parent == tmp_path / "cache" / "hopscope"
    assert directory.parent.name.startswith("trace-")
    assert barriers_in(directory) == 3
    assert not (tmp_path / "trace" / "dataset").exists()


def test_a_full_disk_leaves_no_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(tmp_path)

    def no_room(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(parts.Parts, "add", no_room)
    with pytest.raises(InputError, match=r"cannot write the dataset to .*No space left"):
        ensure_dataset(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["traces", "traces.def", "traces.otf2"]


def test_a_table_that_cannot_be_written_stops_who_makes_more_of_any(tmp_path: Path) -> None:
    """Only the writer's thread learns of the failure. A caller that adds more must neither go on nor wait forever."""
    rows = {name: arrow_schema(name).empty_table() for name in ("hops", "calls")}
    with parts.Parts(tmp_path) as writer, pytest.raises(FileNotFoundError, match="hops"):
        (tmp_path / "hops").rmdir()
        for _ in range(100):
            writer.add("hops", rows["hops"])
            writer.add("calls", rows["calls"])
        writer.close()


def waits_for_a_lock(pid: int) -> bool:
    """True if Linux lists the process as waiting: `1: -> FLOCK  ADVISORY  WRITE PID ...`."""
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return any(words[1] == "->" and words[5] == str(pid) for words in lines)


def test_one_of_two_conversions_waits_for_the_other_and_uses_its_work(tmp_path: Path) -> None:
    draw(tmp_path)
    imports = "import sys; from pathlib import Path; from hopscope.dataset.convert import ensure_dataset"
    script = f"{imports}; ensure_dataset(Path(sys.argv[1]))"
    with dataset._only_one(tmp_path):
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
        deadline = time.monotonic() + 60
        while not waits_for_a_lock(process.pid):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        assert not (tmp_path / "dataset").exists()
    assert process.wait(60) == 0
    manifest = (tmp_path / "dataset" / "manifest.json").stat().st_mtime_ns
    ensure_dataset(tmp_path)
    assert (tmp_path / "dataset" / "manifest.json").stat().st_mtime_ns == manifest


def test_the_manifest_counts_the_rows_and_files_carry_the_version(tmp_path: Path) -> None:
    draw(tmp_path)
    directory = ensure_dataset(tmp_path)
    manifest = json.loads((directory / "manifest.json").read_text())
    assert [file["rows"] for file in manifest["tables"]["calls"]] == [6]
    assert sorted(manifest["tables"]) == table_names()
    jsonschema.validate(manifest, schema("manifest.schema.json"))
    for name in table_names():
        written_schema = pq.read_schema(directory / name / "part-00000.parquet")
        assert written_schema.metadata[b"schema_version"] == str(SCHEMA_VERSION).encode()
    calls = pq.read_schema(directory / "calls" / "part-00000.parquet")
    assert calls.field("enter_ns").metadata[b"x-unit"] == b"ns"


def test_ctrl_c_ends_a_conversion_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    draw(tmp_path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_dataset(tmp_path, progress=interrupt)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["traces", "traces.def", "traces.otf2"]


@pytest.fixture
def in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The dataset of 200 barriers, with about ten calls in a row group and fifty in a file."""
    monkeypatch.setattr(conversion, "PIECE_ROWS", 20)
    monkeypatch.setattr(parts, "_ROWS_PER_PART", 50)
    draw(tmp_path, 200)
    return ensure_dataset(tmp_path)


def test_a_long_table_has_several_parts_in_the_order_of_its_rows(in_parts: Path) -> None:
    files = sorted((in_parts / "calls").iterdir())
    assert [file.name for file in files] == [f"part-{i:05}.parquet" for i in range(len(files))]
    assert len(files) > 4
    ids = [row for file in files for row in pq.read_table(file)["call_id"].to_pylist()]
    assert ids == list(range(400))
    described = json.loads((in_parts / "manifest.json").read_text())["tables"]["calls"]
    assert [file["file"] for file in described] == [file.name for file in files]
    assert sum(file["rows"] for file in described) == 400


def test_a_range_of_collectives_or_of_time_reads_only_its_part(in_parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All other rows are overwritten; only the statistics at the ends of the files are left."""
    files = sorted((in_parts / "calls").iterdir())
    table = pq.read_table(files[2])
    for file in [*files[:2], *files[3:]]:
        content = bytearray(file.read_bytes())
        rows = slice(4, len(content) - 8 - int.from_bytes(content[-8:-4], "little"))
        content[rows] = bytes([0xFF]) * (rows.stop - rows.start)
        file.write_bytes(content)
    monkeypatch.setattr(database, "_MOST_ROWS_IN_MEMORY", 0)
    trace = hopscope.open(in_parts)
    for column in ("collective_id", "enter_ns", "call_id"):
        low, high = table[column][0].as_py() + 1, table[column][-1].as_py() - 1
        words = f"select sum({column}) as total from calls where {column} between {low} and {high}"
        expected = sum(value for value in table[column].to_pylist() if low <= value <= high)
        assert trace.sql(words).to_pylist() == [{"total": expected}]
    with pytest.raises(InputError):
        trace.sql("select sum(enter_ns) from calls")


def test_a_dataset_that_lost_a_part_is_made_anew(in_parts: Path) -> None:
    (in_parts / "calls" / "part-00003.parquet").unlink()
    with pytest.raises(InputError, match=r"part-00003.parquet is missing, though manifest.json lists it"):
        hopscope.open(in_parts)
    assert read_dataset(ensure_dataset(in_parts.parent))["calls"].num_rows == 400
