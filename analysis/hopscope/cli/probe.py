"""`hopscope probe`: measure a machine's links, and find its hosts and clusters."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from hopscope.cli.meant import check_first_word
from hopscope.cli.measuring import measuring
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.files import check_room, whole_file
from hopscope.format.quantities import duration, number, share
from hopscope.launch.network import network_for, on_hosts, read_network
from hopscope.launch.probing import with_probe

NS = 1e9
CERTAIN = 0.95
"""The latencies are doubtful if less than this share of the resamples agrees."""


@click.command(
    name="probe",
    short_help="Measure a machine's links, and find its hosts and clusters.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The machine file to write. Default: machine.json, which must not exist.",
)
@click.option(
    "--topology-out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The topology file to write. Default: topology.json beside the machine file, which must not exist.",
)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=120, show_default=True, help="Time limit for measuring."
)
@click.option(
    "--net",
    metavar="FILE",
    help="Measure on an emulated network: a topology file with `network`. Made for this unless it is up. Needs root.",
)
@click.option(
    "--mpi",
    metavar="NAME",
    help="MPI library: openmpi, mpich or abi, or a release such as openmpi-5. Default: the launcher's.",
)
@click.argument("words", nargs=-1, required=True, metavar="-- LAUNCHER ...", type=click.UNPROCESSED)
def command(
    *,
    output: Path | None,
    topology_out: Path | None,
    seconds: float,
    net: str | None,
    mpi: str | None,
    words: tuple[str, ...],
) -> None:
    """Measure what messages cost between the ranks of a job, and find its hosts and clusters.

    Give the launcher with its options, and no program: the probe brings its own. It writes a machine file, for
    `analyze model`, and a topology file, for `hopscope run --topology`. What matters most is measured first. If time
    runs out, the machine file says `not measured` for the rest. Ctrl-C ends the probe and writes nothing.

    Example: hopscope probe -o machine.json -- mpirun -n 8 --host a:4,b:4
    """
    check_first_word(words)
    machine_file = _place(output, Path("machine.json"), "-o")
    topology_file = _place(topology_out, machine_file.with_name("topology.json"), "--topology-out")
    if machine_file.resolve() == topology_file.resolve():
        raise InputError(f"-o and --topology-out both name {machine_file}; give them different files")
    if not math.isfinite(seconds):
        raise InputError(f"--seconds must be a number from 1 on, not {seconds}")
    for file in (machine_file, topology_file):
        check_room(file)
    job = with_probe(words, mpi)
    origin = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "command": list(words), "seconds": seconds}
    if net is None:
        contents = _measure(job, {}, seconds, origin, mpi)
    else:
        with network_for(read_network(Path(net))) as network:
            contents = _measure(*on_hosts(job, network), seconds, origin | {"network": net}, mpi)
    machine, topology = contents
    for file, content in ((machine_file, machine), (topology_file, topology)):
        with whole_file(file) as written:
            written.write(json.dumps(content, indent=1).encode() + b"\n")
    for doubt in _doubts(machine):
        say(f"hopscope: {doubt}")
    say(
        f"hopscope: {_clusters_text(machine)}; wrote {machine_file} and {topology_file}; "
        f"next: analyze model {machine_file}"
    )


def _place(file: Path | None, default: Path, option: str) -> Path:
    if file is None and default.exists():
        raise InputError(f"{default} already exists; name the file to write with {option}")
    return default if file is None else file


def _measure(
    words: Sequence[str], variables: Mapping[str, str], seconds: float, origin: dict[str, Any], mpi: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The contents of the machine file and of the topology file."""
    from hopscope.machine.probe import Budget, Prober, machine_content, topology_content  # imports scipy
    from hopscope.machine.probe.session import running

    with running(words, variables) as job:
        if len(job.hosts) < 2:
            raise InputError(
                "a probe needs at least two ranks; give the launcher their number, such as `mpirun -n 4`"
                + (f"; if you did, --mpi {mpi} is not the launcher's library" if mpi else "")
            )
        hosts = len(set(job.hosts))
        host_count = f"{hosts} hosts" if hosts > 1 else "one host"
        say(f"hopscope: {len(job.hosts)} ranks of {host_count} are up; measuring for {duration(NS * seconds)}")
        budget = Budget(seconds)

        def text(stage: str) -> str:
            return f"{number(round(budget.spent))} of {duration(NS * budget.seconds)}: {stage}"

        with measuring(text) as progress:
            measured = Prober(job, budget, progress).run()
        origin |= {"library": job.library, "ranks": len(job.hosts)}
    return machine_content(measured, origin), topology_content(measured.places)


def _clusters_text(machine: dict[str, Any]) -> str:
    """The number of hosts and clusters in words, and how certain the clusters are."""
    clusters = sorted({host["cluster"] for host in machine["hosts"]})
    certainty = machine["levels"]["cluster"]["certainty"]
    hosts = f"{len(machine['hosts'])} hosts" if len(machine["hosts"]) > 1 else "one host"
    number = f"{len(clusters)} clusters" if len(clusters) > 1 else "one cluster"
    return f"{hosts} in {number}" + (f" (certainty {share(certainty)})" if certainty is not None else "")


def _doubts(machine: dict[str, Any]) -> list[str]:
    """Reasons to doubt the latencies, in sentences."""
    level = machine["levels"]["host"]
    if level["certainty"] is None or level["certainty"] >= CERTAIN:
        return []
    return [
        "messages inside hosts were not surely faster than those between hosts (certainty "
        f"{share(level['certainty'])}): the machine was busy, or ranks share cores; probe again while nothing else runs"
    ]
