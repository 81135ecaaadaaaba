"""Makes a network from a topology file, and runs a command on both hosts of it that takes half a second."""

import subprocess
import sys
from pathlib import Path

from hopscope.launch.network import made_network, read_network

with made_network(read_network(Path(sys.argv[1]))) as network:
    jobs = [subprocess.Popen([*network.on_host(host), "sleep", "0.5"]) for host in network.spec.hosts]
    for job in jobs:
        job.wait()
