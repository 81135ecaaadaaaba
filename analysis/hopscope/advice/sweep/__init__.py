"""A sweep of a machine: algorithms of its MPI library, and of the engine if asked, over operations, sizes and ranks.

grid         the points: operation, ranks and bytes
methods      the library's own choice and its algorithms, in columns; one job measures one column
measured     the times of each point and method, and the file that keeps them
measuring    jobs and passes within a budget; surely slower methods drop out
models       predictions of the published models and the replay for the methods
decision     the best method of each point, the penalty of following the default and each model, and the rules
"""
