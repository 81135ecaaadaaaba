"""`hopscope sweep`: measure every algorithm of the MPI library on a machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.meant import check_first_word
from hopscope.cli.saying import say
from hopscope.errors import INTERRUPTED, InputError
from hopscope.files import check_room
from hopscope.format.quantities import duration, plural
from hopscope.launch.network import network_for, on_hosts, read_network
from hopscope.launch.probing import collector_of, with_probe

if TYPE_CHECKING:
    from hopscope.advice.sweep.measured import Sweep
    from hopscope.launch.network import Network


@click.command(
    name="sweep",
    short_help="Measure every algorithm of the MPI library on a machine.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("machine-rules.json"),
    show_default=True,
    help="The file to write. With --resume, an existing file is continued.",
)
@click.option("--budget", default="10m", show_default=True, help="Total time, such as 90s, 10m or 1h.")
@click.option("--operations", metavar="NAMES", help="Operations, separated by commas. Default: all that sweep knows.")
@click.option("--most-bytes", type=click.IntRange(min=1), default=1 << 20, show_default=True, help="Largest message.")
@click.option("--engine", is_flag=True, help="Also measure the algorithms of Hopscope's engine.")
@click.option(
    "--net", metavar="FILE", help="Measure on an emulated network, made for this unless it is up. Needs root."
)
@click.option("--mpi", metavar="NAME", help="MPI library, such as openmpi-5. Default: the launcher's.")
@click.option("--resume", is_flag=True, help="Continue the sweep in --output.")
@click.option(
    "--refine",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Measure points of this file again, where a model's choice costs more than 5 % or repeats differ by over 5 %.",
)
@click.argument("words", nargs=-1, required=True, metavar="-- LAUNCHER ...", type=click.UNPROCESSED)
def command(*, words: tuple[str, ...], output: Path, resume: bool, refine: Path | None, **options: Any) -> None:
    """Measure every algorithm that the MPI library has, over operations, message sizes and numbers of ranks.

    Give the launcher with its options, and no program. The file has the time of each algorithm, and the costs of
    messages, from which models predict these times. `analyze decide FILE` shows the best algorithm of each point beside
    each model's choice, and writes rules for the library. Ctrl-C keeps what was measured.

    Example: hopscope sweep -o machine-rules.json -- mpirun -n 8 --host a:4,b:4
    """
    from hopscope.advice.tune.budget import seconds_of

    check_first_word(words)
    deadline = time.monotonic() + seconds_of(options["budget"])
    output = refine or output
    if output.exists() and not (resume or refine):
        raise InputError(f"{output} already exists; continue it with --resume, or name another file")
    check_room(output)
    net: str | None = options["net"]
    with nullcontext() if net is None else network_for(read_network(Path(net))) as network:
        try:
            sweep = _measure(words, output, deadline, {**options, "refine": refine is not None}, network)
        except KeyboardInterrupt:
            say(f"hopscope: interrupted; {output} has what was measured; go on with --resume")
            sys.exit(INTERRUPTED)
    end = "" if refine or sweep.made["complete"] else "; the budget ended first, go on with --resume"
    say(f"hopscope: measured {plural(len(sweep.points), 'point')}{end}; next: analyze decide {output}")


def _measure(
    words: Sequence[str], output: Path, deadline: float, options: dict[str, Any], network: Network | None
) -> Sweep:
    from hopscope.advice.sweep.decision import disputed
    from hopscope.advice.sweep.engine import engine_methods
    from hopscope.advice.sweep.grid import OPERATIONS, points
    from hopscope.advice.sweep.layout import layout_of
    from hopscope.advice.sweep.measured import Sweep, read
    from hopscope.advice.sweep.measuring import PROBED_SHARE, Request, measure, parameters, refine
    from hopscope.advice.sweep.methods import methods_of
    from hopscope.machine.probe.session import running
    from hopscope.mpi_libraries.installed import flavour_of, installed

    begin = time.monotonic()
    previous_sweep = read(output) if output.exists() else None
    timestamp = datetime.now(UTC).isoformat(timespec="seconds")
    machine = None if previous_sweep is None else previous_sweep.machine
    job = with_probe(words, options["mpi"])

    def start(command: Sequence[str], variables: Mapping[str, str]) -> tuple[Sequence[str], Mapping[str, str]]:
        if network is None:
            return command, variables
        placed, host_variables = on_hosts(command, network)
        return placed, {**host_variables, **variables}

    with running(*start(job, {})) as probe:
        hosts, name = list(probe.hosts), probe.library
        flavour = flavour_of(name)
        if flavour is None:
            raise InputError(f"the algorithms of {name} are not known; sweep knows Open MPI, MPICH and Intel MPI")
        library = installed(flavour, name, words[0])
        if machine is None and len(hosts) > 1:
            seconds = PROBED_SHARE * (deadline - begin)
            say(f"hopscope sweep: measuring what messages cost, for at most {duration(1e9 * seconds)}")
            machine = parameters(probe, seconds, {"at": timestamp, "command": list(words)}, options["most_bytes"])
    operations = _operations(options["operations"], OPERATIONS)
    origin = {
        "at": timestamp,
        "command": list(words),
        "library": name,
        "flavour": flavour,
        "hosts": hosts,
        "net": options["net"],
        "besides": [[operation, *pair] for operation, pair in library.extra_settings.items()],
        "spent_s": 0.0,
        "complete": False,
    }
    layout = layout_of(hosts, machine)
    sweep = Sweep(
        origin,
        {
            operation: [
                *methods_of(library, operation),
                *(engine_methods(operation, layout) if options["engine"] else ()),
            ]
            for operation in operations
        },
    )
    if previous_sweep is not None:
        sweep = previous_sweep
        if sweep.made["library"] != name or sweep.made["hosts"] != hosts:
            raise InputError(f"{output} was measured with another MPI library or on other hosts; name another file")
    sweep.machine = machine
    spent = sweep.made["spent_s"]

    def keep() -> None:
        sweep.made["spent_s"] = round(spent + time.monotonic() - begin, 1)
        sweep.write(output)

    grid = points([*sweep.methods], len(hosts), options["most_bytes"])
    request = Request(
        library,
        job,
        collector_of(job),
        output.absolute().parent,
        start,
        deadline,
        lambda text: say(f"hopscope sweep: {text}"),
        keep,
    )
    try:
        if options["refine"]:
            refine(sweep, disputed(sweep), request)
        else:
            sweep.made["complete"] = measure(sweep, grid, request)
    finally:
        keep()
    return sweep


def _operations(text: str | None, operations: Sequence[str]) -> list[str]:
    names = list(operations) if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in operations:
            raise InputError(f"--operations {name} is not known; choose from {', '.join(operations)}")
    return names
