"""Candidates that may be faster: trees, settings of the MPI library, rank orders.

pipeline    candidates of every kind, their evaluation by the replay, and the choice
tree        the engine's algorithms as candidates; `engine` lists them
setting     the MPI library's algorithms as candidates; `library` lists them with the settings that force them
rank_order  another placement of ranks on hosts as a candidate; `placement` finds it
remap       candidates and files for a trace; `answer` makes the rows and sentences
remedies    suggestions with their commands, for the page Improve
tune        measures candidates on the program itself
sweep       measures a library's algorithms over sizes
"""
