"""Makes a network from a topology file, and runs a command of some seconds on both of its hosts: launch_sleep FILE
SECONDS. Prints its progress, one word in each line: starts, up, runs."""

import subprocess
import sys
from pathlib import Path

print("starts", flush=True)

from hopscope.launch.network import made_network, read_network  # noqa: E402

with made_network(read_network(Path(sys.argv[1]))) as network:
    print("up", flush=True)
    words = ["sh", "-c", f"echo here; exec sleep {sys.argv[2]}"]
    jobs = [subprocess.Popen([*network.on_host(host), *words], stdout=subprocess.PIPE) for host in network.spec.hosts]
    for job in jobs:
        assert job.stdout and job.stdout.readline() == b"here\n"
    print("runs", flush=True)
    for job in jobs:
        job.wait()
