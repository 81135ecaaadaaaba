"""`hopscope inspect`: shows where every rank of a job is, while the job runs or after it was killed."""

import json
import sys
from pathlib import Path

import click

from hopscope.cli.command import to_stdout
from hopscope.errors import InputError
from hopscope.launch.inspection import Inspection
from hopscope.launch.job import inspect
from hopscope.render.inspection import print_inspection


@click.command(name="inspect", short_help="Show where a job hangs: who has entered, who has not, who waits for whom.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(directory: Path, form: str) -> None:
    """Show for each open collective of a job who has entered it, who has not and where those ranks are instead,
    which message each rank waits for, and since when.

    It reads what the ranks have recorded, while the job runs or after it was killed, and does not disturb a running
    job. A job that ended normally has no open collectives.

    Example: hopscope inspect hopscope-app-1
    """
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory; name the trace directory of a job")
    inspection = Inspection(inspect(directory))
    with to_stdout():
        if form == "json":
            click.echo(json.dumps(inspection.document()))
        else:
            print_inspection(sys.stdout, inspection)
