"""Costs of a machine.

costs       of links and ranks, fitted to hops (`link_fit`, `local_costs`, `eager`)
routes      links between hosts, and servers of one message at a time
parameters  of the published models, as probed
probe       measures them
formulas    published times of collectives
"""
