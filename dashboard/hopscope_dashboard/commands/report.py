"""`analyze report`: the pages of a trace as one file of HTML."""

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

    The file needs no server and no network, so you can mail it or keep it in CI. It has about 5 MB, mostly the code
    that draws the figures.

    \b
    Example:
      analyze report trace -o report.html
    """
    try:
        from hopscope_dashboard.report import document
    except ImportError as error:
        raise InputError(
            f"the report's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    opened = opening(trace, dataset)
    with shown() as progress:
        text = document(opened, program_version(), progress)
        with whole_file(output) as file:
            file.write(text.encode())
    say_what_is_missing(opened)
    say(f"wrote {output}; open it in a browser")


command.params.append(dataset_option())
