"""Candidates that may be faster: trees, settings of the MPI library, rank orders.

pipeline    candidates of every kind, their evaluation by the replay, and the choice
tree        algorithms of the engine, which `engine` lists
setting     algorithms of the MPI library, which `library` forces
rank_order  ranks on other hosts, which `placement` finds
remap       candidates and files for a trace; `answer` has the rows and sentences
remedies    suggestions with their commands
tune        measures candidates on the program itself
sweep       measures a library's algorithms over sizes
"""
