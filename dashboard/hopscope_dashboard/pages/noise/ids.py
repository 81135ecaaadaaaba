"""Ids of the noise page."""

LATE = "noise-late"
COST = "noise-cost"
HEAT = "noise-heat-map"
TABLE = "noise-table"
