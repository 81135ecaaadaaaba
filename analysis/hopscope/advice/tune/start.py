"""Starts the two actions of `hopscope tune`: tune a program, or verify a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hopscope.advice.tune.bench import Bench
from hopscope.advice.tune.budget import Budget
from hopscope.advice.tune.job import Job
from hopscope.advice.tune.journal import Journal, read
from hopscope.advice.tune.outcome import REPORT, sentence, write_outcome
from hopscope.advice.tune.page import page
from hopscope.advice.tune.session import tune
from hopscope.advice.tune.verify import Verified, verify
from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.query.opened import Open

Say = Callable[[str], None]


def tuned(
    folder: Path, words: Sequence[str], request: dict[str, Any], open_trace: Open, say: Say, *, resume: bool
) -> str:
    """Tune a program, or resume a tuning, and write the directory. Returns the result for the terminal. open_trace:
    `hopscope.open`. Raises InputError."""
    if resume:
        journal = read(folder)
        if words and list(words) != journal.request["words"]:
            raise InputError(f"{folder} is a tuning of another command; --resume needs none after --")
    else:
        journal = Journal(_new_folder(folder), request)
    if journal.result is None:
        tune(_bench(journal, open_trace), lambda text: say(f"hopscope tune: {text}"))
    command = write_outcome(journal)
    with whole_file(folder / REPORT) as file:
        file.write(page(journal, command, open_trace).encode())
    say(f"hopscope tune: the report is in {folder / REPORT}")
    return f"{sentence(journal)}\n{command}"


def verified(folder: Path, open_trace: Open, say: Say) -> Verified:
    """Measure a result again. Raises InputError where there is none, or where ranks, hosts or library have changed."""
    journal = read(folder)
    return verify(_bench(journal, open_trace), lambda text: say(f"hopscope tune: {text}"))


def network_of(folder: Path) -> str | None:
    """The topology file of the network on which a directory's tuning ran; None without one."""
    return read(folder).request["net"]


def job_of(journal: Journal, open_trace: Open) -> Job:
    """The common settings of all runs of a tuning."""
    request = journal.request
    net = None if request["net"] is None else Path(request["net"])
    words = tuple(request["short"] or request["words"])
    names = ("check", "metric", "maximize", "iterations")
    return Job(words, open_trace, net, **{name: request[name] for name in names})


def _bench(journal: Journal, open_trace: Open) -> Bench:
    return Bench(job_of(journal, open_trace), journal, Budget(journal.request["budget_s"], journal.request["runs"]))


def _new_folder(path: Path) -> Path:
    """A new or empty directory. Raises InputError if it is not empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} already exists and is not empty; name another directory, or go on with --resume")
    path.mkdir(parents=True, exist_ok=True)
    return path
