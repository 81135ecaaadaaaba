"""Emulates hosts and sites on one machine, with a network that delays all messages of a job.

Every host of a topology file is a set of Linux namespaces, each cluster has a bridge, and a relay delays all traffic
between two clusters, even the MPI library's own messages. The program hopscope-net (analysis/native/network) makes the
namespaces and runs commands in them.

spec       the network that a topology file's `network` describes
plan       the namespaces, addresses and links that make it
holder     starts and ends it, and runs commands on its hosts
kept       networks that stay for several runs (`hopscope net up`)
launchers  the words that make a launcher start its ranks on these hosts
"""

from hopscope.launch.network.holder import Carried, Network, add_facts, made_network
from hopscope.launch.network.kept import network_for
from hopscope.launch.network.launchers import on_hosts
from hopscope.launch.network.spec import NetworkSpec, read_network

__all__ = [
    "Carried",
    "Network",
    "NetworkSpec",
    "add_facts",
    "made_network",
    "network_for",
    "on_hosts",
    "read_network",
]
