"""`analyze compare --by structure`: compares what can be counted in two runs, such as messages and rounds."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from hopscope.query.header import Scalar
from hopscope.selection.alignment import Pair, Site, align, sites

PROPERTIES = (
    "collectives",
    "ranks",
    "bytes",
    "engine",
    "tree",
    "algorithm",
    "messages",
    "wan messages",
    "rounds",
    "depth",
    "wan crossings",
)

Properties = dict[Site, dict[str, tuple[str, float | None]]]


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per pair of matched places and property that either run has."""
    assert base is not None
    base_properties, new_properties = _properties(base), _properties(rows)
    return [
        row for pair in align(base_properties, new_properties) for row in _rows(pair, base_properties, new_properties)
    ]


def _properties(rows: pa.Table) -> Properties:
    properties: Properties = {}
    columns = (rows[name].to_pylist() for name in ("property", "words", "value"))
    for site, name, words, value in zip(sites(rows), *columns, strict=True):
        properties.setdefault(site, {})[name] = (words, value)
    return properties


def _rows(pair: Pair, base_properties: Properties, new_properties: Properties) -> list[dict[str, Any]]:
    old = {} if pair.base is None else base_properties[pair.base]
    new = {} if pair.new is None else new_properties[pair.new]
    site = pair.site
    property_rows: list[dict[str, Any]] = []
    for name in PROPERTIES:
        if name not in old and name not in new:
            continue
        (base_words, base_value), (new_words, new_value) = old.get(name, (None, None)), new.get(name, (None, None))
        property_rows.append(
            {
                "operation": site.op,
                "place": site.place,
                "base_place": pair.base_place,
                "comm": site.comm,
                "property": name,
                "base": base_words,
                "new": new_words,
                "base_value": base_value,
                "new_value": new_value,
                "change": None if base_value is None or new_value is None else new_value - base_value,
                "changed": base_words != new_words,
                "aligned": pair.method,
            }
        )
    return property_rows
