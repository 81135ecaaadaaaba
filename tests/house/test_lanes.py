"""The lanes of tests: omitted tests run in a slice, and skipped or undecided tests are listed."""

import re
import subprocess
import tomllib
from pathlib import Path

import lanes
import left_behind
import pytest

ROOT = Path(__file__).parents[2]
SLICE = ROOT / "tools" / "slice"


def verdict(lane: str | None, *reports: pytest.TestReport) -> lanes.Verdict:
    """The verdict of a lane after these reports."""

    class Config:
        def getoption(self, name: str) -> str | None:
            assert name == "--lane"
            return lane

    result = lanes.Verdict(Config())  # type: ignore[arg-type]
    for report in reports:
        result.pytest_runtest_logreport(report)
    return result


def skip(test: str) -> pytest.TestReport:
    place = (str(ROOT / "tests" / "x.py"), 1, "Skipped: needs a unicorn")
    return pytest.TestReport(test, ("x.py", 1, test), {}, "skipped", place, "call")


class Session:
    """The outcome of a run, as pytest keeps it."""

    exitstatus = pytest.ExitCode.OK


def test_a_skip_that_no_list_has_fails_a_lane_and_is_named() -> None:
    session = Session()
    lane = verdict("change", skip("tests/x.py::test_of_unicorns"))
    lane.pytest_sessionfinish(session)  # type: ignore[arg-type]
    assert session.exitstatus == pytest.ExitCode.TESTS_FAILED
    assert [line.partition(":")[0] for line in lane.unlisted] == ["tests/x.py"]
    assert "tests/x.py::test_of_unicorns" in lane.unlisted[0]


def test_outside_a_lane_a_skip_fails_nothing() -> None:
    session = Session()
    verdict(None, skip("tests/x.py::test_of_unicorns")).pytest_sessionfinish(session)  # type: ignore[arg-type]
    assert session.exitstatus == pytest.ExitCode.OK


def test_at_most_ten_tests_are_unsteady_and_each_says_since_when() -> None:
    unsteady = lanes.entries("unsteady.txt")
    assert len(unsteady) <= 10
    for entry in unsteady:
        assert re.match(r"\d{4}-\d{2}-\d{2} \S", entry.reason), entry


@pytest.mark.parametrize("name", ["unsteady.txt", "skips.txt"])
def test_each_test_of_a_list_is_there(name: str) -> None:
    for entry in lanes.entries(name):
        file, _, test = entry.test.partition("::")
        assert f"def {test.partition('[')[0]}" in (ROOT / file).read_text(), entry
        assert entry.reason, entry


def test_each_mark_that_make_test_leaves_out_runs_in_a_slice() -> None:
    marks = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]
    slices = SLICE.read_text()
    for mark in lanes.SLICES:
        assert any(line.startswith(f"{mark}:") for line in marks)
        assert re.search(rf"-m '?[^']*\b{mark}\b", slices), mark


def test_a_commit_chooses_one_of_nine_slices() -> None:
    slices = subprocess.run([SLICE, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in slices] == list("123456789")
    number = subprocess.run([SLICE, "--of", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert int(number) == int(head[:7], 16) % 9 + 1


def test_a_process_and_a_file_that_a_test_leaves_are_seen(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(left_behind, "PATIENCE_S", 0.0)
    old_files = left_behind.files()
    file = Path("/dev/shm") / f"hopscope-test-{tmp_path.name}-{id(request)}"
    with subprocess.Popen(["sleep", "60"]) as process:
        file.write_text("left")
        left = left_behind.remains(request.node.nodeid, old_files)
        process.kill()
        file.unlink()
    assert [line.split(": ")[1] for line in left if line.startswith("process")] == ["sleep 60"]
    assert f"file {file}" in left


def test_an_mpi_library_s_memory_of_an_unfinished_job_is_removed_once_nobody_uses_it(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    # Regression: a rank that was still ending held MPICH's segment while the test looked, so it failed by chance.
    old_files = left_behind.files()
    segment = Path("/dev/shm") / f"mpich_shm_{tmp_path.name}_{id(request)}"
    with subprocess.Popen(["sh", "-c", f'exec 3>"{segment}"; echo; sleep 0.5'], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert left_behind.remains(request.node.nodeid, old_files, is_unfinished=True) == []
    assert left_behind.remains(request.node.nodeid, old_files, is_unfinished=True) == []
    assert not segment.exists()
