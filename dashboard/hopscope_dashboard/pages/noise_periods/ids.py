"""Ids of the periods of noise."""

PERIODS = "noise-periods"
FOLDED = "noise-folded"
TABLE = "noise-periods-table"
