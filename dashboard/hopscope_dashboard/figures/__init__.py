"""Draws figures from rows.

Each function takes rows of an analysis and gives a plotly figure or the elements of a graph, and nothing else.
"""
