"""Ids of the delayed hops."""

DELAYS = "delayed-hops"
TREE = "delayed-hop-tree"
TABLE = "delayed-hops-table"
