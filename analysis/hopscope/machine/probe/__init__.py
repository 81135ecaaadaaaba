"""Measures a machine: runs a job that sends messages between its ranks, and evaluates the times.

session       the job, which takes commands and returns times (collector/src/probe)
sampling      the number of measurements, and the interval of their median
levels        the hosts and clusters that the latencies show
places        the pairs of ranks that are measured for each class of links
measuring     the measurements in order, within a budget of seconds
machine_file  the machine file and the topology file with the results
"""

from hopscope.machine.probe.machine_file import machine_content, topology_content
from hopscope.machine.probe.measuring import Measured, Prober
from hopscope.machine.probe.sampling import Budget

__all__ = ["Budget", "Measured", "Prober", "machine_content", "topology_content"]
