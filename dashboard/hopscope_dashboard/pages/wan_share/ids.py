"""Ids of the WAN share."""

SHARES = "wan-shares"
TABLE = "wan-table"
