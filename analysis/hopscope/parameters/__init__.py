"""The parameters of the published models, from what a probe measured or from a run's hops.

rows         a parameter, its interval and what it belongs to; the models that they make
probed       from a machine file
traced       from a trace
places       whether a trace's hosts are where a probe found them
description  what `analyze model` says about itself
"""

from hopscope.parameters.description import DESCRIPTION
from hopscope.parameters.places import differences
from hopscope.parameters.probed import crowding, read_machine, rows_of_machine
from hopscope.parameters.rows import LinkEnds, Row, links_of, models_of, table_of
from hopscope.parameters.traced import rows_of_trace

__all__ = [
    "DESCRIPTION",
    "LinkEnds",
    "Row",
    "crowding",
    "differences",
    "links_of",
    "models_of",
    "read_machine",
    "rows_of_machine",
    "rows_of_trace",
    "table_of",
]
