"""Topology files with a network, jobs that run on it, and the reason if this machine cannot make one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import local_mpi

PATIENCE_S = 240
WRONG_CLOCK = Path(__file__).parent / "programs" / "wrong_clock.c"
HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))


def why_not() -> str | None:
    """The reason why this machine cannot make a network of hosts; None if it can."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "needs /dev/net/tun"
    words = ["unshare", "--net", "--uts", "--pid", "--fork", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"]
    trial = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"needs namespaces: {trial.stderr.strip()}" if trial.returncode else None


def topology(folder: Path, clusters: dict[str, int], network: dict[str, Any], **fields: Any) -> Path:
    """A topology file with this number of hosts in each cluster: a0 and a1 in A, and so on."""
    hosts = [
        {"name": f"{cluster.lower()}{number}", "cluster": cluster}
        for cluster, count in clusters.items()
        for number in range(count)
    ]
    file = folder / "sites.json"
    file.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "network": network, **fields}))
    return file


def wrong_clocks(mpi: local_mpi.LocalMpi, skews: dict[str, tuple[int, int]]) -> dict[str, str]:
    """Variables that make each host a machine with its own clock. skews: by host, the clock's offset at the start in
    ns, and its drift in parts per million."""
    clocks = ",".join(f"{host}:{offset}:{ppm}" for host, (offset, ppm) in skews.items())
    return {
        "LD_PRELOAD": str(mpi.compile(WRONG_CLOCK, "-shared", "-fPIC", "-ldl", name="wrong_clock.so")),
        "WRONG_CLOCK": clocks,
    }


def run(
    folder: Path, file: Path, *words: str, interrupt_once: Callable[[], bool] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a job on a network. Its trace is `trace`. interrupt_once: interrupts the job once this condition holds."""
    command = [HOPSCOPE, "run", "--net", str(file), "--dir", "trace", *words]
    environment = {**local_mpi.without_hopscope(), **variables}
    deadline = time.monotonic() + PATIENCE_S
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as job:
        while True:
            try:
                printed = job.communicate(timeout=0.5 if interrupt_once else PATIENCE_S)
                break
            except subprocess.TimeoutExpired:
                overdue = time.monotonic() > deadline
                if overdue or (interrupt_once and interrupt_once()):
                    job.send_signal(signal.SIGINT)
                    interrupt_once = None
    return subprocess.CompletedProcess(command, job.returncode, *printed)
