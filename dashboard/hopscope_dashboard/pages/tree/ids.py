"""Ids of the tree on the topology."""

TREE = "tree-graph"
EDGE = "tree-edge-detail"
EDGES = "tree-edges-table"
COUNT = "tree-count"
