"""Costs of a machine.

costs       costs of links and ranks, fitted to hops (`link_fit`, `local_costs`, `eager`)
routes      links between hosts, and servers that serve one message at a time
parameters  parameters of the published models, as probed
probe       measures them
formulas    published times of collectives
schedules   the engine's own of these algorithms, replayed
"""
