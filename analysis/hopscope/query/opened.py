"""The interface of an opened trace, for modules that cannot import `hopscope.trace` because it imports them."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from hopscope.query.answer import Answer
from hopscope.query.catalog import Scalar


class OpenedTrace(Protocol):
    """The methods of `hopscope.Trace` that are used by modules which cannot import it."""

    path: Path

    @cached_property
    def run_facts(self) -> dict[str, Any]:
        """The row of the table `run`."""
        ...

    def table(self, name: str) -> pa.Table:
        """One table of the dataset."""
        ...

    def sql(self, query: str, parameters: Mapping[str, Scalar] | None = None) -> pa.Table:
        """The result of a SELECT."""
        ...

    def run(self, command: str, **options: Any) -> pa.Table:
        """The table of an analysis."""
        ...

    def answer(self, command: str, **options: Any) -> Answer:
        """The answer of an analysis."""
        ...

    def caveats(self) -> list[str]:
        """Limits of every answer from this trace, in sentences."""
        ...

    def limits(self) -> list[dict[str, Any]]:
        """Limits of every answer: dictionaries with `kind` and `sentence`."""
        ...


Open = Callable[[Path], OpenedTrace]
"""`hopscope.open`."""
