"""Limits on the memory of a query, and the message when it is too little."""

from dataclasses import replace
from pathlib import Path

import hopscope
import pytest
from drawing import draw
from hopscope import InputError
from hopscope.query import catalog, database
from hopscope.query.statements import Statements

LARGE_SORT = "select count(*) as rows from (select * from range(4000000) as numbers (n) order by hash(n)) as mixed"
HUNGRY = "select len(list(n)) as rows from range(4000000) as numbers (n)"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return draw(tmp_path / "dataset", run="ranks\n2")


def test_what_does_not_fit_into_memory_goes_on_in_files_that_are_gone_afterwards(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPSCOPE_MEMORY", "40MiB")
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    opened = hopscope.open(trace)
    assert opened.sql("select current_setting('memory_limit') as most").to_pylist() == [{"most": "40.0 MiB"}]
    assert opened.sql(LARGE_SORT).to_pylist() == [{"rows": 4_000_000}]
    del opened
    assert not list(spill.iterdir())


@pytest.mark.parametrize("memory", ["much", "-5GiB", "-1"])
def test_a_memory_that_is_no_size_is_refused_with_an_example(
    memory: str, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: DuckDB took a negative limit for no limit.
    monkeypatch.setenv("HOPSCOPE_MEMORY", memory)
    with pytest.raises(InputError) as refused:
        hopscope.open(trace)
    assert str(refused.value) == f"HOPSCOPE_MEMORY={memory} is not a valid size; write for example 4GiB"


@pytest.mark.parametrize("memory", ["1B", "1KiB", "100KiB", "1MiB"])
def test_too_little_memory_for_a_dataset_is_not_called_a_damaged_dataset(
    memory: str, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: the advice was to delete the dataset.
    monkeypatch.setenv("HOPSCOPE_MEMORY", memory)
    with pytest.raises(InputError, match="HOPSCOPE_MEMORY") as refused:
        hopscope.open(trace).run("summary")
    assert "elete" not in str(refused.value)


def test_every_query_joins_by_time_without_comparing_each_with_each(trace: Path) -> None:
    # Regression: a connection's setting did not reach the cursors that run queries. So an ASOF join over nested views
    # became a loop over all pairs, and took minutes.
    setting = hopscope.open(trace).sql("select current_setting('asof_loop_join_threshold')::integer as most")
    assert setting.to_pylist() == [{"most": 0}]


def test_in_a_lean_process_one_answer_may_take_more_than_all_others(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: a page said that memory had run out, although gigabytes were free.
    monkeypatch.setattr(database, "_LEAN_MEMORY", 30 << 20)
    monkeypatch.setattr(Statements, "text_of", lambda self, query: query.sql)
    hungry = replace(catalog.load().command("summary").default, sql=HUNGRY, uses=())
    lean = hopscope.open(trace, lean=True)
    with pytest.raises(InputError, match="memory"):
        lean.sql(HUNGRY)
    assert lean._runner.ask(hungry, {}).to_pylist() == [{"rows": 4_000_000}]
    monkeypatch.setenv("HOPSCOPE_MEMORY", "30MiB")
    with pytest.raises(InputError, match="ran out of memory"):
        hopscope.open(trace, lean=True)._runner.ask(hungry, {})
