"""`analyze report`: the pages of a trace, or of a machine file, as one file of HTML."""

from pathlib import Path

import click
from hopscope.cli.command import say_what_is_missing
from hopscope.cli.progress import dataset_option, opening, shown
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.render.report import program_version
from hopscope.whole_file import whole_file


@click.command(name="report", short_help="Write findings and pictures into one HTML file.")
@click.argument("trace", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True,
    help="File to write.",
)  # fmt: skip
def command(trace: str, output: Path, dataset: Path | None) -> None:
    """Write one HTML file with the findings, pictures and numbers of the dashboard's pages.

    Of a machine file of `hopscope probe`, it has the dashboard's page of that. The file needs no server and no network,
    so you can mail it or keep it in CI. It has about 5 MB, mostly the code that draws the figures.

    \b
    Examples:
      analyze report trace -o report.html
      analyze report machine.json -o machine.html
    """
    try:
        from hopscope_dashboard.data import Machine
        from hopscope_dashboard.report import document, machine_document
    except ImportError as error:
        raise InputError(
            f"the report's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    from hopscope.parameters.probed import is_machine_file  # late: scipy

    if is_machine_file(Path(trace)):
        if dataset is not None:
            raise InputError(f"--dataset goes with a trace, and {trace} is a machine file; leave it out")
        _write(machine_document(Machine(Path(trace)), program_version()), output)
        return
    opened = opening(trace, dataset)
    with shown() as progress:
        text = document(opened, program_version(), progress)
    say_what_is_missing(opened)
    _write(text, output)


def _write(text: str, output: Path) -> None:
    with whole_file(output) as file:
        file.write(text.encode())
    say(f"wrote {output}; open it in a browser")


command.params.append(dataset_option())
