"""Ids of the late ranks."""

SHARES = "late-shares"
LATENESS = "late-by-how-much"
TABLE = "late-ranks-table"
