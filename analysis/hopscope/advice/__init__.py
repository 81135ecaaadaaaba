"""Candidates that may be faster: trees, settings of the MPI library, rank orders.

remap     the candidates and their times by the replay
trees     algorithms of the engine
settings  algorithms of the MPI library
orders    rank orders
remedies  suggestions with their commands
tune      measures candidates on the program itself
sweep     measures a library's algorithms over sizes
"""
