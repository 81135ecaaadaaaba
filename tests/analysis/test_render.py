"""Values for people have their unit and only significant digits, and a value is never shown as nothing."""

import io
import json
import math
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hopscope.format.quantities import alike, changes, exact_size, first_value, interval, quantity
from hopscope.query.catalog import Analysis, Column, load
from hopscope.query.row_table import table_of
from hopscope.render.machine import as_csv, as_json
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
        (119_970_000_000, "ns", "120 s"),
        (179_600_000_000, "ns", "3 min 0 s"),
        (1_234_567.8, "ns", "1.23 ms"),
        (1_234_567_890, "at", "1.234568 s"),
        (0.4567, "share", "45.7 %"),
        (0.0001, "share", "<0.1 %"),
        (0.0, "share", "0.0 %"),
        (-0.0001, "share", "0.0 %"),
        (1.0, "share", "100.0 %"),
        (0.9999, "share", ">99.9 %"),
        (8, "bytes", "8 B"),
        (1536, "bytes", "1.5 KiB"),
        (65_536, "bytes", "64 KiB"),
        (1_048_100, "bytes", "1 MiB"),
        (1_234_567, None, "1,234,567"),
        (2.5, None, "2.5"),
        (3, "ranks", "3 ranks"),
        (1, "ranks", "1 rank"),
        (0.00001234, None, "0.0000123"),
        (1234.5, None, "1,234"),
        (99.96, None, "100"),
        (True, None, "yes"),
        (None, "ns", "–"),
        (float("nan"), "share", "–"),
        ("word", None, "word"),
    ],
)
def test_values_read_well(value: object, unit: str | None, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2_000, "2,000 B"), (1536, "1.5 KiB"), (65_536, "64 KiB"), (1_048_100, "1,048,100 B"), (0, "0 B")],
)
def test_the_bytes_of_a_message_are_given_exactly(value: int, text: str) -> None:
    """Regression: an Allreduce of 2,000 B was shown as 1.95 KiB."""
    assert exact_size(value) == text


def test_values_that_are_compared_have_one_unit() -> None:
    assert alike("ns", 40_600_000, 720_000, None) == ["40.6 ms", "0.72 ms", "–"]
    assert alike("ns", 1_230_000_000, 20_700) == ["1.23 s", "20.7 µs"]
    assert alike("bytes", 1_572_864, 524_288) == ["1.5 MiB", "0.5 MiB"]
    assert alike("share", 0.5, 0.25) == ["50.0 %", "25.0 %"]


def test_the_ends_of_an_interval_have_one_unit() -> None:
    assert interval(0.9664, 0.97) == "96.6 to 97.0 %"
    assert interval(-0.031, 0.0) == "-3.1 to 0.0 %"
    assert interval(1_500_000, 20_400_000, "ns") == "1.50 to 20.4 ms"
    assert interval(150_000_000_000, 210_000_000_000, "ns") == "2 min 30 s to 3 min 30 s"
    assert interval(None, 0.5) == "–"


@given(st.floats(-1e18, 1e18), st.sampled_from(["ns", "at", "bytes", "share", "ranks", None]))
def test_no_number_has_an_exponent(value: float, unit: str | None) -> None:
    assert not re.search(r"\de[+-]?\d", quantity(value, unit))


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
    output = io.StringIO()
    print_answer(output, TABLE, analysis)
    assert "[red]a[/red]" in output.getvalue()
    assert "40.0 to 60.0 %" in output.getvalue()
    assert "█████" in output.getvalue() or "#####" in output.getvalue()
    assert "share_low" not in output.getvalue()


def test_brackets_and_backslashes_in_names_are_printed_as_they_are() -> None:
    output = io.StringIO()
    print_rows(output, pa.table({"name": [r"\[red]x", r"a\[b]", "[/]"]}))
    assert r"\[red]x" in output.getvalue()
    assert r"a\[b]" in output.getvalue()
    assert "[/]" in output.getvalue()


REMAP = load().computed["remap"].default


def printed(table: pa.Table, columns: tuple[Column, ...], **header: Any) -> list[str]:
    output = io.StringIO()
    print_answer(output, table, Analysis(name="x", help="", concept="", uses=(), sql="", columns=columns, **header))
    return output.getvalue().splitlines()


def test_a_table_in_a_file_stays_within_120_columns_and_names_what_it_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    names = [f"a_long_column_name_{i}_ns" for i in range(16)]
    table = pa.table({name: [1_234_567_890 + i] for i, name in enumerate(names)})
    lines = printed(table, tuple(Column(name, "BIGINT", "", "at") for name in names))
    assert max(map(len, lines)) <= 120
    text = " ".join(" ".join(lines).split())
    assert "Not shown at a width of 120: a long column name 15, a long column name 14" in text
    assert "or use --format csv" in text


def test_shares_of_noise_read_as_on_the_page() -> None:
    # Regression: the table had 0.224 and 0.000000000000029, the page per cent.
    columns = {column.name: column.unit for column in load().command("noise").choose({"by": "period"})[0].columns}
    assert (columns["explained"], columns["false_alarm"]) == ("share", "share")


def test_a_narrow_table_drops_first_what_the_header_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["rank", "share", "share_low", "share_high", *(f"figure_{i}" for i in range(12))]
    table = pa.table({name: [0.25, 0.75] for name in names})
    columns = tuple(Column(name, "DOUBLE", "", "share") for name in names)
    header: dict[str, Any] = {"key": ("rank",), "bar": "share", "narrow": ("figure_3", "figure_9")}
    for width, dropped in ((80, "figure 3, figure 9, 95 % of share, figure 11"), (20, "figure 3, figure 9, 95 % of")):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = printed(table, columns, **header)
        assert max(map(len, lines)) <= width
        assert f"Not shown at a width of {width}: {dropped}" in " ".join(" ".join(lines).split())
        assert any("25.0 %" in line for line in lines)  # numbers are not broken
    monkeypatch.setenv("COLUMNS", "8")
    assert any("figure" in line or "share" in line for line in printed(table, columns, **header))


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_a_prediction_is_never_shown_without_its_interval(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the table of remap had one predicted time, its gain and `chosen yes`, although a rerun could take
    anything up to 1.9 s, because no hop had measured a link. Only csv and json contained the interval."""
    monkeypatch.setenv("COLUMNS", str(width))
    row = {"name": "leaders recursive-doubling inside=binomial-mpich", "baseline": False, "predicted_ns": 21.4e6}
    row |= {"predicted_low_ns": 19.8e6, "predicted_high_ns": 1.91e9, "measured_ns": 40.3e6, "gain": 0.47, "depth": 3}
    row |= {"model_error": 0.014, "wan_crossings": 1, "wan_messages": 2, "extrapolates": "hosts a-b", "chosen": True}
    lines = printed(table_of(REMAP.columns, [row]), REMAP.columns, **{
        name: getattr(REMAP, name) for name in ("key", "bar", "only_data", "narrow")
    })  # fmt: skip
    assert max(map(len, lines)) <= width
    assert any(("19.8 ms to 1.91 s" in line) and ("21.4 ms" in line) and ("yes" in line) for line in lines)
    assert any("interval" in line for line in lines[:4])
    assert not any("low" in line or "high" in line for line in lines)


@pytest.mark.parametrize(
    ("unit", "rising"),
    [
        ("ns", [-1.2e6, 0, 900, 669e3, 900e3, 1.2e6, 5.15e9, 119e9, 125e9, 4000e9]),
        ("bytes", [0, 5, 1000, 1536, 2**20, 3 * 2**40]),
        ("share", [-0.82, 0, 0.0001, 0.001, 0.456, 0.999, 0.9999, 1, 1.116]),
        ("at", [1_234_568_000, 90e9]),
        (None, [-2, 0.963, 3, 1_234_567]),
    ],
)
def test_texts_sort_as_their_values(unit: str | None, rising: list[float]) -> None:
    # Regression: sorted by their digits, 900 µs came after 5.15 s.
    values = [first_value(quantity(value, unit)) for value in rising]
    assert values == sorted(set(values))
    assert [round(value) for value in values if unit == "at"] == [value for value in rising if unit == "at"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (changes(1.2e6, -0.82), 1.2e6),
        (interval(0.966, 0.97), 0.966),
        (interval(0.04, 2), 0.04),
        (interval(40.1e6, 44.9e6, "ns"), 40.1e6),
        ("1.20 ms (3)", 1.2e6),
        ("undecided", None),
        ("–", None),
    ],
)
def test_of_several_numbers_the_first_counts(text: str, value: float | None) -> None:
    assert first_value(text) == value
