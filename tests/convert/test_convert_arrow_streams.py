"""The native reader gives tables as Arrow streams for any consumer, in pieces of any size."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from draw import draw
from hopscope.native import _convert
from whole_archives import ARCHIVES, TRACES


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory: Path = draw(tmp_path_factory.mktemp("run"), iterations=3)
    return str(directory / "traces.otf2")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., dict[str, list[_convert.ArrowTable]]]:
    """A function that reads an archive and gives the pieces of each table."""

    def pieces(anchor: str, **sizes: int) -> dict[str, list[_convert.ArrowTable]]:
        reader = _convert.Reader(anchor, str(tmp_path), **sizes)
        pieces_by_table: dict[str, list[_convert.ArrowTable]] = {}
        while (tables := reader.next()) is not None:
            for name, table in tables:
                pieces_by_table.setdefault(name, []).append(table)
        assert list(tmp_path.iterdir()) == []  # scratch files have no name
        return pieces_by_table

    return pieces


def joined(tables: list[_convert.ArrowTable]) -> pa.Table:
    """Pieces as one table, with strings instead of dictionaries."""
    whole = pa.concat_tables([pa.table(table) for table in tables])
    texts = [pa.field(f.name, pa.string()) if pa.types.is_dictionary(f.type) else f for f in whole.schema]
    return whole.cast(pa.schema(texts)).combine_chunks()


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("events", [1, 300])
def test_reading_by_pieces_finds_what_reading_at_once_finds(
    trace: Path, events: int, read: Callable[..., dict]
) -> None:
    """Calls, requests and half-known messages that are open at the end of a piece continue in the next one."""
    anchor = str(next(trace.glob("*.otf2")))
    whole, pieces = read(anchor, piece_events=0), read(anchor, piece_events=events)
    assert pieces.keys() == whole.keys()
    for name in whole:
        assert joined(pieces[name]).equals(joined(whole[name])), name


def test_small_tables_hold_what_one_large_table_holds(anchor: str, read: Callable[..., dict]) -> None:
    """Only the references for evaluating a message may differ, and so its binding and the paths."""
    whole, pieces = read(anchor), read(anchor, piece_rows=50)
    assert len(pieces["calls"]) > 1
    for name in ("collectives", "calls", "hops", "steps", "messages", "intervals"):
        versions = [joined(tables[name]) for tables in (whole, pieces)]
        columns = [c for c in versions[0].column_names if c not in ("binding", "pred_hop_id")]
        assert versions[0].select(columns).equals(versions[1].select(columns)), name


@pytest.mark.parametrize("trace", TRACES)
def test_paths_that_are_longer_than_a_table_are_the_same(trace: Path, read: Callable[..., dict]) -> None:
    """Such paths go to a file first; the run's path and some paths of collectives have more than 16 stretches.

    Smaller tables end pieces earlier, so a message may have fewer references. Then a stretch of waiting may name the
    message or not. If its binding differs, a path takes another way for a few stretches.
    """
    anchor = str(next(trace.glob("*.otf2")))
    whole, pieces = read(anchor, piece_events=0), read(anchor, piece_events=0, piece_rows=16)
    assert len(pieces["path_stretches"]) > len(whole["path_stretches"])
    naming = ["message_id", "src", "dst"]
    order = [("path", "ascending"), ("path_collective_id", "ascending"), ("step", "ascending")]
    paths = [joined(tables["path_stretches"]).sort_by(order) for tables in (whole, pieces)]
    bindings = [
        joined(tables["messages"])["binding"].to_pylist() if "messages" in tables else [] for tables in (whole, pieces)
    ]
    if differences := sum(first != second for first, second in zip(*bindings, strict=True)):
        stretches = [Counter(map(str, path.drop_columns([*naming, "step"]).to_pylist())) for path in paths]
        assert ((stretches[0] - stretches[1]) + (stretches[1] - stretches[0])).total() <= 5 * differences
    else:
        assert paths[0].drop_columns(naming).equals(paths[1].drop_columns(naming))
        for name in naming:
            pairs = zip(*(table[name].to_pylist() for table in paths), strict=True)
            assert all(first == second or first is None or second is None for first, second in pairs), name


@pytest.mark.parametrize("trace", ARCHIVES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_region_that_is_open_to_the_end_keeps_its_place(trace: Path, read: Callable[..., dict]) -> None:
    """Rows that begin after `main` wait in a file for its end, once they fill more than a few tables."""
    anchor = str(next(trace.glob("*.otf2")))
    whole, pieces = read(anchor, piece_events=0), read(anchor, piece_events=50, piece_rows=4)
    assert max(pa.table(table).num_rows for table in pieces["intervals"]) <= 4
    assert joined(pieces["intervals"]).equals(joined(whole["intervals"]))


@pytest.mark.parametrize("batch_rows", [1, 3, 8, 64])
def test_small_batches_hold_what_one_large_batch_holds(anchor: str, batch_rows: int, read: Callable[..., dict]) -> None:
    """Validity bits, booleans and the offsets of lists and dictionaries start anew in each batch."""
    whole, pieces = read(anchor), read(anchor, batch_rows=batch_rows)
    for name, tables in pieces.items():
        for table in map(pa.table, tables):
            table.validate(full=True)
            assert all(batch.num_rows <= batch_rows for batch in table.to_batches())
        assert joined(tables).equals(joined(whole[name])), name


def test_a_stream_outlives_what_made_it_and_can_be_asked_for_again(anchor: str, read: Callable[..., dict]) -> None:
    tables = read(anchor)["hops"]
    readers = [pa.RecordBatchReader.from_stream(table) for table in tables for _ in range(2)]
    del tables
    batch = readers[0].read_next_batch()
    assert batch.num_rows > 0
    assert sum(reader.read_all().num_rows for reader in readers[1::2]) == 42  # 3 iterations of 14 hops


def test_a_stream_that_nobody_reads_is_released(anchor: str, read: Callable[..., dict]) -> None:
    capsule = read(anchor)["hops"][0].__arrow_c_stream__()
    del capsule


def test_batches_of_no_rows_are_refused(anchor: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        _convert.Reader(anchor, str(tmp_path), batch_rows=0)
