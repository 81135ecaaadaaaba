"""Fits to a run's hops: the costs of its messages for the replay, and parameters of the published models.

fit               costs of links, interfaces and ranks
rendezvous        messages by rendezvous, and their times
uncontended       messages that had their link to themselves
link_times        the time per message and byte of each class of links, from such messages
trace_parameters  the parameters of the published models
"""
