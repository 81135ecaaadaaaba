"""The check of tables against their contracts finds violations."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from contract_breaks import violations
from draw import draw
from hopscope.dataset.store import contract, table_names


@pytest.fixture(scope="module")
def hops(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    from dataset_reading import read_dataset
    from hopscope.dataset.convert import ensure_dataset

    return read_dataset(ensure_dataset(draw(tmp_path_factory.mktemp("run"), iterations=3)))["hops"]


def test_every_table_has_a_contract_with_a_key_an_order_and_words_for_each_column() -> None:
    assert len(table_names()) == 18
    for name in table_names():
        described = contract(name)
        assert set(described["x-key"]) <= set(described["properties"]), name
        assert set(described["x-order"]) <= set(described["properties"]), name
        assert described["required"] == list(described["properties"]), name
        for column, column_schema in described["properties"].items():
            assert column_schema["description"], column
            assert column.endswith("_ns") <= (column_schema.get("x-unit") == "ns" or "offset" in column), column


@pytest.mark.parametrize(
    ("column", "change", "words"),
    [
        ("role", lambda c: pa.array(["sideways"] * len(c)), "is none of"),
        ("hop_id", lambda c: pc.multiply(c, 0), "does not name each row"),
        ("send_begin_ns", pc.negate, "comes before row"),
        ("src", lambda c: pa.array([None] * len(c), pa.int32()), "nulls, the contract allows none"),
        ("bytes", lambda c: c.cast(pa.int32()), "type int32, the contract says int64"),
    ],
)
def test_a_broken_column_is_named(
    hops: pa.Table, column: str, change: Callable[[pa.ChunkedArray], object], words: str
) -> None:
    assert violations("hops", hops) == []
    table = hops
    i = table.column_names.index(column)
    breaks = violations("hops", table.set_column(i, column, change(table[column])))
    assert len(breaks) >= 1
    assert words in breaks[0]
    assert column in breaks[0]


def test_a_missing_column_is_named(hops: pa.Table) -> None:
    assert "the contract says" in violations("hops", hops.drop_columns(["link"]))[0]
