"""Ids of the list of collectives."""

GRID = "collectives-grid"
