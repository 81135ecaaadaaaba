"""Hosts of their own on one machine: network namespaces on one bridge, each with a name."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

AGENT = """#!/bin/sh
# Called by Open MPI's launcher as: agent HOST COMMAND...
host=$1
shift
exec ip netns exec "{prefix}$host" unshare --uts sh -c 'hostname "$0" && exec sh -c "$*"' "$host" "$@"
"""


class NoNamespacesError(Exception):
    """This machine, or this user, cannot make them; the reason."""


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoNamespacesError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Hosts:
    """Namespaces, called NAME inside and prefix + NAME outside."""

    def __init__(self, names: list[str], folder: Path) -> None:
        self.names = names
        self.prefix = f"hs{os.getpid() % 10000}"
        self.bridge = f"{self.prefix}br"
        self.agent = folder / "agent"

    def open(self) -> None:
        _ip("netns", "add", self.bridge)
        _ip("-n", self.bridge, "link", "add", "name", "bridge0", "type", "bridge")
        _ip("-n", self.bridge, "link", "set", "bridge0", "up")
        for number, name in enumerate(self.names, start=1):
            space = self.prefix + name
            _ip("netns", "add", space)
            _ip("-n", self.bridge, "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("-n", self.bridge, "link", "set", name, "master", "bridge0", "up")
            _ip("-n", space, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "lo", "up")
            _ip("-n", space, "link", "set", "eth0", "up")
        self.agent.write_text(AGENT.format(prefix=self.prefix))
        self.agent.chmod(0o755)

    def close(self) -> None:
        for space in [self.bridge, *(self.prefix + name for name in self.names)]:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)

    def launch(self, launcher: str, each: int) -> list[str]:
        """Open MPI 4's launcher on the first host, with so many ranks on each host."""
        first = self.names[0]
        enter = ["ip", "netns", "exec", self.prefix + first, "unshare", "--uts", "sh", "-c"]
        mca = {
            "plm_rsh_agent": str(self.agent),
            "pml": "ob1",
            "btl": "vader,tcp,self",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "btl_vader_single_copy_mechanism": "none",
        }
        return [
            *enter,
            f'hostname {first} && exec "$0" "$@"',
            launcher,
            "--allow-run-as-root",
            "--oversubscribe",
            *(word for name, value in mca.items() for word in ("--mca", name, value)),
            "--host",
            ",".join(f"{name}:{each}" for name in self.names),
            "-n",
            str(each * len(self.names)),
        ]


@contextmanager
def hosts(names: list[str], folder: Path) -> Iterator[Hosts]:
    """Hosts while the block runs. Raises NoNamespacesError with the reason where there can be none."""
    made = Hosts(names, folder)
    try:
        made.open()
        yield made
    finally:
        made.close()
