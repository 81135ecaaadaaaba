"""The sample traces: planted problems are found, and the answers are the recorded ones."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hopscope
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import recorded
import samples
from differences import TIMED, differences, summary
from hopscope.errors import InputError
from hopscope.render.machine import as_csv
from hopscope.render.terminal import print_answer
from recorded_jobs import SAMPLES, planted_truths, sample_trace, shared_folder

WIDTH = 80
NAMES = [*samples.ANSWERED]
IN_SLICE = ("late_rank", "observe_only")
"""Samples whose answers are all compared in a slice only. The other samples have rows in all analyses."""
PLANTED = planted_truths()


@dataclass(frozen=True)
class Sample:
    """A sample's folder, its trace and, for a pair, the trace to compare with. The traces are copied to another folder,
    so that their datasets are made anew."""

    folder: Path
    trace: hopscope.Trace
    base: hopscope.Trace | None

    def answer(self, question: list[str]) -> pa.Table:
        if question[0] == "sql":
            return self.trace.sql(question[1])
        return recorded.ask(self.trace, tuple(question), self.base if question[0] == "compare" else None)

    def recorded(self) -> tuple[Path, hopscope.Trace, hopscope.Trace | None]:
        """The folder of recorded answers, the trace, and the trace to compare with."""
        return self.folder / "answers", self.trace, self.base

    def recorded_of_each(self) -> list[tuple[Path, hopscope.Trace, hopscope.Trace | None]]:
        """The folders of recorded answers of each run of a pair alone."""
        assert self.base
        answers = self.folder / "answers"
        return [(answers / "base", self.base, None), (answers / "new", self.trace, None)]


def answering_once(trace: hopscope.Trace) -> hopscope.Trace:
    """A trace that computes each answer only the first time, because several tests need the same answer."""
    vars(trace)["answer"] = cache(trace.answer)
    return trace


def in_lanes(names: list[str]) -> list[Any]:
    """Samples as parameters, with a mark for those that run in a slice."""
    return [pytest.param(name, marks=[pytest.mark.statistics] if name in IN_SLICE else []) for name in names]


ALONE = in_lanes([name for name in NAMES if (SAMPLES / name / "answers" / recorded.DIGESTS).exists()])
"""Samples with long answers. Comparisons of a pair are short."""


@pytest.fixture(scope="module", params=in_lanes(NAMES))
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = SAMPLES / request.param
    copy = tmp_path_factory.mktemp(request.param)
    opened = {
        path.parent.name: answering_once(
            hopscope.open(
                shutil.copytree(path.parent, copy / path.parent.name, ignore=shutil.ignore_patterns("dataset"))
            )
        )
        for path in folder.glob("*/traces.otf2")
    }
    assert set(opened) in ({"trace"}, {"base", "new"})
    return Sample(folder, opened.get("trace") or opened["new"], opened.get("base"))


def test_each_folder_holds_a_sample_and_each_sample_has_its_folder() -> None:
    assert sorted(NAMES) == sorted({path.parent.name for path in SAMPLES.glob("*/README.md")} - {samples.PLANTED})
    archives = {str(path.parents[1].relative_to(SAMPLES)) for path in SAMPLES.glob("planted/*/trace/traces.otf2")}
    assert {*samples.SAMPLES} - {*NAMES} == archives == {f"{samples.PLANTED}/{name}" for name in PLANTED}


def test_what_was_planted_is_found(sample: Sample) -> None:
    for planted in json.loads((sample.folder / "planted.json").read_text()):
        assert_is_as_planted(planted, sample.answer(planted["question"]))


def has_test_of_its_own(name: str) -> bool:
    """True if a test in end_to_end checks at least the same for this run."""
    return name.startswith(("cause_", "receiver_", "situation_"))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.statistics] if has_test_of_its_own(name) else []) for name in PLANTED],
)
def test_what_was_planted_in_a_run_without_answers_is_found(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = sample_trace(shared_folder(tmp_path_factory), f"{samples.PLANTED}/{name}/trace")
    assert PLANTED[name]
    for planted in PLANTED[name]:
        assert_is_as_planted(planted, recorded.ask(trace, tuple(planted["question"])))


def assert_is_as_planted(planted: dict[str, Any], answer: pa.Table) -> None:
    """Checks that the answer has exactly one row with the planted words, and that this row's value lies in the planted
    range or is equal to the planted value."""
    rows = [row for row in answer.to_pylist() if planted["row"].items() <= row.items()]
    assert len(rows) == 1, planted
    value = rows[0][planted["column"]]
    assert value == planted["is"] if "is" in planted else planted["from"] <= value <= planted["to"], (planted, rows[0])


def test_two_recordings_differ_in_their_hops_where_the_tree_is_another(tmp_path: Path) -> None:
    pair = {
        name: hopscope.open(
            shutil.copytree(SAMPLES / "changed_tree" / name, tmp_path / name, ignore=shutil.ignore_patterns("dataset"))
        )
        for name in ("base", "new")
    }
    assert summary(pair["base"]).startswith("240 calls, 360 hops, ")
    assert [*differences(pair["base"], pair["base"])] == []
    lines = [*differences(pair["base"], pair["new"])]
    # Rank 2 gets its message from rank 1 over the hierarchical tree, but from rank 0 over the binomial one.
    assert "hops MPI_Allreduce 1 2 tree down 4 0 8: 60 before, 0 now" in lines
    assert "hops MPI_Allreduce 0 2 tree down 3 0 8: 0 before, 60 now" in lines
    assert {line.split()[0] for line in lines} == {"calls", "hops", "algorithms"}


def test_rounds_that_come_from_times_are_no_difference_between_recordings(tmp_path: Path) -> None:
    # If leaders pass messages on in the order of arrival, the algorithm is unrecognised. Regression: two recordings of
    # one run were reported to differ.
    folder = SAMPLES / "planted" / "leaders_3_ring" / "trace"
    shutil.copytree(folder, tmp_path / "trace", ignore=shutil.ignore_patterns("dataset"))
    recording, variant = (hopscope.open(tmp_path / "trace") for _ in range(2))
    operations = {row["op"] for row in recording.table("kinds").to_pylist() if row["algorithm"]}
    assert operations == {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Reduce_scatter"}

    def with_other_times(query: str) -> pa.Table:
        """The answer of a recording with rounds that are later by one, and with one more algorithm that times hide."""
        rows = recording.sql(query)
        if query == TIMED:
            barrier = [row | {"op": "MPI_Barrier"} for row in rows.to_pylist()]
            return pa.Table.from_pylist([*rows.to_pylist(), *barrier], rows.schema)
        place = rows.schema.get_field_index("round")
        return rows if place < 0 else rows.set_column(place, "round", pc.add(rows["round"], 1))

    vars(variant)["sql"] = with_other_times
    for pair in ((recording, variant), (variant, recording)):
        assert {line.split()[1] for line in differences(*pair)} == operations - {"MPI_Barrier"}


def test_the_answers_are_those_that_were_recorded(sample: Sample) -> None:
    assert_short_answers_are_as_recorded(*sample.recorded())


@pytest.mark.parametrize("sample", ALONE, indirect=True)
def test_every_column_of_longer_answers_and_of_the_datasets_is_what_was_recorded(sample: Sample) -> None:
    assert_long_answers_are_as_recorded(*sample.recorded())


@pytest.mark.statistics
@pytest.mark.parametrize("sample", ["changed_tree"], indirect=True)
def test_the_answers_about_each_run_of_a_pair_are_those_that_were_recorded(sample: Sample) -> None:
    for run in sample.recorded_of_each():
        assert_short_answers_are_as_recorded(*run)
        assert_long_answers_are_as_recorded(*run)


def assert_short_answers_are_as_recorded(folder: Path, trace: hopscope.Trace, base: hopscope.Trace | None) -> None:
    """Checks each answer that has its own file."""
    paths = sorted(path for path in folder.glob("*.csv") if path.name != recorded.DIGESTS)
    assert paths
    for path in paths:
        answered = csv.reader(io.StringIO(as_csv(recorded.look_up(trace, path.stem, base))))
        for row, expected in zip(answered, csv.reader(io.StringIO(path.read_text())), strict=True):
            assert [value(cell) for cell in row] == [approximated(cell) for cell in expected], path.name


def assert_long_answers_are_as_recorded(folder: Path, trace: hopscope.Trace, base: hopscope.Trace | None) -> None:
    """Checks each answer that has digests."""
    path = folder / recorded.DIGESTS
    expected = list(csv.reader(io.StringIO(path.read_text())))[1:]
    names = dict.fromkeys(row[0] for row in expected)
    answered = [row for name in names for row in recorded.digests(name, recorded.look_up(trace, name, base))]
    columns = {tuple(row[:2]) for row in expected}  # a new column has no recorded digest yet
    assert [row for row in answered if tuple(row[:2]) in columns] == expected, (
        f"{path}: `sample_traces/make.py --whole DIR` writes both sides in full, see there"
    )


def test_on_a_narrow_terminal_no_line_is_too_long_and_no_word_of_a_heading_is_broken(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    answer_count = 0
    for question in recorded.questions(compared=False):
        options = {}
        if len(question) == 3:
            value = "0:0" if question[2] == recorded.EACH_COLLECTIVE else question[2]
            options[question[1][2:]] = int(value) if value.isdigit() else value
        try:
            answer = sample.trace.answer(question[0], **options)
        except InputError:
            continue  # this trace has no data for the query
        output = io.StringIO()
        print_answer(output, answer.table, answer.analysis)
        lines = output.getvalue().splitlines()
        assert max(map(len, lines)) <= WIDTH, question
        answer_count += 1
        if answer.analysis.paragraphs:
            continue
        rule = next(i for i, line in enumerate(lines) if set(line.strip()) in ({"─"}, {"-"}))
        words = {word for column in answer.analysis.columns for word in column.name.split("_")} | {"95", "%", "of"}
        assert {word for line in lines[:rule] for word in line.split()} <= words, question
    assert answer_count > 10


def value(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def approximated(cell: str) -> Any:
    """A cell, in which a number may differ because another processor rounds it differently."""
    number = value(cell)
    return pytest.approx(number, nan_ok=True) if isinstance(number, float) else number


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
    files = [path for path in SAMPLES.rglob("*") if path.is_file() and "dataset" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 20 << 20


def test_the_samples_name_no_machine() -> None:
    # Recordings contain no absolute path of the recording user: not at the beginning of a text, nor behind a space,
    # quote or `=`.
    files = [path for path in SAMPLES.rglob("run.json") if "dataset" not in path.parts]
    assert len(files) > len(samples.SAMPLES)
    for path in files:
        assert re.findall(r"""(?<=[\s"'=:])/\w[^\s"]*""", path.read_text()) == []
