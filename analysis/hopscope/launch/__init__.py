"""Starting MPI programs under the collector, and putting their traces together afterwards.

mpi_library which MPI library a program or a launcher uses
elf         the names that a library defines
installed   where the collector's files are, and which library of it fits an MPI library
building    making one more of them
command     what to put into a launcher's command line and environment
inputs      trees and topology files checked before anything starts
native_builds, native_trial  builds of MPICH that may be changed, and how they are tried out
job         running it: signals, exit codes, assembly
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
