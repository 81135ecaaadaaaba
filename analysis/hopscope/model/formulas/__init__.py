"""Published formulas for barrier, broadcast, reduce and alltoall, and the replay of what they are about."""

from hopscope.model.formulas import alltoall, barrier, broadcast, reduce
from hopscope.model.formulas.engine import longest_message, receivers, replayed_ns, rule_of, schedules
from hopscope.model.formulas.table import AT_MOST, FORMULAS, MODELS, PRINTED, Formula, Model, Row

__all__ = [
    "AT_MOST", "FORMULAS", "MODELS", "PRINTED", "Formula", "Model", "Row", "alltoall", "barrier", "broadcast",
    "longest_message", "receivers", "reduce", "replayed_ns", "rule_of", "schedules",
]  # fmt: skip
