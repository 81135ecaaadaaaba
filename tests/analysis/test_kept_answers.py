"""Answers kept beside a dataset: they are found again if their inputs are the same, and only then."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import pyarrow as pa
import pytest
from drawing import draw
from hopscope.query import cache as kept_answers
from hopscope.query.runner import Runner

RUN = {
    "ranks": "rank host cluster first_event_ns last_event_ns\n0 h0 A 0 100\n1 h1 B 0 100",
    "comms": "comm name members\n0 world 0,1",
    "collectives": (
        "collective_id comm seq op comm_size first_enter_ns last_enter_ns last_leave_ns\n"
        "0 0 0 MPI_Barrier 2 10 20 30\n1 0 1 MPI_Barrier 2 50 60 70"
    ),
    "calls": (
        "collective_id rank location enter_ns leave_ns call_site\n"
        "0 0 0 10 30 app+0x1\n0 1 1 20 30 app+0x1\n1 0 0 60 70 app+0x1\n1 1 1 50 70 app+0x1"
    ),
}


PARTS = {"whole": {}, "part": {"from": "i:10", "to": "i:20"}, "ranks": {"ranks": "3"}}
"""Selections of the sample trace."""


@pytest.fixture
def demo(sample: Callable[[str], hopscope.Trace], tmp_path: Path) -> Path:
    """A copy of a sample trace and its dataset."""
    return shutil.copytree(sample("demo").path, tmp_path / "d")


@pytest.fixture(scope="module")
def noise(sample: Callable[[str], hopscope.Trace]) -> dict[str, list[object]]:
    """The sample trace's noise for each selection, without kept answers."""
    return {name: sample("demo").run("noise", **part).to_pylist() for name, part in PARTS.items()}


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)
    monkeypatch.setattr(kept_answers, "LEAST_SECONDS", 0)
    return draw(tmp_path / "d", **RUN)


def answer_files(dataset: Path) -> list[Path]:
    return sorted(dataset.with_name("d.answers").rglob("*.arrow"))


def last_arrivals(dataset: Path, **options: object) -> list[object]:
    return hopscope.open(dataset).run("last-arrivals", **options).to_pylist()  # type: ignore[arg-type] # any option


def test_an_answer_is_computed_once(dataset: Path) -> None:
    answer = last_arrivals(dataset)
    [file] = answer_files(dataset)
    assert last_arrivals(dataset) == answer
    assert answer_files(dataset) == [file]
    # The answer is read from the file: if the file has the rows of another answer, these are returned.
    with pa.OSFile(str(file), "rb") as source:
        rows = pa.ipc.open_file(source).read_all()
    with pa.OSFile(str(file), "wb") as target, pa.ipc.new_file(target, rows.schema) as writer:
        writer.write_table(rows.slice(0, 1))
    assert last_arrivals(dataset) == answer[:1]


def test_views_that_several_questions_read_are_computed_once_in_a_short_run(
    sample: Callable[[str], hopscope.Trace],
) -> None:
    trace = hopscope.open(sample("demo").dataset)
    with pytest.raises(hopscope.InputError, match="lateness"):
        trace.sql("from rows_in_memory.lateness")
    trace.run("noise")
    trace.run("noise", ranks="3")
    for options in ({}, {"ranks": "3"}):
        fresh = hopscope.open(trace.dataset).part(**options).sql("from lateness order by all").to_pylist()
        assert trace.part(**options).sql("from rows_in_memory.lateness order by all").to_pylist() == fresh
    assert "lateness" in {relation.name for relation in trace.relations()}


def test_another_option_part_or_text_is_another_answer(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = last_arrivals(dataset)
    assert last_arrivals(dataset, to=40) != whole
    assert len(answer_files(dataset)) == 2
    assert last_arrivals(dataset, comm=0) == whole
    assert len(answer_files(dataset)) == 3
    monkeypatch.setattr(kept_answers, "_producers", lambda: ("another release",))
    assert last_arrivals(dataset) == whole
    assert len(answer_files(dataset)) == 4


def test_a_damaged_answer_is_computed_again(dataset: Path) -> None:
    answer = last_arrivals(dataset)
    [file] = answer_files(dataset)
    for damage in (b"", b"no arrow", file.read_bytes()[:-20]):
        file.write_bytes(damage)
        assert last_arrivals(dataset) == answer
        assert file.read_bytes() != damage


def test_answers_of_a_dataset_that_was_replaced_go(dataset: Path) -> None:
    last_arrivals(dataset)
    old = answer_files(dataset)
    notes = dataset.with_name("d.answers") / "notes.txt"
    notes.write_text("a user's own")
    shutil.rmtree(dataset)
    draw(dataset, **{**RUN, "ranks": RUN["ranks"].replace("100", "110")})
    last_arrivals(dataset)
    assert len(answer_files(dataset)) == 1
    assert answer_files(dataset) != old
    assert notes.read_text() == "a user's own"


def test_the_present_state_of_the_files_is_looked_at_each_time(dataset: Path) -> None:
    checks = hopscope.open(dataset).run("check-data").to_pylist()
    part = next((dataset / "calls").glob("*.parquet"))
    content = part.read_bytes()
    changed = content.replace(b"parquet", b"PARQUET", 1)
    assert changed != content
    part.write_bytes(changed)
    assert hopscope.open(dataset).run("check-data").to_pylist() != checks


def test_a_place_that_takes_no_file_and_a_wish_for_none_keep_nothing(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset.with_name("d.answers").write_text("a file where the folder would be")
    answer = last_arrivals(dataset)
    assert answer
    dataset.with_name("d.answers").unlink()
    monkeypatch.setenv(kept_answers.KEEP, "0")
    assert last_arrivals(dataset) == answer
    assert answer_files(dataset) == []


def test_what_was_not_used_for_longest_goes_first(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last_arrivals(dataset)
    [first] = answer_files(dataset)
    last_arrivals(dataset, to=40)
    last_arrivals(dataset)
    monkeypatch.setattr(kept_answers, "_LARGEST_FOLDER", 2 * first.stat().st_size + 1)
    last_arrivals(dataset, to=70)
    assert first in answer_files(dataset)
    assert len(answer_files(dataset)) == 2


def test_views_that_several_questions_read_are_kept_once_for_all_parts(
    demo: Path, noise: dict[str, list[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)

    def ask() -> tuple[dict[str, list[object]], set[Path]]:
        for answer in tmp_path.rglob("*.arrow"):
            answer.unlink()
        trace = hopscope.open(demo)
        return (
            {name: trace.run("noise", **part).to_pylist() for name, part in PARTS.items()},
            set(tmp_path.rglob("*.answers/*/*.parquet")),
        )

    first, files = ask()
    assert first == noise
    assert len(files) == 7  # noise and iterations of each selection, and the whole run's computing between calls
    assert ask() == (noise, files)
    # Missing files are made again, also while a trace is open.
    trace = hopscope.open(demo)
    trace.run("noise", by="period")
    for file in files:
        file.unlink()
    assert trace.run("noise").to_pylist() == noise["whole"]
    assert ask() == (noise, files)


def test_a_query_of_the_user_keeps_no_view(dataset: Path) -> None:
    assert hopscope.open(dataset).sql("select count(*) as n from whole_computing_gaps").to_pylist() == [{"n": 2}]
    assert not list(dataset.with_name("d.answers").rglob("*"))


def test_small_datasets_keep_nothing(tmp_path: Path) -> None:
    last_arrivals(draw(tmp_path / "d", **RUN))
    assert not (tmp_path / "d.answers").exists()


def test_what_takes_much_memory_of_a_long_run_is_found_out_in_another_process_and_kept(
    sample: Callable[[str], hopscope.Trace],
    demo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Regression: the tables stayed in a server's memory, and every server computed the answer again.
    answer = sample("demo").remap()
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)
    trace = hopscope.open(demo, lean=True)
    with monkeypatch.context() as patch:
        # Within this context no code can read the tables.
        patch.setattr(hopscope.Trace, "table", None)
        assert trace.remap().equals(answer, check_metadata=True)
    file_count = len(list(tmp_path.rglob("*.arrow")))
    monkeypatch.setattr("hopscope.query.worker.compute", None)
    assert trace.remap().equals(answer, check_metadata=True)
    assert len(list(tmp_path.rglob("*.arrow"))) == file_count > 0


def test_kept_rows_that_are_damaged_or_removed_meanwhile_are_made_again(
    demo: Path, noise: dict[str, list[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: the advice was to delete the dataset.
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)
    hopscope.open(demo).run("noise")
    files = list(tmp_path.rglob("*.answers/*/*.parquet"))
    assert len(files) == 3

    def ask() -> list[object]:
        for answer in tmp_path.rglob("*.arrow"):
            answer.unlink()
        return hopscope.open(demo).run("noise").to_pylist()

    whole = {file: file.read_bytes() for file in files}
    middle = {file: bytearray(content) for file, content in whole.items()}
    for content in middle.values():
        content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    cut = {file: content[:-20] for file, content in whole.items()}
    for damaged in (dict.fromkeys(files, b""), cut, middle):
        for file, content in damaged.items():
            file.write_bytes(content)
        assert ask() == noise["whole"]
        assert ask() == noise["whole"]
        assert all(file.read_bytes() != damaged[file] for file in files)

    query = Runner.query

    def after_another_made_room(self: Runner, *arguments: Any) -> pa.Table:
        for file in files:
            file.unlink(missing_ok=True)
        return query(self, *arguments)

    monkeypatch.setattr(Runner, "query", after_another_made_room)
    assert ask() == noise["whole"]


def test_kept_rows_that_are_used_stay_longest(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "LEAST_ROWS", 0)
    hopscope.open(demo).run("noise")
    files = list(tmp_path.rglob("*.answers/*/*.parquet"))
    for file in files:
        os.utime(file, (1, 1))
    hopscope.open(demo).run("noise", ranks="3")
    used = [file for file in files if file.stat().st_mtime > 1]
    assert len(used) == 1  # the whole run's computing between calls


def test_others_who_may_read_the_dataset_find_its_answers(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = last_arrivals(dataset)
    [file] = answer_files(dataset)
    assert file.stat().st_mode == (dataset / "manifest.json").stat().st_mode

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "utime", refused)
    monkeypatch.setattr(Runner, "_computed", refused)
    assert last_arrivals(dataset) == answer


def test_what_a_killed_process_did_not_finish_goes(dataset: Path) -> None:
    last_arrivals(dataset)
    [file] = answer_files(dataset)
    abandoned, unfinished = file.with_suffix(".tmp"), file.with_name("another.tmp")
    abandoned.touch()
    unfinished.touch()
    os.utime(abandoned, (1, 1))
    last_arrivals(dataset, to=40)
    assert not abandoned.exists()
    assert unfinished.exists()
