"""`hopscope doctor`: can a run be traced on this machine, and what is missing?"""

import json
import os
import sys
from pathlib import Path

import click

from hopscope.cli.command import to_stdout
from hopscope.cli.saying import say
from hopscope.doctor import Finding, examine
from hopscope.doctor.installations import Installation
from hopscope.doctor.trial import RANKS, trial_finding
from hopscope.render.examination import print_examination


def _trial(installation: Installation) -> Finding:
    say(f"hopscope: starting {RANKS} ranks under {installation.name}")
    return trial_finding(installation)


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
