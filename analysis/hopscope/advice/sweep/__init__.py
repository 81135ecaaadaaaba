"""A sweep of a machine: algorithms of its MPI library, and of the engine if asked, over operations, sizes and ranks.

grid         the points: operation, ranks and bytes
methods      the ways to run each operation, grouped into columns; one job measures one column
measured     the times of each point and method, and the file that keeps them
measuring    passes of jobs within a budget; clearly slower methods are not measured again
models       predictions of the published models and the replay for the methods
decision     the best method of each point, the time lost by following the default or a model, and the rules
summary      sentences on that lost time
"""
