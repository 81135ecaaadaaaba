"""Columns of Arrow tables as numpy arrays, and back."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NONE: Final = -1
"""Stands for null in columns without negative values."""


def numbers(column: pa.ChunkedArray | pa.Array, null: int | None = None) -> Ints:
    """Give a column as 64-bit integers, with `null` in the place of nulls."""
    if null is not None and column.null_count:
        column = pc.fill_null(column, null)
    values = column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()
    return np.asarray(values, np.int64)


def coded(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """Give the words of a column of texts, and the place of each row's among them; -1 for null."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    encoded = column.unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), numbers(encoded.indices, NONE)


def with_nulls(values: Ints, kind: pa.DataType) -> pa.Array:
    """Give the values as a column, with nulls where they are negative."""
    return pa.array(values.astype(kind.to_pandas_dtype()), kind, mask=values < 0)
