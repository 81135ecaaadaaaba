"""Rules of the house that no linter checks."""

import re
import subprocess
import sys
from pathlib import Path

import click
import document_analyses
import document_commands
import pytest
from hopscope.cli.main import hopscope

ROOT = Path(__file__).parents[2]
SOURCES = (".py", ".c", ".h", ".cpp", ".hpp", ".sql", ".js", ".css")


def files(*suffixes: str) -> list[Path]:
    """The repository's files with these suffixes; all of them if none is given."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listing.splitlines()]
    return [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]


def relative(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_no_source_file_is_longer_than_500_lines() -> None:
    assert relative([path for path in files(*SOURCES) if len(path.read_text().splitlines()) > 500]) == []


def test_every_module_says_what_it_is_for() -> None:
    opening = re.compile(r"(#!.*\n)?\s*(/\*|//|--|\"\"\")")
    sources = [path for path in files(".c", ".h", ".cpp", ".hpp", ".sql", ".py") if path.stat().st_size]
    silent = [path for path in sources if not opening.match(path.read_text())]
    # A source with its own header is described in the header.
    headers = {path.with_suffix("") for path in sources if path.suffix in (".h", ".hpp")}
    assert (
        relative([path for path in silent if path.suffix in (".h", ".py") or path.with_suffix("") not in headers]) == []
    )


def test_files_are_named_after_what_they_hold() -> None:
    vague = re.compile(r"(utils?|common|helpers?|misc)")
    assert relative([path for path in files() if vague.fullmatch(path.stem)]) == []


def test_no_file_names_a_place_of_one_machine() -> None:
    place = re.compile(r"/(work|root|home)/[a-z.]+/")
    texts = files(*SOURCES, ".md", ".toml", ".json", ".txt", ".in", ".cmake", "")
    allowed = {"/home/u/heat"}  # an example in a comment
    hits_by_file = {}
    for path in texts:
        if path.parts[len(ROOT.parts)] == "sample_traces" and "trace" in path.parts:
            continue
        hits = [hit.group() for hit in place.finditer(path.read_text(errors="replace"))]
        if hits and not all(any(hit in example for example in allowed) for hit in hits):
            hits_by_file[str(path.relative_to(ROOT))] = hits
    assert hits_by_file == {}


COMMANDS = {
    words.removeprefix("hopscope "): command
    for words, command in document_commands.commands(hopscope, "hopscope").items()
    if not isinstance(command, click.Group)
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_place_on_a_page(command: str) -> None:
    pages = document_commands.PAGE.read_text() + document_analyses.PAGE.read_text()
    assert re.search(rf"^## (hopscope )?({command}|{command.removeprefix('analyze ')})$", pages, re.MULTILINE)


def test_the_page_of_the_commands_is_up_to_date() -> None:
    # In another process, because click keeps the options of a command from the first request for them.
    subprocess.run([sys.executable, document_commands.__file__, "--check"], check=True)


def test_the_page_of_the_analyses_is_up_to_date() -> None:
    assert document_analyses.PAGE.read_text() == document_analyses.page()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = (COMMANDS[command].help or "") + (COMMANDS[command].epilog or "")
    assert re.search(r"[Ee]xample|(?m:^\s*(hopscope|analyze|mpirun) )", text), f"{command} shows no example"
