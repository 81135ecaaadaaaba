"""Topology files with a network, jobs that run on it, and whether this machine can make one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import local_mpi

HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))


def why_not() -> str | None:
    """What this machine lacks for a network of hosts."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "needs /dev/net/tun"
    words = ["unshare", "--net", "--uts", "--pid", "--fork", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"needs namespaces: {made.stderr.strip()}" if made.returncode else None


def topology(folder: Path, clusters: dict[str, int], network: dict[str, Any], **more: Any) -> Path:
    """A topology file of so many hosts in each cluster: a0 and a1 in A, and so on."""
    hosts = [
        {"name": f"{cluster.lower()}{number}", "cluster": cluster}
        for cluster, count in clusters.items()
        for number in range(count)
    ]
    file = folder / "sites.json"
    file.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "network": network, **more}))
    return file


def run(
    folder: Path, file: Path, *words: str, interrupt_after: float | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a job on a network; one that has not ended after so many seconds gets an interrupt. Its trace is `trace`."""
    command = [HOPSCOPE, "run", "--net", str(file), "--dir", "trace", *words]
    environment = {**local_mpi.without_hopscope(), **variables}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as job:
        try:
            said = job.communicate(timeout=interrupt_after or 240)
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGINT)
            said = job.communicate(timeout=60)
    return subprocess.CompletedProcess(command, job.returncode, *said)


QUIET_MOMENTS = 3


def in_a_quiet_moment(folder: Path, check: Callable[[Path], None]) -> None:
    """What a check finds in one of a few new folders: a busy machine hides how fast a network is, for a while."""
    for number in range(1, QUIET_MOMENTS + 1):
        place = folder / f"moment{number}"
        place.mkdir()
        try:
            check(place)
        except AssertionError:
            if number == QUIET_MOMENTS:
                raise
        else:
            return
