"""Published formulas for barrier, broadcast, reduce and alltoall, and the replay of their algorithms."""

from hopscope.machine.formulas import alltoall, barrier, broadcast, reduce
from hopscope.machine.formulas.engine import replayed_ns, replayed_over_links_ns, rule_of, schedules
from hopscope.machine.formulas.table import FORMULAS, MODELS, PRINTED, UPPER_BOUNDS, Formula, Model, Row

__all__ = [
    "FORMULAS", "MODELS", "PRINTED", "UPPER_BOUNDS", "Formula", "Model", "Row", "alltoall", "barrier", "broadcast",
    "reduce", "replayed_ns", "replayed_over_links_ns", "rule_of", "schedules",
]  # fmt: skip
