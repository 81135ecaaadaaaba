"""A sweep of a machine: every algorithm of its MPI library, measured over operations, message sizes and ranks.

grid         the points: operation, ranks and bytes
methods      the library's own choice and its algorithms, as columns that one job each measures
measured     the times of each point and method, and the file that keeps them
measuring    jobs and passes within a budget; what is surely slower drops out
models       what the published models and the replay predict for the methods
decision     the best method of each point, the penalty of following the default and each model, and the rules
"""
