"""Algorithms of a collective, as recorded and as planned."""
