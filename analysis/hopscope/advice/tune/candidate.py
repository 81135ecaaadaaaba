"""A candidate: its changes to the command that starts a program, and its form in tuning.json."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from hopscope.mpi_libraries.offered import Offered
from hopscope.mpi_libraries.written import Choice, setting_file, variables

Kind = Literal["baseline", "algorithm", "parameter", "order", "binding", "tree", "combination"]
FOLDER: Final = "{folder}"
"""The placeholder, in a candidate's options and variables, for the directory of its files."""
RULES: Final = "rules.conf"
TREE: Final = "tree.json"
HOSTS: Final = "hosts.txt"


@dataclass(frozen=True)
class Candidate:
    """A change of a command: options after the launcher's name, environment variables, and files that they name.

    choices: algorithms of the MPI library, from which options, variables and files follow (`with_choices`).
    besides: names and values of further parameters. predicted_gain: the share of an iteration that the candidate saves
    in the replay; None where nothing was predicted. parts: the names of the candidates that a combination combines.
    """

    name: str
    kind: Kind
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    tree: bool = False
    choices: tuple[Choice, ...] = ()
    besides: tuple[tuple[str, str], ...] = ()
    predicted_gain: float | None = None
    parts: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """The candidate's row in tuning.json."""
        row = asdict(replace(self, choices=()))
        row["choices"] = [{**choice._asdict(), "algorithm": choice.algorithm._asdict()} for choice in self.choices]
        return row


BASELINE: Final = Candidate("baseline", "baseline")


def from_row(row: Mapping[str, Any]) -> Candidate:
    """The candidate of a row of tuning.json."""
    choices = tuple(_choice(dict(choice)) for choice in row["choices"])
    pairs = tuple((name, value) for name, value in row["besides"])
    names = {name: row[name] for name in ("name", "kind", "variables", "files", "tree", "predicted_gain")}
    return Candidate(**names, options=tuple(row["options"]), choices=choices, besides=pairs, parts=tuple(row["parts"]))


def _choice(row: dict[str, Any]) -> Choice:
    return Choice(Offered(**row.pop("algorithm")), **row)


def with_choices(candidate: Candidate) -> Candidate:
    """The candidate, with its choices as a rules file (Open MPI) or as variables (MPICH) that the library reads."""
    if not candidate.choices and not candidate.besides:
        return candidate
    if candidate.choices and (extra_variables := variables(candidate.choices, candidate.besides)):
        return replace(candidate, variables={**candidate.variables, **extra_variables})
    setting = setting_file(candidate.choices, f"{FOLDER}/{RULES}", candidate.besides)
    files = {**candidate.files, RULES: setting.text} if candidate.choices else candidate.files
    return replace(candidate, options=(*candidate.options, *shlex.split(setting.words)), files=files)


def combined(first: Candidate, second: Candidate) -> Candidate | None:
    """A candidate with the changes of both; None if they conflict. Pass candidates without the additions of
    `with_choices`."""
    same_collectives = any(
        _overlap(choice, second_choice) for choice in first.choices for second_choice in second.choices
    )
    same_parameter = _parameters(first) & _parameters(second)
    same_variable = set(first.variables) & set(second.variables)
    same_file = set(first.files) & set(second.files)
    settings = dict(first.besides)
    if any(settings.get(name, value) != value for name, value in second.besides):
        return None
    if _operations_of_tree(first) & _operations(second) or _operations(first) & _operations_of_tree(second):
        return None  # the engine runs these collectives, so the library's choice has no effect
    if same_collectives or same_parameter or same_variable or same_file or (first.tree and second.tree):
        return None
    gains = [part.predicted_gain for part in (first, second) if part.predicted_gain is not None]
    return Candidate(
        f"{first.name} + {second.name}",
        "combination",
        options=(*first.options, *second.options),
        variables={**first.variables, **second.variables},
        files={**first.files, **second.files},
        tree=first.tree or second.tree,
        choices=(*first.choices, *second.choices),
        besides=tuple(dict.fromkeys((*first.besides, *second.besides))),
        predicted_gain=sum(gains) if gains else None,
        parts=(first.name, second.name),
    )


def _overlap(choice: Choice, second: Choice) -> bool:
    """True if two choices apply to the same collectives. MPICH's apply to every number of ranks and every size."""
    if choice.algorithm.operation != second.algorithm.operation:
        return False
    if choice.algorithm.number is None:
        return True
    ends = [math.inf if part.to_bytes is None else part.to_bytes for part in (choice, second)]
    return choice.ranks == second.ranks and choice.from_bytes <= ends[1] and second.from_bytes <= ends[0]


def _operations(candidate: Candidate) -> set[str]:
    return {f"mpi_{choice.algorithm.operation}" for choice in candidate.choices}


def _operations_of_tree(candidate: Candidate) -> set[str]:
    rules = json.loads(candidate.files[TREE])["rules"] if candidate.tree else []
    return {operation.lower() for rule in rules for operation in rule["operations"]}


def _parameters(candidate: Candidate) -> set[str]:
    """The names of a candidate's options, and of the Open MPI parameters that it sets."""
    words = candidate.options
    names = {word for word in words if word.startswith("-") and word != "--mca"}
    return names | {words[number + 1] for number, word in enumerate(words) if word == "--mca"}


def written(candidate: Candidate, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Write a candidate's files into a folder; make the folder if needed. Returns the candidate's options and
    variables, with absolute paths of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in candidate.files.items():
        (folder / name).write_text(text)
    place = str(folder.resolve())
    options = [word.replace(FOLDER, place) for word in candidate.options]
    return options, {name: value.replace(FOLDER, place) for name, value in candidate.variables.items()}


def started(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """A launcher's command line with a candidate's options after the launcher's name."""
    return [words[0], *options, *words[1:]]
