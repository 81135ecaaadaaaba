"""The parameters of the published models, from a probe's measurements; `hopscope.replay.fitting` has those from a run's
hops.

rows         a parameter, its interval and its link; the models that they make
probed       the parameters in a machine file
machine_answer  the answer of `analyze model` for a machine file
places       tells whether a trace's hosts are in the clusters that a probe found
curves       the time of a message, over its size
"""

from hopscope.machine.parameters.curves import Curve, over_sizes
from hopscope.machine.parameters.machine_answer import MachineAnswer, Measured, answer_of_machine, measured_over_sizes
from hopscope.machine.parameters.places import differences
from hopscope.machine.parameters.probed import (
    crowding,
    is_machine_file,
    lacking,
    overdrawn,
    read_machine,
    rows_of_machine,
)
from hopscope.machine.parameters.rows import LinkEnds, Row, links_of, models_by_class, models_of, table_of

__all__ = [
    "Curve",
    "LinkEnds",
    "MachineAnswer",
    "Measured",
    "Row",
    "answer_of_machine",
    "crowding",
    "differences",
    "is_machine_file",
    "lacking",
    "links_of",
    "measured_over_sizes",
    "models_by_class",
    "models_of",
    "over_sizes",
    "overdrawn",
    "read_machine",
    "rows_of_machine",
    "table_of",
]
