"""Conditions that spoil every number come first: a run that did not finish, and ranks that share cores."""

import sys
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawing import draw
from hopscope.render.terminal import print_answer
from test_answers import TABLES


def trace_with(tmp_path: Path, ranks: str, **tables: str) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path / "d", **{**TABLES, "ranks": ranks, **tables}))


def cores(trace: hopscope.Trace) -> list[dict[str, Any]]:
    return trace.sql("select * from crowded_cores order by machine").to_pylist()


def ranks(*rows: str) -> str:
    """The three ranks of the drawing. A rank without a row has no data on its core."""
    idle_rows = [f"{rank} n - - - - 1" for rank in range(len(rows), 3)]
    columns = "rank clock_host cores busy_threads cpu_ns queued_ns last_event_ns first_event_ns"
    return "\n".join([columns, *(f"{row} 0" for row in (*rows, *idle_rows))])


@pytest.mark.parametrize(
    ("rows", "crowd"),
    [
        pytest.param(["0 n 0-1 1 9 1 1", "1 n 0-1 1 9 1 1"], None, id="a core each"),
        pytest.param(["0 n 0-1 1 9 1 1", "1 n 0-1 1 9 1 1", "2 n 0-1 1 9 1 1"], (3, 3, 2, 0.1), id="more ranks"),
        pytest.param(["0 n 0-1 2 9 1 1", "1 n 0-1 2 9 1 1"], (2, 4, 2, 0.1), id="more threads"),
        pytest.param(["0 n 0 1 6 4 1", "1 n 0 1 6 4 1", "2 n 1-3 1 9 0 1"], (2, 2, 1, 0.4), id="bound to one core"),
        pytest.param(["0 n 0 4 5 5 1", "1 n 1 1 9 0 1"], (1, 4, 1, 0.5), id="threads bound to one core"),
        pytest.param(["0 n 0-1,4 1 - - 1", "1 n 0-1,4 3 - - 1"], (2, 4, 3, None), id="times unknown"),
        pytest.param(["0 n 0 - - - 1", "1 n 0 - - - 1"], (2, 2, 1, None), id="killed"),
        pytest.param(["0 n - - - - 1", "1 n - - - - 1", "2 n - - - - 1"], None, id="nothing known"),
        pytest.param(["0 n 0 1 1 0 1", "1 m 0 1 1 0 1", "2 m 1 1 1 0 1"], None, id="two machines"),
    ],
)
def test_more_ranks_or_threads_than_cores(tmp_path: Path, rows: list[str], crowd: tuple[Any, ...] | None) -> None:
    answered = cores(trace_with(tmp_path, ranks(*rows)))
    assert [(r["ranks"], r["busy_threads"], r["cores"], r["queued_share"]) for r in answered] == (
        [crowd] if crowd else []
    )


def test_shared_cores_come_before_all_other_caveats(tmp_path: Path) -> None:
    trace = trace_with(tmp_path, ranks("0 n 0-1 1 6 4 1000", "1 n 0-1 1 6 4 1000", "2 n 0-1 1 6 4 1000"))
    sentence = "3 ranks shared 2 cores, and had none for 40.0 % of the time in which they needed one."
    assert trace.caveats()[0].startswith(sentence)


def test_the_most_crowded_machine_stands_for_the_others(tmp_path: Path) -> None:
    rows = ["0 n 0 1 - - 1", "1 n 0 1 - - 1", "2 m 0-1 8 - - 1"]
    first = trace_with(tmp_path, ranks(*rows)).caveats()[0]
    assert first.startswith("On 2 of the machines, m among them, 1 rank with 8 busy threads shared 2 cores.")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        # 300 of 2000 ns, because each rank has 1000.
        pytest.param(
            ["0 n 0-3 1 600 200 1000", "1 n 0-3 1 700 100 1000"],
            "2 ranks had cores enough, and were ready without one for 15.0 % of their time: other programs ran there.",
            id="load",
        ),
        pytest.param(["0 n 0-3 1 600 100 1000", "1 n 0-3 1 700 90 1000"], None, id="little"),
        pytest.param(["0 n 0 1 600 200 1000", "1 n 0 1 700 300 1000"], None, id="too few cores"),
        pytest.param(["0 n 0-3 1 - - 1000", "1 n 0-3 1 - - 1000"], None, id="unknown"),
    ],
)
def test_ranks_with_cores_enough_that_wait_for_one_share_them_with_other_programs(
    tmp_path: Path, rows: list[str], sentence: str | None
) -> None:
    # Regression: only the run's own ranks and threads were counted, so other programs on its cores were missed.
    trace = trace_with(tmp_path, ranks(*rows))
    sentences = [row["sentence"] for row in trace.limits() if row["kind"] == "load"]
    assert [text.split(". ")[0] + "." for text in sentences] == ([sentence] if sentence else [])
    assert [row["kind"] for row in trace.diagnose().to_pylist()].count("external-load") == (sentence is not None)


def test_the_end_of_an_unfinished_run_comes_first(tmp_path: Path) -> None:
    run = "run unfinished\ndrawn The_run_did_not_finish:_rank_2_called_MPI_Abort."
    rows = ranks("0 n 0 1 6 4 1000", "1 n 0 1 6 4 1000", "2 n 0 1 6 4 1000")
    trace = trace_with(tmp_path, rows, run=run)
    kinds = [row["kind"] for row in trace.limits()]
    assert kinds[:2] == ["unfinished", "cores"]
    assert trace.diagnose()["kind"][0].as_py() == "unfinished"


def test_people_read_an_unfinished_run_and_its_conditions_before_the_causes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = "run unfinished\ndrawn The_run_did_not_finish:_rank_2_called_MPI_Abort."
    rows = ranks("0 n 0 1 6 4 1000", "1 n 0 1 6 4 1000", "2 n 0 1 6 4 1000")
    trace = trace_with(tmp_path, rows, run=run)
    answer = trace.answer("diagnose")
    print_answer(sys.stdout, answer.table, answer.analysis)
    paragraphs = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    words = [paragraph.split(maxsplit=1)[1] for paragraph in paragraphs]
    assert words[0].startswith("The_run_did_not_finish")
    assert words[1].startswith("3 ranks shared 1 core")
    assert len(words) == answer.table.num_rows
