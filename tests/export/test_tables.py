"""Tables for other programs: Arrow files that follow the schemas, and CSV files that read back the same."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hopscope.dataset.store import table_schemas
from hopscope.errors import InputError
from hopscope.export import stream_result, write_tables
from hopscope.query.stopping import Stop
from recorded_jobs import sample_trace, shared_folder
from started_commands import analyze


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return sample_trace(shared_folder(tmp_path_factory), "demo/trace")


def export(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return analyze("export", *arguments)


def test_every_table_as_an_arrow_file_is_the_table(trace: hopscope.Trace, tmp_path: Path) -> None:
    rows = write_tables(trace, tmp_path / "tables", "arrow")
    assert rows.keys() == table_schemas().keys()
    for name, schema in table_schemas().items():
        with pa.ipc.open_file(tmp_path / "tables" / f"{name}.arrow") as file:
            table = file.read_all()
        assert table.schema.equals(schema)
        assert table.num_rows == rows[name]
        assert table.to_pylist() == trace.table(name).to_pylist()


def test_a_table_as_one_parquet_file_is_the_table(trace: hopscope.Trace, tmp_path: Path) -> None:
    for name in ("calls", "comms"):
        write_tables(trace, tmp_path / f"{name}.parquet", "parquet", tables=[name])
        assert pq.read_table(tmp_path / f"{name}.parquet").equals(trace.table(name).cast(table_schemas()[name]))


def test_a_result_that_nobody_takes_ends_its_query(trace: hopscope.Trace) -> None:
    stop = Stop()
    pieces = stream_result(trace, "select a.rank from calls as a, calls as b, calls as c, calls as d", "csv", stop)
    assert next(pieces).startswith(b'"rank"\n')
    pieces.close()  # returns at once, though the query has 10^10 rows
    assert stop.reason == "as you asked"
    with pytest.raises(InputError, match="was stopped as you asked"):
        next(stream_result(trace, "from calls", "csv", stop))


def test_a_query_that_fails_after_its_first_rows_says_why_and_gives_no_whole_file(trace: hopscope.Trace) -> None:
    query = (
        "select if(a.call_id + b.call_id + range = 677, error('too late'), 1) from calls as a, calls as b, range(40)"
    )
    with pytest.raises(InputError, match=r"the query failed: .*too late"):
        list(stream_result(trace, query, "parquet", Stop()))


def test_csv_has_nulls_empty_and_lists_as_text(trace: hopscope.Trace, tmp_path: Path) -> None:
    write_tables(trace, tmp_path / "comms.csv", "csv", tables=["comms"])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "comms.csv").read_text())))
    expected = trace.table("comms").to_pylist()
    assert [json.loads(row["members"]) for row in rows] == [row["members"] for row in expected]
    write_tables(trace, tmp_path / "calls.csv", "csv", tables=["calls"])
    calls = list(csv.DictReader(io.StringIO((tmp_path / "calls.csv").read_text())))
    for call, expected_call in zip(calls, trace.table("calls").to_pylist(), strict=True):
        assert call["tree"] == (expected_call["tree"] or "")
        assert call["leave_ns"] == ("" if expected_call["leave_ns"] is None else str(expected_call["leave_ns"]))


def test_a_directory_that_is_there_is_not_touched(trace: hopscope.Trace, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="already exists"):
        write_tables(trace, tmp_path / "mine", "csv")
    assert list((tmp_path / "mine").iterdir()) == []
    with pytest.raises(InputError, match="no table 'hop'"):
        write_tables(trace, tmp_path / "hop.csv", "csv", tables=["hop"])


def test_the_command_says_what_it_wrote(trace: hopscope.Trace, tmp_path: Path) -> None:
    done = export(trace.path, "--format", "csv", "--table", "hops", "-o", tmp_path / "hops.csv")
    assert (done.returncode, done.stdout) == (0, "")
    hops = trace.table("hops").num_rows
    assert done.stderr.endswith(f"wrote {tmp_path / 'hops.csv'}: {hops} rows of hops\n")
    timeline = export(trace.path, "-o", tmp_path / "t.json", "--from", "10ms", "--to", "0.02s")
    assert timeline.returncode == 0, timeline.stderr
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    # The test must not write to the stdout of its own process.
    code = "from hopscope.cli.main import analyze_main; analyze_main()"
    words = ["export", str(trace.path), "--format", "csv", "--table", "ranks", "-o", "/dev/stdout"]
    piped = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *words], capture_output=True, text=True, check=True, timeout=120
    )
    assert piped.stdout.splitlines()[0].replace('"', "").split(",") == table_schemas()["ranks"].names


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--table", "hops", "-o", "x.json"], "--table works only with"),
        (["--from", "2s", "--to", "1s", "-o", "x.json"], "--from must be earlier than --to"),
        (["--format", "csv", "--from", "1s", "-o", "x"], "--from and --to work only with"),
        (["--from", "soon", "-o", "x.json"], "is not a valid time"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    trace: hopscope.Trace, arguments: list[str], sentence: str
) -> None:
    refused = export(trace.path, *arguments)
    assert refused.returncode == 2
    assert sentence in refused.stderr
