"""Compares the times of collectives by the published formulas, by the replay and as measured.

points       operations, algorithms, numbers of ranks and sizes of the comparison
measured     the collectives of a trace at each point, and their times
rows         the times of every point
description  the header of `analyze formulas`
"""

from hopscope.replay.formula_times.description import DESCRIPTION
from hopscope.replay.formula_times.measured import Measured, measured
from hopscope.replay.formula_times.points import SIZES
from hopscope.replay.formula_times.rows import of_machine, of_trace, table_of

__all__ = ["DESCRIPTION", "SIZES", "Measured", "measured", "of_machine", "of_trace", "table_of"]
