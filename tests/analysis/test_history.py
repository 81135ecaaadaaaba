"""The history of commits that CI keeps: `analyze gate --history` writes it, `analyze history` shows it."""

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import hopscope
import jsonschema
import pytest
from hopscope.dataset.store import schema_directory
from hopscope.errors import InputError
from hopscope.gate.history.entry import commit_id, entry_of, structure_of
from hopscope.gate.history.folder import add
from hopscope.query.resampling import Estimate, mean_of_runs
from started_commands import analyze
from test_compare_activities import normal_work, run

GATES = '[gates]\ncompare = "whole.change_low > 5%"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of three commits. The last one is slower and has another structure."""
    place = tmp_path_factory.mktemp("project")
    (place / "hopscope.toml").write_text(GATES)
    first, also, second, third = (
        run(place / name, normal_work(middle, seed, 60))
        for seed, (name, middle) in enumerate({"first": 1000, "also": 1000, "second": 1000, "third": 1500}.items())
    )
    words = ["gate", first.path, "--baseline", also.path, "--also", also.path, "--history", "history"]
    done = analyze(*words, "--commit", "first-0123456789", cwd=place)
    assert (done.returncode, "wrote history/first-0123456789.json" in done.stderr) == (0, True)
    add(place / "history", entry_of([second], "second-0123456789", "passed"))
    add(place / "history", entry_of([third], "third-0123456789", "failed"))
    for number, name in enumerate(("first", "second", "third")):
        file = place / "history" / f"{name}-0123456789.json"
        entry = json.loads(file.read_text())
        # Drawn runs do not contain the time of their start.
        facts = {"date": f"2026-01-0{number + 1}T00:00:00Z"} | ({"structure": "0" * 16} if name == "third" else {})
        file.write_text(json.dumps({**entry, **facts}))
    return place / "history"


def rows_of(folder: Path) -> list[dict[str, str]]:
    done = analyze("history", folder, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_an_entry_fits_its_schema_and_is_small(folder: Path) -> None:
    schema = json.loads((schema_directory() / "history.schema.json").read_text())
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"{name}-0123456789.json" for name in ("first", "second", "third")]
    for file in files:
        entry = json.loads(file.read_text())
        jsonschema.validate(entry, schema)
        assert entry["commit"] == file.stem
        assert file.stat().st_size < 2000


def test_an_entry_has_the_time_of_an_iteration_with_its_interval(folder: Path) -> None:
    first, second = (json.loads((folder / f"{name}-0123456789.json").read_text()) for name in ("first", "second"))
    # Each iteration computes 1,000 ns and takes 100 ns in the Allreduce. 60 iterations count, the first does not.
    assert first["iteration"]["time_ns"] == pytest.approx(1100, abs=10)
    assert (first["iteration"]["runs"], second["iteration"]["runs"]) == (2, 1)
    assert first["iteration"]["iterations"] == 2 * second["iteration"]["iterations"] == 118
    for entry in (first, second):
        low, time, high = (entry["iteration"][name] for name in ("low_ns", "time_ns", "high_ns"))
        assert time - 40 < low < time < high < time + 40


def test_the_interval_of_a_mean_covers_what_runs_differ_by() -> None:
    # By hand: the means are 10, 12 and 14, so s = 2 and the error is 2 / sqrt(3) = 1.155; t(2) for 95 % is 4.303.
    mean = mean_of_runs([Estimate(value, 0.01, 20) for value in (10.0, 12.0, 14.0)])
    assert mean.interval(1) == pytest.approx((12 - 4.303 * 1.155, 12 + 4.303 * 1.155), abs=0.01)
    # A single run has its own interval: t(19) for 95 % is 2.093, and the error is 0.1.
    assert mean_of_runs([Estimate(10.0, 0.01, 20)]).interval(1) == pytest.approx((9.791, 10.209), abs=0.001)


def test_the_table_says_what_became_of_the_time_and_what_changed(folder: Path) -> None:
    rows = rows_of(folder)
    assert [row["commit"] for row in rows] == ["first-012345", "second-01234", "third-012345"]
    assert [row["outcome"] for row in rows] == ["passed", "passed", "failed"]
    assert [row["changed"] for row in rows] == ["", "", "structure"]
    assert rows[0]["change"] == ""
    assert abs(float(rows[1]["change"])) < 0.02
    assert float(rows[2]["change"]) == pytest.approx(500 / 1100, abs=0.02)
    assert {row["per"] for row in rows} == {"iteration"}
    table = analyze("history", folder).stdout
    assert "45." in table


def test_times_of_another_machine_are_not_compared(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        entry = json.loads(file.read_text())
        ranks = 4 if entry["commit"].startswith("second") else 3
        (tmp_path / file.name).write_text(json.dumps({**entry, "machine": {**entry["machine"], "ranks": ranks}}))
    rows = rows_of(tmp_path)
    assert [row["changed"] for row in rows] == ["", "machine", "structure, machine"]
    assert [row["change"] for row in rows] == ["", "", ""]


def test_shifted_lines_are_no_other_structure(tmp_path: Path) -> None:
    traces = [run(tmp_path / site, normal_work(1000, 1, 20), site=f"app+0x{site}") for site in ("1", "2")]
    first, second = map(structure_of, traces)
    assert first == second
    third = run(tmp_path / "3", normal_work(1000, 1, 20), op="MPI_Allgather")
    assert structure_of(third) != first


def test_the_picture_is_one_file_with_a_point_for_each_commit(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "history.html"
    assert analyze("history", folder, "--html", file).returncode == 0
    text = file.read_text()
    assert re.findall(r"<(script|a|link|img)\b|https?:", text) == []
    assert len(re.findall(r'<circle class="dot', text)) == 3
    assert text.count('class="dot failed"') == 1
    assert "From second-01234 to third-012345, 1.1" in text
    heights = [float(y) for y in re.findall(r'cy="([^"]+)"', text)]
    assert heights[2] < heights[1] == pytest.approx(heights[0], abs=3)


def test_the_ci_system_names_the_commit_or_git_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(InputError, match="name it with --commit ID"):
        commit_id(None)
    with pytest.raises(InputError, match="is no commit"):
        commit_id("../x")
    subprocess.run(["git", "init", "-q"], check=True)
    person = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    subprocess.run(["git", *person, "commit", "-q", "--allow-empty", "-m", "empty"], check=True)
    assert re.fullmatch("[0-9a-f]{40}", commit_id(None))
    for name in ("CI_COMMIT_SHA", "GITHUB_SHA"):
        monkeypatch.setenv(name, name[:2])
        assert commit_id(None) == name[:2]
    assert commit_id("given") == "given"


def test_what_is_no_history_says_what_to_do(tmp_path: Path) -> None:
    def refused(folder: Path) -> str:
        done = analyze("history", folder)
        assert done.returncode == 2
        return done.stderr

    assert "analyze gate TRACE --history" in refused(tmp_path / "nowhere")
    assert "has no entry" in refused(tmp_path)
    (tmp_path / "a.json").write_text('{"schema_version": 7}')
    assert "a.json is no entry of a history" in refused(tmp_path)
    (tmp_path / "a.json").write_text("{")
    assert "cannot read" in refused(tmp_path)


def test_an_entry_of_a_short_run_has_no_interval(tmp_path: Path) -> None:
    entry = entry_of([hopscope.open(run(tmp_path / "s", [1000] * 3).path)], "c", "passed")
    assert (entry.iteration["per"], entry.iteration["low_ns"], entry.iteration["time_ns"]) == ("run", None, 2300)
