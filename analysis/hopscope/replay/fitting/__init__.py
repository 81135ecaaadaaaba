"""Fits to a run's hops: the costs of its messages for the replay, and parameters of the published models.

fit               costs of links, interfaces and ranks
rendezvous        messages by rendezvous, and their times
uncontended       messages that crossed their link alone
link_times        the time per message and byte of each class of links, from those messages
trace_parameters  the parameters of the published models
"""
