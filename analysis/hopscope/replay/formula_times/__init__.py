"""Compares three times of collectives: by the published formulas, by the replay, and as measured.

points       the compared combinations of operation, algorithm, number of ranks and size
measured     the collectives of a trace at each point, and their times
rows         the times of every point
"""

from hopscope.replay.formula_times.measured import Measured, measured
from hopscope.replay.formula_times.points import SIZES
from hopscope.replay.formula_times.rows import of_machine, of_trace, table_of

__all__ = ["SIZES", "Measured", "measured", "of_machine", "of_trace", "table_of"]
