"""Ids of the last arrivals."""

SHARES = "arrival-shares"
WAITING = "arrival-waiting"
TABLE = "arrivals-table"
AT_NODE = "arrivals-at-node"
