"""Prints rows that come from files instead of a trace, in the form of an analysis's answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.cli.command import to_stdout
from hopscope.render.machine import as_csv, as_json
from hopscope.render.terminal import print_answer

if TYPE_CHECKING:
    from hopscope.query.catalog import Analysis


def print_rows(analysis: Analysis, rows: Sequence[Mapping[str, Any]], form: str) -> None:
    """Print rows with the columns of an analysis. form: table, json or csv."""
    from hopscope.query.row_table import table_of

    table = table_of(analysis.columns, rows)
    with to_stdout():
        if form == "table":
            print_answer(sys.stdout, table, analysis)
        else:
            sys.stdout.write(as_json(table) if form == "json" else as_csv(table))
