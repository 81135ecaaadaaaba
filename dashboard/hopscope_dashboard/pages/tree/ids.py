"""Ids of the tree on the topology."""

TREE = "tree-graph"
EDGES = "tree-edges-table"
COUNT = "tree-count"
