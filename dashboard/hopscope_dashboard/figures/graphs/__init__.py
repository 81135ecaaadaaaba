"""Drawings of who sends to whom: `tree` and `rounds` place a tree and an exchange, and `svg` draws either.

Pages and the report of a machine file take the same markup; a browser only shows it.
"""
