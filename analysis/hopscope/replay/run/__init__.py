"""A recorded run in the form that the replay uses.

subject     the collectives whose algorithm changes, and the run's tables
program     each rank's operations and its own time between them, without its waiting
calls       kinds of calls with the lengths of their blocks
events      messages and the ranks' own time in collectives of the MPI library
hops        the hops of the subject
operations  operations whose algorithm a candidate may change
places      hosts and clusters of the ranks
"""
