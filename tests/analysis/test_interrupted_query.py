"""Ctrl-C while a query runs in DuckDB's threads, in which Python handles no signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from drawing import draw
from hopscope.errors import is_interrupt
from test_answers import TABLES

DEADLINE_S = 120


def busiest_worker_s(pid: int) -> float:
    """Processor seconds of the busiest thread of the process, apart from its first thread."""
    ticks = [0]
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            fields = (task / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the thread has ended
        if task.name != str(pid):
            ticks.append(int(fields[11]) + int(fields[12]))
    return max(ticks) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_during_a_query_is_quiet(tmp_path: Path) -> None:
    # The query would run for hours. The handler of SIGINT is set explicitly, because a shell that starts the test in
    # the background makes it ignored.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from hopscope.cli.main import analyze_main; print('ready', flush=True); analyze_main()"
    )
    query = "select sum(hash(a.range * b.range)) from range(10000000) as a, range(1000000) as b"
    with subprocess.Popen(
        [sys.executable, "-c", code, "sql", str(draw(tmp_path / "d", **TABLES)), query],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        try:
            process.stdout.readline()
            # DuckDB's own threads only run queries; the imports before that run in the first thread.
            deadline = time.monotonic() + DEADLINE_S
            while busiest_worker_s(process.pid) < 0.5:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=DEADLINE_S) == 130
        finally:
            process.kill()
        assert "Traceback" not in process.stderr.read()


def test_ctrl_c_while_duckdb_reads_arrow_data_is_no_bug() -> None:
    # Regression: "this is a bug in hopscope", because DuckDB made its own error of it.
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"rank": [0]})
        raise KeyboardInterrupt

    reader = pa.RecordBatchReader.from_batches(pa.schema({"rank": pa.int64()}), batches())
    with pytest.raises(duckdb.Error) as caught:
        duckdb.connect().from_arrow(reader).fetchall()
    assert is_interrupt(caught.value)
