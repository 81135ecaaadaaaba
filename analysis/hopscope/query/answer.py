"""The answer of an analysis."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from hopscope.query import catalog
from hopscope.query.catalog import Analysis, Command, Scalar
from hopscope.query.notebook import answer_html
from hopscope.selection import WHOLE_RUN, Selection


@dataclass(frozen=True)
class Answer:
    """The answer of one analysis: its rows, grain and parameters, and notes to print beside it."""

    table: pa.Table
    command: Command
    analysis: Analysis
    parameters: dict[str, Scalar]
    notes: tuple[str, ...]
    selection: Selection = WHOLE_RUN
    """The part of the run that was asked for."""
    inputs: tuple["Answer", ...] = ()
    """The answers of the analyses that its header names after `asks`, from which this one was made."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, keyed by the documented columns."""
        return self.table.to_pylist()

    def _repr_html_(self) -> str:
        columns = [column for column in self.analysis.columns if column.name not in self.analysis.only_data]
        return answer_html(self.rows, columns, self.notes)

    @property
    def name(self) -> str:
        """The command with its options, as a user types it."""
        grain = self.analysis.grain
        grain_option = (
            "" if grain is None or grain.default or grain.value is None else f" --{grain.option} {grain.value}"
        )
        values = {**self.parameters, **self.selection.options()}
        value_options = [f" {catalog.typed(name)} {value}" for name, value in values.items() if value is not None]
        return self.analysis.command + grain_option + "".join(value_options)
