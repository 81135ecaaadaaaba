"""What collectives take by the published formulas, by the replay and as measured, beside each other.

points       the operations, algorithms, numbers of ranks and sizes that are looked at
measured     which collectives of a trace are such a point, and what they took
rows         the times of every point
description  what `analyze formulas` says about itself
"""

from hopscope.replay.formula_times.description import DESCRIPTION
from hopscope.replay.formula_times.measured import Measured, measured
from hopscope.replay.formula_times.points import SIZES
from hopscope.replay.formula_times.rows import of_machine, of_trace, table_of

__all__ = ["DESCRIPTION", "SIZES", "Measured", "measured", "of_machine", "of_trace", "table_of"]
