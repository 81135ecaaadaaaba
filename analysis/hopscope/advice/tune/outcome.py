"""Writes the files that a tuning leaves besides its report: settings, and the command line that uses them. Puts the
result into a sentence."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hopscope.advice.tune.candidate import BASELINE, TREE, Candidate, started, with_choices, written
from hopscope.advice.tune.journal import Journal
from hopscope.files import whole_file
from hopscope.format.quantities import duration, interval, plural, share

COMMAND: Final = "command.txt"
ENVIRONMENT: Final = "env.sh"
PARAMETERS: Final = "mca-params.conf"
REPORT: Final = "report.html"


def write_outcome(journal: Journal) -> str:
    """Write the files that the result needs into the tuning's directory. Returns the new command line."""
    result = journal.result
    assert result is not None
    winner = next((candidate for candidate in journal.candidates if candidate.name == result["candidate"]), BASELINE)
    whole = with_choices(winner)
    options, variables = written(whole, journal.folder)
    if variables:
        lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
        _write(journal.folder / ENVIRONMENT, "".join(f"{line}\n" for line in lines))
    if parameters := _parameters(options):
        _write(journal.folder / PARAMETERS, "".join(f"{name} = {value}\n" for name, value in parameters))
    command = _command(journal, whole, options, variables)
    _write(journal.folder / COMMAND, f"{command}\n")
    return command


def sentence(journal: Journal) -> str:
    """The result in a sentence or two."""
    result, baseline = journal.result, journal.baseline
    assert result is not None
    if result["reason"] is not None:
        return f"Leave it as it is: {result['reason']}."
    low_high = interval(result["gain_low"], result["gain_high"], "share")
    gain = f"{share(result['gain'])} less time ({low_high}, {plural(result['pairs'], 'pair')} of runs)"
    if result["candidate"] is None:
        return f"Leave it as it is: {result['confirmed']} gave {gain}, which proves no gain of 1 % or more."
    if baseline["per"] == "metric":
        return f"Use {result['candidate']}: {gain}."
    times = f"{duration(baseline['iteration_ns'])} per {baseline['per']} became {duration(result['iteration_ns'])}"
    short = " This was measured with the shorter form of the program." if journal.request["short"] else ""
    return f"Use {result['candidate']}: {times}, {gain}.{short}"


def _command(journal: Journal, whole: Candidate, options: Sequence[str], variables: dict[str, str]) -> str:
    """The new command line, quoted for a shell."""
    request: dict[str, Any] = journal.request
    words = started(request["words"], options)
    if request["net"] or whole.tree:
        run = ["hopscope", "run", *(["--net", request["net"]] if request["net"] else [])]
        run += ["--tree", str((journal.folder / TREE).resolve())] if whole.tree else []
        words = [*run, "--", *words]
    settings = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    return " ".join([*settings, shlex.join(words)])


def _parameters(options: Sequence[str]) -> list[tuple[str, str]]:
    """Open MPI's parameters among a launcher's options."""
    return [(options[number + 1], options[number + 2]) for number, word in enumerate(options) if word == "--mca"]


def _write(place: Path, text: str) -> None:
    with whole_file(place) as file:
        file.write(text.encode())
