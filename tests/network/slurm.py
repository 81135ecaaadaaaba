"""Slurm's own daemons on the hosts of a network: a cluster with one node for each host, which ends with the network.

Each host has its own /dev/shm, which vanishes with it. So all files of the daemons are there. Only the configuration,
the key and the logs are in a folder that all hosts share.
"""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import local_mpi
from hopscope.launch.network import Network

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "scancel")
SLOTS = 2
"""Tasks on each node. Slurm is told that the node has this number of cores, whatever this machine has."""

_SETTINGS = """ClusterName=hopscope
SlurmUser=root
SlurmctldHost={first}
AuthInfo=socket=/dev/shm/munge
StateSaveLocation=/dev/shm
SlurmctldPidFile=/dev/shm/slurmctld.pid
SlurmdPidFile=/dev/shm/slurmd.pid
SlurmdSpoolDir=/dev/shm/slurmd
TmpFS=/dev/shm
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SlurmdParameters=config_overrides
NodeName={nodes} CPUs={slots}
PartitionName=all Nodes=ALL Default=YES
"""


def why_not() -> str | None:
    """The reason why this machine cannot run a cluster; None if it can."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    return f"needs {', '.join(missing)} (Debian: slurmctld, slurmd, slurm-client, munge)" if missing else None


class Cluster:
    """Slurm on all hosts of a network. Commands run on the first host."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.network, self.folder = network, folder
        self.nodes = list(network.spec.hosts)
        self.environment = {
            **local_mpi.without_hopscope(),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SLURM_CONF": str(folder / "slurm.conf"),
            # These variables are also set in jobs.
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        settings = {"first": self.nodes[0], "nodes": ",".join(self.nodes), "folder": folder, "slots": SLOTS}
        (folder / "slurm.conf").write_text(_SETTINGS.format_map(settings))
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        files = [f"--{name}=/dev/shm/munge{end}" for name, end in (("socket", ""), ("seed-file", ".seed"))]
        files += [f"--{name}=/dev/shm/munge{end}" for name, end in (("pid-file", ".pid"), ("log-file", ".log"))]
        for node in self.nodes:
            self._daemon(node, "munged", f"--key-file={key}", *files)
        self._daemon(self.nodes[0], "slurmctld")
        for node in self.nodes:
            self._daemon(node, "slurmd", "-N", node)
        self._wait_until_idle()

    def _daemon(self, node: str, *words: str) -> None:
        """Starts a daemon that returns as soon as it serves."""
        words = (*self.network.on_host(node), *words)
        subprocess.run(words, env=self.environment, check=True, timeout=60)

    def _wait_until_idle(self) -> None:
        deadline = time.monotonic() + 60
        while self.run("sinfo", "-h", "-o", "%D %t") != f"{len(self.nodes)} idle\n":
            if time.monotonic() > deadline:
                logs = [file.read_text() for file in sorted(self.folder.glob("*.log"))]
                raise TimeoutError("Slurm's nodes do not come up:\n" + "\n".join(logs))
            time.sleep(0.1)

    def start(self, words: Sequence[str], folder: Path, **variables: str) -> "subprocess.Popen[str]":
        """Starts a command on the first host."""
        return subprocess.Popen(
            [*self.network.on_host(self.nodes[0]), *words],
            cwd=folder,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> str:
        """The output of one of Slurm's commands."""
        with self.start(words, self.folder) as command:
            output, complaint = command.communicate(timeout=60)
        assert command.returncode == 0, complaint
        return output

    def is_busy(self) -> bool:
        """True while a job waits or runs."""
        return self.run("squeue", "-h") != ""
