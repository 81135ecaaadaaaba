"""`analyze report`: writes a report of a trace or a machine file as one HTML file."""

from pathlib import Path

import click
from hopscope.cli.command import say_what_is_missing
from hopscope.cli.progress import dataset_option, opening, progress_bars
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.format.version import program_version


@click.command(name="report", short_help="Write the diagnosis, the timeline and tables into one HTML file.")
@click.argument("trace", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True,
    help="File to write.",
)  # fmt: skip
def command(trace: str, output: Path, dataset: Path | None) -> None:
    """Write one HTML file: the diagnosis and the timeline of a run, and below them tables that unfold.

    It has at most 2,000 words and needs no server, no network and no script, so you can mail it or keep it in CI. For a
    machine file of `hopscope probe`, it is the dashboard's page with its figures, about 5 MB.

    \b
    Examples:
      analyze report trace -o report.html
      analyze report machine.json -o machine.html
    """
    try:
        from hopscope_dashboard.report.document import document
    except ImportError as error:
        raise InputError(
            f"the report's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    if _is_machine_file(Path(trace)):
        if dataset is not None:
            raise InputError(f"--dataset goes with a trace, and {trace} is a machine file; leave it out")
        from hopscope_dashboard.data.trace import Machine  # imported late: it loads Dash
        from hopscope_dashboard.report.machine import machine_document

        _write(machine_document(Machine(Path(trace)), program_version()), output)
        return
    opened = opening(trace, dataset)
    with progress_bars() as progress:
        text = document(opened, program_version(), progress)
    say_what_is_missing(opened)
    _write(text, output)


def _is_machine_file(path: Path) -> bool:
    if not path.is_file():
        return False
    from hopscope.machine.parameters.probed import is_machine_file  # imported late: it loads scipy

    return is_machine_file(path)


def _write(text: str, output: Path) -> None:
    with whole_file(output) as file:
        file.write(text.encode())
    say(f"wrote {output}; open it in a browser")


command.params.append(dataset_option())
