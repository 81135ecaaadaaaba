"""Starts and ends a network, and runs commands on its hosts."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.format.json_text import read_json
from hopscope.launch.network import plan
from hopscope.launch.network.spec import NetworkSpec
from hopscope.native import _plan

_PROGRAMS = ("ip", "bridge", "tc")
_PATIENCE_SECONDS = 10
_MESSAGES = "said"
"""File for hopscope-net's messages on stderr, because a network that stays must not keep a terminal open."""


def program() -> Path:
    """The installed hopscope-net."""
    return Path(_plan.__file__).parents[1] / "launch" / "network" / "hopscope-net"


@dataclass(frozen=True)
class Carried:
    """Traffic in one direction between two clusters since the last query."""

    source: str
    destination: str
    packets: int
    bytes: int
    dropped: int
    late_p50_ns: int
    late_p99_ns: int
    """The median and 99th percentile of the time by which packets were forwarded too late."""


@dataclass(frozen=True)
class Network:
    """A network that is up. folder: the files by which hopscope-net finds the network's hosts."""

    spec: NetworkSpec
    folder: Path
    process: int
    """The process outside the network that keeps it."""

    def on_host(self, host: str) -> list[str]:
        """The words before a command that run it on a host."""
        return [str(program()), "enter", str(self.folder), host]

    @property
    def agent(self) -> Path:
        """A program that starts commands on hosts for a launcher, called as ssh would be."""
        return self.folder / "agent"

    def carried(self) -> list[Carried]:
        """Traffic between clusters since the last query, by direction. Raises InputError if the relays are gone."""
        pairs = plan.cluster_pairs(self.spec)
        files = [self.folder / plan.counts_file(number) for number in range(len(pairs))]
        for file in files:
            file.unlink(missing_ok=True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGUSR1)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not all(file.is_file() for file in files):
            if time.monotonic() > deadline or not Path(f"/proc/{self.process}/ns/pid").exists():
                raise InputError(f"the network ended before its job{_reason(self.folder)}")
            time.sleep(0.01)
        rows: list[Carried] = []
        for (first, second), file in zip(pairs, files, strict=True):
            for ends, line in zip(((first, second), (second, first)), file.read_text().splitlines(), strict=True):
                rows.append(Carried(*ends, *(int(word) for word in line.split())))
        return rows


def add_facts(directory: Path, network: Network, carried: list[Carried]) -> None:
    """Adds the traffic of the links to run.json of a trace (`network` in schemas/run.schema.json)."""
    rows: list[dict[str, Any]] = []
    for row in carried:
        link = network.spec.links[row.source, row.destination]
        numbers = {key: value for key, value in asdict(row).items() if key not in ("source", "destination")}
        setting = {"latency_ns": min(link.latencies_ns), "bytes_per_second": min(link.bytes_per_second) or None}
        rows.append({"from": row.source, "to": row.destination, **setting, **numbers})
    file = directory / "run.json"
    facts = cast("dict[str, Any]", read_json(file.read_text(encoding="utf-8")))
    facts["network"] = rows
    with whole_file(file) as written:
        written.write(json.dumps(facts, indent=1).encode() + b"\n")


def start(spec: NetworkSpec, folder: Path, *, stay: bool) -> subprocess.Popen[str]:
    """Makes a network with its files in a folder. Returns the process that keeps the network. The network ends when the
    standard input of that process is closed; with `stay`, it ends only by a signal.

    Raises InputError with hopscope-net's own message if the network cannot be made.
    """
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        raise InputError(f"a network of hosts needs the programs {', '.join(missing)}; install iproute2")
    if not program().is_file():
        raise InputError(f"{program()} is missing; reinstall hopscope")
    (folder / plan.HOSTS_FILE).write_text(plan.hosts_text(spec), encoding="utf-8")
    agent = folder / "agent"
    agent.write_text(f'#!/bin/sh\nexec {shlex.join([str(program()), "agent", str(folder)])} "$@"\n', encoding="utf-8")
    agent.chmod(0o755)
    words = [str(program()), "hold", str(folder), *(["stay"] if stay else [])]
    with (folder / _MESSAGES).open("w") as messages:
        # The process has its own session, so that an interrupt from the terminal ends the job before the network.
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, text=True, start_new_session=True
        )
    assert process.stdin and process.stdout
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(plan.plan(spec))
        process.stdin.flush()
    if process.stdout.readline() != "up\n":
        end(process)
        raise InputError(f"the network could not be made{_reason(folder)}")
    return process


def end(process: subprocess.Popen[str]) -> None:
    """Ends a network that does not stay, and waits for its end."""
    assert process.stdin and process.stdout
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.wait()
    process.stdout.close()


def _reason(folder: Path) -> str:
    """The reason why a network ended, after a colon; empty if hopscope-net gave none."""
    with contextlib.suppress(OSError):
        messages = (folder / _MESSAGES).read_text().splitlines()
        return f": {messages[0].removeprefix('hopscope: ')}" if messages else ""
    return ""


@contextlib.contextmanager
def made_network(spec: NetworkSpec) -> Generator[Network]:
    """Context with a network that ends with the block. It also ends with this process, however that ends."""
    # A launcher splits its agent's path at spaces.
    place = "/tmp" if " " in tempfile.gettempdir() else None
    folder = Path(tempfile.mkdtemp(prefix="hopscope-net-", dir=place))
    try:
        process = start(spec, folder, stay=False)
        try:
            yield Network(spec, folder, process.pid)
        finally:
            end(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
