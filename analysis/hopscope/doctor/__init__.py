"""Examines this machine: can an MPI run be traced here, and what is missing?

installations  the MPI libraries, their launchers and mpi4py
libraries      findings on each library: its collector, its own messages, its launcher
host           findings on cores, /dev/shm and the folder of traces
package        findings on what hopscope itself needs
trial          runs a small job under the collector
allreduce      the program of that job
examination    all findings, and whether a run can be traced
"""

from hopscope.doctor.examination import Examination, examine
from hopscope.doctor.finding import Finding

__all__ = ["Examination", "Finding", "examine"]
