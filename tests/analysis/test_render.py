"""Values for people: their unit, no more digits than say something, and nothing that is there ever shown as nothing."""

import io
import json
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hopscope.catalog import Analysis, Column
from hopscope.render.machine import as_csv, as_json
from hopscope.render.quantities import quantity
from hopscope.render.terminal import print_answer, print_rows
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "ns", "0 ns"),
        (999, "ns", "999 ns"),
        (1000, "ns", "1.00 µs"),
        (999_600_000, "ns", "1.00 s"),
        (40_123_456, "ns", "40.1 ms"),
        (-1_500_000, "ns", "-1.50 ms"),
        (7_200_000_000, "ns", "7.20 s"),
        (1_234_567_890, "at", "1.234568 s"),
        (0.4567, "share", "45.7 %"),
        (0.0001, "share", "<0.1 %"),
        (0.0, "share", "0.0 %"),
        (-0.0001, "share", "0.0 %"),
        (1.0, "share", "100.0 %"),
        (8, "bytes", "8 B"),
        (1536, "bytes", "1.50 KiB"),
        (1_234_567, None, "1 234 567"),
        (2.5, None, "2.5"),
        (3, "ranks", "3 ranks"),
        (True, None, "yes"),
        (None, "ns", "-"),
        (float("nan"), "share", "-"),
        ("word", None, "word"),
    ],
)
def test_values_read_well(value: object, unit: str | None, text: str) -> None:
    assert quantity(value, unit) == text


@given(st.integers(-(2**62), 2**62))
def test_a_time_that_is_not_nothing_is_not_shown_as_nothing(value: int) -> None:
    assert (quantity(value, "ns") == "0 ns") == (value == 0)


TABLE = pa.table({
    "name": ["[red]a[/red]", None],
    "share": [0.5, float("nan")],
    "share_low": [0.4, None],
    "share_high": [0.6, None],
    "many": [[1, 2], None],
})  # fmt: skip


def test_json_has_null_where_there_is_no_number() -> None:
    rows = json.loads(as_json(TABLE))
    assert rows[1] == {"name": None, "share": None, "share_low": None, "share_high": None, "many": None}
    assert json.loads(as_json(TABLE.slice(0, 0))) == []


def test_sums_are_numbers_and_nothing_in_json_is_none() -> None:
    table = pa.table({"sum": [Decimal(4480)], "mean": [Decimal("0.5")], "list": [[1.0, math.nan]]})
    assert as_json(table) == '[\n  {"sum": 4480, "mean": 0.5, "list": [1.0, null]}\n]\n'


def test_csv_has_a_header_also_without_rows() -> None:
    assert as_csv(TABLE.slice(0, 0)) == "name,share,share_low,share_high,many\n"
    assert as_csv(TABLE).splitlines()[1] == '[red]a[/red],0.5,0.4,0.6,"[1, 2]"'


def test_a_table_shows_an_interval_in_one_column_a_bar_and_names_as_they_are() -> None:
    columns = (
        Column("name", "VARCHAR", ""),
        Column("share", "DOUBLE", "", "share"),
        Column("share_low", "DOUBLE", "", "share"),
        Column("share_high", "DOUBLE", "", "share"),
    )
    analysis = Analysis(name="x", help="", concept="", uses=(), sql="", key=("name",), columns=columns, bar="share")
    out = io.StringIO()
    print_answer(out, TABLE, analysis)
    assert "[red]a[/red]" in out.getvalue()
    assert "40.0–60.0 %" in out.getvalue()
    assert "█████" in out.getvalue() or "#####" in out.getvalue()
    assert "share_low" not in out.getvalue()


def test_brackets_and_backslashes_in_names_are_printed_as_they_are() -> None:
    out = io.StringIO()
    print_rows(out, pa.table({"name": [r"\[red]x", r"a\[b]", "[/]"]}))
    assert r"\[red]x" in out.getvalue()
    assert r"a\[b]" in out.getvalue()
    assert "[/]" in out.getvalue()


def test_a_table_in_a_file_stays_within_120_columns_and_loses_nothing() -> None:
    names = [f"a_long_column_name_{i}_ns" for i in range(16)]
    table = pa.table({name: [1_234_567_890 + i] for i, name in enumerate(names)})
    columns = tuple(Column(name, "BIGINT", "", "at") for name in names)
    out = io.StringIO()
    print_answer(out, table, Analysis(name="x", help="", concept="", uses=(), sql="", columns=columns))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 120
    # Folded cells hold all digits: the unit of each stands on a line of its own.
    assert (
        sum(line.rstrip("s ").count("s") + line.rstrip().endswith("s") for line in lines if "column" not in line) >= 16
    )


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_too_narrow_leaves_out_what_it_says_and_breaks_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    names = ["rank", "share", "share_low", "share_high", *(f"figure_{i}" for i in range(12))]
    table = pa.table({name: [0.25, 0.75] for name in names})
    columns = tuple(Column(name, "DOUBLE", "", "share") for name in names)
    analysis = Analysis(name="x", help="", concept="", uses=(), sql="", columns=columns, bar="share")
    out = _Terminal()
    print_answer(out, table, analysis)
    rows, _, said = out.getvalue().partition("not shown")
    rows = rows.splitlines()
    assert max(map(len, rows)) <= 80
    assert "█" not in out.getvalue()
    assert said.startswith(" in 80 columns: 95 % of share, figure 11")
    figures = [line.count("25.0 %") for line in rows]
    assert sum(figures) == max(figures) > 5  # all in one line
