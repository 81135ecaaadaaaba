"""A recorded run, as the replay reads it.

subject     the collectives whose algorithm changes, and the run's tables
program     each rank's operations, without its waiting
calls       kinds of calls with the lengths of their blocks
events      the ranks' own time in collectives of the MPI library
hops        the hops of the subject
operations  operations that a candidate may change
places      hosts and clusters of the ranks
"""
