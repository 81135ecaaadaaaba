"""The sample traces: what was planted is found, and the answers are those that were recorded with them."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hopscope
import pyarrow as pa
import pytest
import recorded
from hopscope.render.machine import as_csv

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/README.md"))


@dataclass(frozen=True)
class Sample:
    """A sample's folder, the trace that is asked, and for a pair the run that it is compared with. The traces are in
    a folder of their own, so that their datasets are made anew."""

    folder: Path
    trace: hopscope.Trace
    base: hopscope.Trace | None

    def answer(self, question: list[str]) -> pa.Table:
        if question[0] == "sql":
            return self.trace.sql(question[1])
        return recorded.ask(self.trace, tuple(question), self.base if question[0] == "compare" else None)

    def recorded(self) -> list[tuple[Path, hopscope.Trace, hopscope.Trace | None]]:
        """Each folder of recorded answers with the trace and what it is compared with."""
        answers = self.folder / "answers"
        if self.base is None:
            return [(answers, self.trace, None)]
        return [
            (answers, self.trace, self.base),
            (answers / "base", self.base, None),
            (answers / "new", self.trace, None),
        ]


@pytest.fixture(scope="module", params=NAMES)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = SAMPLES / request.param
    copy = tmp_path_factory.mktemp(request.param)
    opened = {
        path.parent.name: hopscope.open(
            shutil.copytree(path.parent, copy / path.parent.name, ignore=shutil.ignore_patterns("dataset"))
        )
        for path in folder.glob("*/traces.otf2")
    }
    assert set(opened) in ({"trace"}, {"base", "new"})
    return Sample(folder, opened.get("trace") or opened["new"], opened.get("base"))


def test_what_was_planted_is_found(sample: Sample) -> None:
    for planted in json.loads((sample.folder / "planted.json").read_text()):
        rows = [r for r in sample.answer(planted["question"]).to_pylist() if planted["row"].items() <= r.items()]
        assert len(rows) == 1, planted
        found = rows[0][planted["column"]]
        # A range, or what it is to the last digit.
        right = found == planted["is"] if "is" in planted else planted["from"] <= found <= planted["to"]
        assert right, (planted, rows[0])


def test_the_answers_are_those_that_were_recorded(sample: Sample) -> None:
    for folder, trace, base in sample.recorded():
        paths = sorted(path for path in folder.glob("*.csv") if path.name != recorded.DIGESTS)
        assert paths
        for path in paths:
            answered = csv.reader(io.StringIO(as_csv(recorded.look_up(trace, path.stem, base))))
            for row, expected in zip(answered, csv.reader(io.StringIO(path.read_text())), strict=True):
                assert [value(cell) for cell in row] == [about(cell) for cell in expected], path.name


def test_every_column_of_longer_answers_and_of_the_datasets_is_what_was_recorded(sample: Sample) -> None:
    for folder, trace, base in sample.recorded():
        path = folder / recorded.DIGESTS
        if base is not None and not path.exists():
            continue  # all that compares the two is short
        expected = list(csv.reader(io.StringIO(path.read_text())))[1:]
        names = dict.fromkeys(row[0] for row in expected)
        answered = [row for name in names for row in recorded.digests(name, recorded.look_up(trace, name, base))]
        known = {tuple(row[:2]) for row in expected}  # a column that is new has nothing to be compared with yet
        found = [row for row in answered if tuple(row[:2]) in known]
        assert found == expected, f"{path}: `sample_traces/make.py --whole DIR` writes both sides in full, see there"


def value(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def about(cell: str) -> Any:
    """A number may differ where another processor rounds it otherwise."""
    known = value(cell)
    return pytest.approx(known, nan_ok=True) if isinstance(known, float) else known


def test_the_gates_of_the_ci_examples_catch_the_changed_tree(tmp_path: Path) -> None:
    pair = tmp_path / "changed_tree"
    shutil.copytree(SAMPLES / pair.name, pair, ignore=shutil.ignore_patterns("dataset"))
    gates = ["--config", str(SAMPLES.parent / "docs" / "ci" / "hopscope.toml")]
    words = ["analyze", "gate", str(pair / "new"), "--baseline", str(pair / "base"), *gates]
    done = subprocess.run(
        [Path(sys.executable).with_name(words[0]), *words[1:], "--format", "csv"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    failed = [row["analysis"] for row in csv.DictReader(io.StringIO(done.stdout)) if row["outcome"] == "failed"]
    assert "compare --by structure" in failed


def test_the_samples_are_small() -> None:
    parts = [path for path in SAMPLES.rglob("*") if path.is_file() and "dataset" not in path.parts]
    assert sum(path.stat().st_size for path in parts) < 3 << 20


def test_the_samples_name_no_machine() -> None:
    # No absolute path of whoever recorded them: not at the beginning of a text, and not behind a space, quote or `=`.
    recorded = list(SAMPLES.glob("*/*/run.json"))
    assert recorded
    for path in recorded:
        assert re.findall(r"""(?<=[\s"'=:])/\w[^\s"]*""", path.read_text()) == []
