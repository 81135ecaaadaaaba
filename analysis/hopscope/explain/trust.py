"""`analyze trust`: lists the limits of a trace, and adds the number of rules that its dataset breaks, by `analyze
check-data`."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from hopscope.query.header import Scalar

Row = dict[str, Any]

COLUMNS = ("section", "item", "value", "unit", "sentence")


def answer(
    rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar], ask: Callable[[str], list[Row]]
) -> list[Row]:
    """The query's rows, with a row about broken rules after the limits."""
    del base, parameters
    trust_rows = rows.select(COLUMNS).to_pylist()
    rules = [row for row in ask("check-data") if row["verdict"] in ("holds", "fails")]
    broken = [f"{row['rule']} ({row['example']})" for row in rules if row["verdict"] == "fails"]
    sentence = f"broken: {'; '.join(broken)}" if broken else f"none of {len(rules)}"
    limits = sum(row["section"] == "limits" for row in trust_rows)
    trust_rows.insert(
        limits,
        {
            "section": "data",
            "item": "broken rules",
            "value": float(len(broken)),
            "unit": "rules",
            "sentence": f"{sentence}; `analyze check-data` lists them",
        },
    )
    return trust_rows
