"""Levers of MPI libraries: which algorithms a library has, which schedule of the plan each one is, and the files that
tell the library to run it.

offered     asks the library for its algorithms
planned     the rule under which the engine would send the same messages
written     rules files, parameters and variables
rank_files  rank orders as launchers read them
open_mpi, mpich  what only one library has
"""
