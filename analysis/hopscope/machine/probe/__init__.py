"""Measures a machine: a job that sends messages between its ranks, and the evaluation of its times.

session       the job, which takes commands and returns times (collector/src/probe)
sampling      number of measurements, and the interval of their median
levels        hosts and clusters told apart by latencies
places        the pairs of ranks that stand for their links
measuring     the measurements in order, within a budget of seconds
machine_file  the machine file and the topology file with the results
"""

from hopscope.machine.probe.machine_file import machine_content, topology_content
from hopscope.machine.probe.measuring import Measured, Prober
from hopscope.machine.probe.sampling import Budget

__all__ = ["Budget", "Measured", "Prober", "machine_content", "topology_content"]
