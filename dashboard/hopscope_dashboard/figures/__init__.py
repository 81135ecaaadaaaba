"""Draws figures from rows.

Each function takes rows of an analysis and gives a plotly figure or the parts of a drawing. It has no other effect.
"""
