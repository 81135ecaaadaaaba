"""Starting MPI programs under the collector, and putting their traces together afterwards.

installed   where the collector's files are, one library per MPI flavour
flavour     which MPI library a program or a launcher belongs to
command     what to put into a launcher's command line and environment
inputs      tree and topology files held against their schemas before anything starts
job         running it: signals, exit codes, assembly
"""

from hopscope.launch.command import Request, environment, preload_words
from hopscope.launch.flavour import find_flavour, find_program
from hopscope.launch.inputs import check_topology, check_tree
from hopscope.launch.installed import collector_file, collector_library, installed_flavours
from hopscope.launch.job import assemble, inspect, run_job

__all__ = [
    "Request",
    "assemble",
    "check_topology",
    "check_tree",
    "collector_file",
    "collector_library",
    "environment",
    "find_flavour",
    "find_program",
    "inspect",
    "installed_flavours",
    "preload_words",
    "run_job",
]
