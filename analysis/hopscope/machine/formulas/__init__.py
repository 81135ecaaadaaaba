"""Published formulas for barrier, broadcast, reduce and alltoall, and the replay of what they are about."""

from hopscope.machine.formulas import alltoall, barrier, broadcast, reduce
from hopscope.machine.formulas.engine import replayed_ns, replayed_over_links_ns, rule_of, schedules
from hopscope.machine.formulas.table import AT_MOST, FORMULAS, MODELS, PRINTED, Formula, Model, Row

__all__ = [
    "AT_MOST", "FORMULAS", "MODELS", "PRINTED", "Formula", "Model", "Row", "alltoall", "barrier", "broadcast",
    "reduce", "replayed_ns", "replayed_over_links_ns", "rule_of", "schedules",
]  # fmt: skip
