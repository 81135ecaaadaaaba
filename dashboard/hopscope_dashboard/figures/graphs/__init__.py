"""Drawings of who sends to whom: `tree` places a tree, `rounds` an exchange between peers, and `svg` draws either.

Pages and the report of a machine file use the same markup, which a browser shows as it is.
"""
