"""`hopscope.open`: every analysis is a method, tables follow their schemas, and a path without a dataset is refused."""

import html
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drawing import describe, draw
from hopscope.dataset.store import table_schemas
from hopscope.errors import InputError
from test_answers import TABLES


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path_factory.mktemp("trace") / "d", **TABLES))


def test_every_analysis_is_a_method_with_its_options_and_its_documentation(trace: hopscope.Trace) -> None:
    for command in trace.analyses():
        method = getattr(trace, command.function)
        assert command.function in dir(trace)
        assert command.default.help in (method.__doc__ or "")
        assert {p.name for p in command.parameters} <= set(inspect.signature(method).parameters)
    assert isinstance(trace.critical_path(by="rank"), pa.Table)


def test_a_name_that_is_no_analysis_is_an_attribute_error_that_lists_them(trace: hopscope.Trace) -> None:
    with pytest.raises(AttributeError, match="critical_path"):
        _ = trace.critical_pth
    assert not hasattr(trace, "_private")


def test_wrong_options_are_input_errors(trace: hopscope.Trace) -> None:
    with pytest.raises(InputError, match="has no option 'rank'"):
        trace.critical_path(rank=3)
    with pytest.raises(InputError, match="must be a whole number"):
        trace.last_arrivals(at="three")
    for nonsense in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="--least must be a number from 0 up"):
            trace.compare(base=trace, least=nonsense)
    with pytest.raises(InputError, match="unknown analysis 'moon'"):
        trace.run("moon")


def test_a_gate_is_judged_as_the_command_line_judges_it(trace: hopscope.Trace) -> None:
    passed, failed = (trace.gate(f"MPI_Allreduce.hops > {limit}", "summary", by="operation") for limit in (4, 3))
    assert (passed.outcome, failed.outcome) == ("passed", "failed")
    assert "MPI_Allreduce.hops is 4" in failed.sentence
    assert trace.gate("problem.cost_share > 100%").outcome == "passed"
    relative = "MPI_Allreduce.hops != baseline"
    assert trace.gate(relative, "summary", by="operation").outcome == "undecided"
    assert trace.gate(relative, "summary", by="operation", baseline=trace).outcome == "passed"
    with pytest.raises(InputError, match="expected a number"):
        trace.gate("problem.cost_share >")


def test_a_rank_order_that_cannot_be_told_is_an_input_error(trace: hopscope.Trace, tmp_path: Path) -> None:
    file = tmp_path / "hosts.txt"
    with pytest.raises(InputError, match="the run emulated its links"):
        trace.reorder(file, launcher="slurm")
    with pytest.raises(InputError, match="which launcher reads the file"):
        trace.reorder(file)
    assert not file.exists()


def test_every_table_comes_with_the_columns_of_its_schema_also_when_it_has_no_file(trace: hopscope.Trace) -> None:
    for name, schema in table_schemas().items():
        assert trace.table(name).schema.names == schema.names
        assert trace.table(name).schema.types == schema.types
    assert not (trace.dataset / "steps").exists()
    with pytest.raises(InputError, match="no table 'hop'"):
        trace.table("hop")


def test_answers_go_to_pandas_free_readers(trace: hopscope.Trace) -> None:
    # Any reader of the Arrow stream interface can take an answer.
    assert hasattr(trace.critical_path(), "__arrow_c_stream__")


def test_sql_takes_parameters_and_sees_the_views(trace: hopscope.Trace) -> None:
    assert trace.sql("select count(*) as n from hops where dst = $dst", {"dst": 0}).to_pylist() == [{"n": 2}]
    assert trace.sql("select rank from last_enters order by collective_id").to_pylist() == [{"rank": 2}, {"rank": 2}]


def test_several_threads_may_ask_at_once(trace: hopscope.Trace, tmp_path: Path) -> None:
    of_the_whole_trace = [
        c.function
        for c in trace.analyses()
        if not c.default.empty_is_error
        and not c.default.base
        and not any(p.type == "COLLECTIVE" for p in c.default.parameters)
    ]
    commands = of_the_whole_trace * 2
    asked_for_the_first_time = hopscope.open(draw(tmp_path / "d", **TABLES))
    with ThreadPoolExecutor(4) as pool:
        concurrent = list(pool.map(asked_for_the_first_time.run, commands))
    alone = {name: trace.run(name) for name in of_the_whole_trace}
    assert all(answer.equals(alone[name]) for answer, name in zip(concurrent, commands, strict=True))


def test_a_directory_without_manifest_is_no_whole_dataset(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    (dataset / "manifest.json").unlink()
    with pytest.raises(InputError):
        hopscope.open(dataset)


def test_a_dataset_that_lost_a_table_is_not_read_as_if_it_were_empty(tmp_path: Path) -> None:
    # Regression: a dataset without its hops answered that nothing had been sent between clusters, and check-data
    # passed.
    dataset = draw(tmp_path / "d", **TABLES)
    hopscope.open(dataset)
    (dataset / "hops" / "part-00000.parquet").unlink()
    with pytest.raises(InputError, match=r"hops/part-00000.parquet is missing, though manifest.json lists it.*Delete"):
        hopscope.open(dataset)


def test_a_dataset_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    (dataset / "manifest.json").write_text(json.dumps({"schema_version": 99}))
    with pytest.raises(InputError, match=r"schema_version 99.*reads \d+.*Delete"):
        hopscope.open(dataset)
    (dataset / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="cannot read"):
        hopscope.open(dataset)


def test_a_table_that_lacks_a_column_says_which(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    part = dataset / "hops" / "part-00000.parquet"
    pq.write_table(pq.read_table(part).drop_columns(["binding"]), part)
    describe(dataset)
    with pytest.raises(InputError, match=r"lacks the column binding.*Delete"):
        hopscope.open(dataset).critical_path()


def test_a_damaged_page_is_wrong_input_and_not_a_fault_of_ours(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    part = dataset / "hops" / "part-00000.parquet"
    content = bytearray(part.read_bytes())
    content[4:200] = bytes(196)  # damages the pages, but not the footer, which opening reads
    part.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        hopscope.open(dataset).run("collective-hops", collective="0:0")


def test_two_columns_of_one_name_both_come(trace: hopscope.Trace) -> None:
    assert trace.sql("select 1 as a, 2 as a").to_pylist() == [{"a": 1, "a_2": 2}]


@pytest.mark.parametrize(("name", "neighbour"), [("st*r", "star"), ("b[1]x", "b1x"), ("qu?x", "quux")])
def test_a_directory_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path, name: str, neighbour: str) -> None:
    draw(tmp_path / neighbour, **TABLES)
    # Regression: DuckDB also read the neighbour's files.
    assert hopscope.open(draw(tmp_path / name, **TABLES)).table("hops").num_rows == 4


def test_a_table_that_is_cut_off_says_where(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    part = dataset / "hops" / "part-00000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    with pytest.raises(InputError, match=r"hops/part-00000.parquet has 100 bytes, but manifest.json says \d+.*Delete"):
        hopscope.open(dataset)
    part.write_bytes(bytes(len(whole)))
    with pytest.raises(InputError, match=r"cannot read .*: .*hops/part-00000.parquet.*Delete"):
        hopscope.open(dataset).critical_path()


def test_a_notebook_shows_the_verdict_of_a_trace_and_the_rows_of_an_answer(trace: hopscope.Trace) -> None:
    markup = vars(type(trace))["_repr_html_"](trace)
    assert html.escape(trace.diagnose().to_pylist()[0]["sentence"]) in markup
    answer = trace.answer("critical-path")
    table = vars(type(answer))["_repr_html_"](answer)
    assert all(f"<td>{row['category']}</td>" in table for row in answer.rows)
    assert {"open", "Trace", "region"} <= {*dir(hopscope)}
