"""`hopscope doctor`: can a run be traced on this machine, and what is missing?"""

import json
import os
import sys
from pathlib import Path

import click

import hopscope
from hopscope.cli.command import to_stdout
from hopscope.cli.saying import say
from hopscope.doctor import Finding, examine
from hopscope.doctor.installations import Installation
from hopscope.doctor.trial import RANKS, trial_finding
from hopscope.launch.job import assemble
from hopscope.render.examination import print_examination


def _trial(installation: Installation) -> Finding:
    say(f"hopscope: starting {RANKS} ranks under {installation.name}")
    return trial_finding(installation, _counts)


def _counts(directory: Path) -> tuple[int, int, str | None]:
    """The calls of MPI_Allreduce and the hops in a trace, and the reason if the library's messages were not
    recorded."""
    assemble(directory)
    native = json.loads((directory / "run.json").read_text()).get("native_messages") or {}
    trace = hopscope.open(directory)
    calls = trace.sql("select * from calls inner join collectives using (collective_id) where op = 'MPI_Allreduce'")
    return calls.num_rows, trace.table("hops").num_rows, native.get("off")


@click.command(name="doctor", short_help="Say whether a run can be traced here, and what is missing.")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for traces. Default: HOPSCOPE_DIR if it is set, else this folder.",
)
@click.option("--try", "is_trial", is_flag=True, help="Also trace a job of two ranks with each MPI library.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(*, directory: Path | None, is_trial: bool, form: str) -> int:
    """Say whether a run can be traced on this machine: its MPI libraries and their collectors, launchers, cores,
    /dev/shm, the folder for traces, permissions and packages. Each finding has a remedy.

    Without --try it starts no MPI job. Exit code 0: a run can be traced here; 1: it cannot.

    Example: hopscope doctor --try
    """
    folder = directory or Path(os.environ.get("HOPSCOPE_DIR") or ".")
    examination = examine(folder, _trial if is_trial else None)
    with to_stdout():
        if form == "json":
            click.echo(json.dumps(examination.document(), indent=1))
        else:
            print_examination(sys.stdout, examination)
    return 0 if examination.usable else 1
