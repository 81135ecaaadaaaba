"""The table that the formulas fill, one row per operation, algorithm and model.

Every formula takes a Call and a model's parameters (`hopscope.machine.published`) and gives one number, in ns. P are
the ranks, m the bytes of a message, which is cut into n_s segments of m_s.

If a rank sends to k destinations one after another, g and G are those for k, if the parameters have them
(`for_destinations`). The published formulas have one gap. That the gap depends on the number of destinations is the
paper's main finding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hopscope.machine.published import Call, Hockney, LogGP, PLogP

Model = type[Hockney] | type[LogGP] | type[PLogP]
Row = tuple[str, str, Model]
"""The MPI function, the algorithm as the paper calls it, and the model."""
Formula = Callable[[Call, Any], float]
_Formula = TypeVar("_Formula", bound=Formula)

SOURCE = (
    "J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, "
    '"Performance Analysis of MPI Collective Operations" (2005)'
)
MODELS: tuple[Model, ...] = (Hockney, LogGP, PLogP)
FORMULAS: dict[Row, Formula] = {}
"""Formulas to use: as published, or corrected where the published one is wrong."""
PRINTED: dict[Row, Formula] = {}
"""The formulas as published, for the rows that FORMULAS corrects."""
UPPER_BOUNDS: dict[Row, Formula] = {}
"""The upper bounds of rows that are published as a lower and an upper bound; FORMULAS has the lower ones."""


def row(
    operation: str, algorithm: str, model: Model, table: dict[Row, Formula] = FORMULAS
) -> Callable[[_Formula], _Formula]:
    """Enters a formula into the table, and its source into its docstring."""

    def entered(formula: _Formula) -> _Formula:
        place = f"{operation.removeprefix('MPI_').lower()}, {algorithm}, {model.__name__}"
        formula.__doc__ = f"{formula.__doc__ or 'As published.'}\n\nSource: {SOURCE}, table row {place}."
        table[operation, algorithm, model] = formula
        return formula

    return entered
