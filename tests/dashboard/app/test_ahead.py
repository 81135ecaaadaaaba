"""Pages of a long run are drawn before a user opens them: their answers are then kept, and the process that drew them
has ended."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import hopscope
import pytest
from hopscope.query import cache as kept_answers
from hopscope.query import runner
from hopscope_dashboard.app import ahead
from hopscope_dashboard.data.trace import Trace, TraceData
from hopscope_dashboard.pages import PAGES

SAMPLE = Path(__file__).parents[3] / "sample_traces" / "demo" / "trace"


def test_pages_drawn_ahead_need_no_computing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SAMPLE, tmp_path / "trace")
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)
    monkeypatch.setattr(kept_answers, "LEAST_SECONDS", 0)
    ahead.draw_pages(TraceData(hopscope.open(tmp_path / "trace", lean=True)))

    def computed(self: runner.Runner, analysis: runner.Analysis, parameters: object) -> None:
        pytest.fail(f"{analysis.name} is computed again with {parameters}")

    monkeypatch.setattr(runner.Runner, "_computed", computed)
    data = TraceData(hopscope.open(tmp_path / "trace", lean=True))
    pages = [page for page in PAGES if page.in_menu and page.is_drawn_ahead and not page.lacks(data)]
    paths = [page.path for page in pages if page.layout(data, {})]
    assert {"/", "/messages", "/noise", "/efficiency", "/places"} <= set(paths)


def test_only_long_runs_are_drawn_ahead() -> None:
    assert ahead.draw_ahead([hopscope.open(SAMPLE)]) is None


def test_what_draws_ahead_ends_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = hopscope.open(shutil.copytree(SAMPLE, tmp_path / "trace"))
    monkeypatch.setattr(Trace, "keeps_answers", True)
    (tmp_path / "files").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "files"))
    manifest = trace.dataset / "manifest.json"
    manifest.unlink()
    os.mkfifo(manifest)  # every reader of the pipe waits
    process = ahead.draw_ahead([trace])
    assert process is not None
    assert process.stdin is not None
    with manifest.open("wb"):  # the process has come to the manifest
        assert process.poll() is None
        assert list((tmp_path / "files").iterdir())
        process.stdin.close()
        assert process.wait(60) == 0
    assert not list((tmp_path / "files").iterdir())  # an unfinished file stays in its folder


def test_ctrl_c_right_after_the_start_says_nothing() -> None:
    # Regression: DuckDB's module listed leaks, because the thread that waited to draw ahead still held the trace.
    command = [Path(sys.executable).parent / "hopscope", "dashboard", SAMPLE, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, process_group=0) as server:
        assert server.stderr is not None
        match = re.search(r"http://\S+", server.stderr.readline())
        assert match
        with urlopen(match[0]):  # the server answers
            pass
        server.send_signal(signal.SIGINT)
        assert server.stderr.read().strip() == ""
        assert server.wait(60) == 0
