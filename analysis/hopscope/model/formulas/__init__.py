"""Published formulas for barrier, broadcast, reduce and alltoall, and the replay of what they are about."""

from hopscope.model.formulas import alltoall, barrier, broadcast, reduce
from hopscope.model.formulas.engine import replayed_ns, replayed_over_links_ns, rule_of, schedules
from hopscope.model.formulas.table import AT_MOST, FORMULAS, MODELS, PRINTED, Formula, Model, Row

__all__ = [
    "AT_MOST", "FORMULAS", "MODELS", "PRINTED", "Formula", "Model", "Row", "alltoall", "barrier", "broadcast",
    "reduce", "replayed_ns", "replayed_over_links_ns", "rule_of", "schedules",
]  # fmt: skip
