"""Measuring a machine: a job of our own that sends messages between its ranks, and what its times say.

session       the job, which is told what to measure and answers with times (collector/src/probe)
sampling      how often something is measured, and the interval of its median
levels        hosts and clusters told apart by latencies
places        which pairs of ranks stand for their links
measuring     what is measured, in which order, within a budget of seconds
between       pairs of hosts that somebody else has chosen
machine_file  the machine file and the topology file that come of it
"""

from hopscope.machine.probe.machine_file import machine_content, topology_content
from hopscope.machine.probe.measuring import Measured, Prober
from hopscope.machine.probe.sampling import Budget

__all__ = ["Budget", "Measured", "Prober", "machine_content", "topology_content"]
