"""The parameters of the published models, from a probe's measurements. `hopscope.replay.fitting` finds them from a
run's hops.

rows            a parameter with its interval and link, and the models that parameters form
probed          the parameters of a machine file
machine_answer  the answer of `analyze model` for a machine file
link_costs      a run's costs, with those of links replaced by probed ones
places          a comparison of a trace's clusters with those that a probe found
curves          the time of a message as a function of its size, by each model
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
