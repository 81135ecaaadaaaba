"""What would be faster: trees, settings of the MPI library, rank orders.

remap     the candidates and what each takes by the replay
trees     algorithms of the engine
settings  algorithms of the MPI library
orders    rank orders
remedies  what is suggested, with its command
tune      measures candidates on the program itself
sweep     measures a library's algorithms over sizes
"""
