"""Knobs of MPI libraries: their algorithms, schedules of the engine with the same messages, and files of settings.

installed   finds the library with which a run was made
offered     asks a library for its algorithms
planned     finds the rule under which the engine sends the same messages as an algorithm of a library
written     writes rules files, parameters and variables that select algorithms
rank_files  writes files with which launchers place ranks
open_mpi, mpich, intel_mpi  facts about one library
"""
