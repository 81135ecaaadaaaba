"""Converts columns of Arrow tables to numpy arrays, and back.

The code works on raw buffers. pa.array(), to_numpy() and similar functions import pandas if it is installed, which
takes longer than converting a short trace.
"""

from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hopscope.dataset.convert.contract import arrow_schema

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NULL: Final = -1
"""Represents null in columns without negative values."""


def numbers(column: pa.ChunkedArray | pa.Array, null: int | None = None) -> Ints:
    """Give a column of numbers or booleans as 64-bit integers, with `null` in the place of nulls."""
    values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not len(values):
        return np.empty(0, np.int64)
    validity, data = values.buffers()
    if values.type == pa.bool_():
        integers = _bits(data, values).astype(np.int64)
    else:
        kind = {pa.int8(): np.int8, pa.int32(): np.int32, pa.int64(): np.int64}[values.type]
        integers = np.frombuffer(data, kind)[values.offset : values.offset + len(values)].astype(np.int64, copy=False)
    if null is None or validity is None or not values.null_count:
        return integers
    return np.where(_bits(validity, values), integers, null)


def is_null(column: pa.ChunkedArray) -> Bools:
    """Tell for each row if it is null."""
    values = column.combine_chunks()
    if isinstance(values, pa.DictionaryArray):
        values = values.indices
    validity = values.buffers()[0] if len(values) else None
    return np.zeros(len(values), bool) if validity is None else ~_bits(validity, values)


def coded(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """Give the distinct words of a column of texts, and for each row the position of its word; -1 for null."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    encoded = column.unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), numbers(encoded.indices, NULL)


def with_nulls(values: Ints, kind: pa.DataType) -> pa.Array:
    """Give the values as a column, with nulls where they are negative."""
    validity = np.packbits(values >= 0, bitorder="little")
    return _from_bytes(values, kind, validity)


def column_of(values: Ints, kind: pa.DataType) -> pa.Array:
    """Give the values as a column without nulls."""
    return _from_bytes(values, kind, None)


def words_of(words: list[str], places: Ints) -> pa.Array:
    """Give a column of words. places: the position of each row's word in the list; a negative one gives null."""
    texts = [str.encode(word) for word in words]
    ends = array("i", accumulate(map(len, texts), initial=0))
    dictionary = pa.Array.from_buffers(
        pa.string(), len(words), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    )
    return pa.DictionaryArray.from_arrays(with_nulls(places, pa.int32()), dictionary)


def table_of(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Give rows as a table with the schema of the table `name`. Raises KeyError, TypeError, ValueError or
    ArithmeticError for values that do not fit the schema. Too slow for many rows."""
    schema = arrow_schema(name)
    return pa.Table.from_arrays([_column([row[field.name] for row in rows], field) for field in schema], schema=schema)


def _column(values: list[Any], field: pa.Field) -> pa.Array:
    buffers: list[pa.Buffer | None] = [_packed(value is not None for value in values)]
    if field.type == pa.string():
        texts = [b"" if value is None else str.encode(value) for value in values]
        buffers += [pa.py_buffer(array("i", accumulate(map(len, texts), initial=0))), pa.py_buffer(b"".join(texts))]
    elif field.type == pa.bool_():
        buffers += [_packed(value for value in values)]
    else:
        kind = {pa.int32(): "i", pa.int64(): "q", pa.float64(): "d"}[field.type]
        buffers += [pa.py_buffer(array(kind, [0 if value is None else value for value in values]))]
    return pa.Array.from_buffers(field.type, len(values), buffers)


def _packed(truths: Iterable[bool | None]) -> pa.Buffer:
    flags = list(truths)
    packed = (
        sum(bool(value) << bit for bit, value in enumerate(flags[first : first + 8])).to_bytes(1)
        for first in range(0, len(flags), 8)
    )
    return pa.py_buffer(b"".join(packed))


def _bits(buffer: pa.Buffer, values: pa.Array) -> Bools:
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[values.offset : values.offset + len(values)].astype(bool)


def _from_bytes(values: Ints, kind: pa.DataType, validity: npt.NDArray[np.uint8] | None) -> pa.Array:
    data = values.astype({pa.int32(): np.int32, pa.int64(): np.int64}[kind])
    bits = None if validity is None else pa.py_buffer(validity.tobytes())
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(data.tobytes())])
