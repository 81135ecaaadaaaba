"""The closed vocabularies of the tables: each word with its meaning, in the order of schemas/words.h."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.native import _paths

Vocabulary = Mapping[str, str]

CATEGORIES: Vocabulary = _paths.WORDS["category"]
"""The categories of time on a critical path, such as computing."""
ANSWERED_CATEGORIES: Vocabulary = {**CATEGORIES, **_paths.WORDS["once"]}
"""The categories of time in answers, which also have start-up and shutdown."""
ONE_TIME_CATEGORIES: Mapping[str, str] = {"startup": "start-up", "shutdown": "shutdown"}
"""The words for start-up and shutdown in texts."""
UNKNOWN_PLACE = "unknown"
"""The word for a call site that was not recorded."""
BINDINGS: Vocabulary = _paths.WORDS["binding"]
"""Words for the rank that waited for a message: its receiver, its sender or neither; or undecided."""
ROLES: Vocabulary = _paths.WORDS["role"]
"""The roles of a hop in its algorithm, such as towards the root."""
INTERVAL_KINDS: Vocabulary = _paths.WORDS["interval_kind"]
"""The kinds of the table `intervals`, such as waits."""
_NEXT_PROGRAM = " : "
"""Separates the commands of a job with several programs."""


def for_trace(text: str, path: str) -> str:
    """A text with the path of a trace in place of the word TRACE, so that its commands can be pasted."""
    return re.sub(r"\bTRACE\b", lambda _: shlex.quote(path), text)


def short_command(command: str | None) -> str:
    """A command line without the folders of its programs; empty if no command is known."""
    words = (text.partition(" ") for text in (command or "").split(_NEXT_PROGRAM))
    return _NEXT_PROGRAM.join(f"{program.rpartition('/')[2]} {arguments}".strip() for program, _, arguments in words)


def tune_command(run: Mapping[str, Any], *options: str) -> str:
    """The command that measures candidates for a recorded run, with the run's own command line as far as it is known.
    run: its row of the table `run`."""
    words = shlex.join(["hopscope", "tune", *options])
    command = run.get("command")
    is_one_program = command and run.get("ranks") and _NEXT_PROGRAM not in command
    return f"{words} -- mpirun -n {run['ranks']} {command}" if is_one_program else words


def actions_for(rows: Sequence[Mapping[str, Any]], path: str) -> list[dict[str, Any]]:
    """The rows of a diagnosis, with the path of the trace in the commands of their actions. A row without an action
    gets an empty text."""
    return [{**row, "action": for_trace(row["action"] or "", path)} for row in rows]
