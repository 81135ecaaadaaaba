"""Starts MPI programs under the collector, and assembles their traces afterwards.

mpi_library finds the MPI library that a program or a launcher uses
elf         reads the names that a library defines
installed   finds the collector's files, and the collector library that fits an MPI library
building    builds a collector library for one more MPI library
command     makes a launcher's command line and environment
inputs      checks trees and topology files before anything starts
native_builds, native_trial  builds of MPICH that the collector may patch, and their trials
job         runs a job: signals, exit codes, assembly
"""

from hopscope.launch.building import build_collector
from hopscope.launch.command import Request, environment, preload_words
from hopscope.launch.inputs import check_topology, check_tree
from hopscope.launch.installed import (
    MpiLibrary,
    collector_file,
    collector_library,
    fitting_collector,
    installed_flavours,
)
from hopscope.launch.job import assemble, inspect, run_job
from hopscope.launch.mpi_library import find_mpi, find_program

__all__ = [
    "MpiLibrary",
    "Request",
    "assemble",
    "build_collector",
    "check_topology",
    "check_tree",
    "collector_file",
    "collector_library",
    "environment",
    "find_mpi",
    "find_program",
    "fitting_collector",
    "inspect",
    "installed_flavours",
    "preload_words",
    "run_job",
]
