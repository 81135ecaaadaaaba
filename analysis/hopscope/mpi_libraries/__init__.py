"""Knobs of MPI libraries: their algorithms, the plan's schedule that matches each, and the files that select them.

offered     asks the library for its algorithms
planned     the rule under which the engine would send the same messages
written     rules files, parameters and variables
rank_files  rank orders as launchers read them
open_mpi, mpich  what only one library has
"""
