"""Adds to a dataset what another tool, such as Score-P, recorded of the same run: its regions and call paths.

clock      aligns two clocks on moments that both recorded
matching   matches the calls of MPI of one thread
threads    matches the threads of two traces
recording  reads calls and regions from a dataset
call_paths turns call sites into call paths
tables     makes the tables that the dataset gets
addition   adds and removes them
"""
