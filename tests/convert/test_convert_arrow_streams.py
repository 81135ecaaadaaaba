"""Tables leave the native reader as Arrow streams that any consumer can take, in batches of any size."""

from pathlib import Path

import pyarrow as pa
import pytest
from draw import draw
from hopscope import _convert


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory: Path = draw(tmp_path_factory.mktemp("run"), iterations=3)
    return str(directory / "traces.otf2")


@pytest.mark.parametrize("batch_rows", [1, 3, 8, 64])
def test_small_batches_hold_what_one_large_batch_holds(anchor: str, batch_rows: int) -> None:
    """Bits of validity and of booleans and offsets of text and lists start anew in each batch."""
    whole, _facts = _convert.convert(anchor)
    pieces, _facts = _convert.convert(anchor, None, batch_rows)
    for name, stream in pieces.items():
        table = pa.table(stream)
        table.validate(full=True)
        assert table.equals(pa.table(whole[name])), name
        assert all(batch.num_rows <= batch_rows for batch in table.to_batches())


def test_a_stream_outlives_what_made_it_and_can_be_asked_for_again(anchor: str) -> None:
    hops = _convert.convert(anchor)[0]["hops"]
    first, second = pa.RecordBatchReader.from_stream(hops), pa.RecordBatchReader.from_stream(hops)
    del hops
    batch = first.read_next_batch()
    del first
    assert batch.num_rows == 42  # 3 iterations of 14 hops
    assert second.read_all().num_rows == 42


def test_a_stream_that_nobody_reads_is_released(anchor: str) -> None:
    capsule = _convert.convert(anchor)[0]["hops"].__arrow_c_stream__()
    del capsule


def test_batches_of_no_rows_are_refused(anchor: str) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        _convert.convert(anchor, None, 0)
