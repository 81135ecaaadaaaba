"""Costs of messages and of local work on a machine, and the times of collectives that follow from them.

costs       costs of links and ranks; `link_fit` and `local_costs` fit them to a run's hops
eager       constants that tell rendezvous messages from eager ones
emulated    links and queues of an emulated machine
routes      the machine as the compiled replay takes it: links and servers
probe       a job that measures a machine
parameters  parameters of the published models, from a probe
formulas    published formulas for the times of collectives
schedules   the engine's schedules of the same algorithms, and their replayed times
"""
