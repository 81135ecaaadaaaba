"""One entry of a history: the figures of a commit, a few hundred bytes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from hopscope.errors import InputError
from hopscope.explain.diagnosis.entry import CONDITIONS
from hopscope.format.version import program_version
from hopscope.query import catalog

if TYPE_CHECKING:
    from hopscope.query.opened import OpenedTrace

SCHEMA_VERSION: Final = 1
_VARIABLES: Final = ("GITHUB_SHA", "CI_COMMIT_SHA")
"""The environment variables in which CI systems name the commit."""
_DIGITS: Final = 16
_FACTS: Final = ("command", "ranks", "hosts", "clusters", "mpi_library", "emulated")
"""Facts of a run. If two runs differ in one of them, their times cannot be compared."""


@dataclass(frozen=True)
class Entry:
    """A commit's figures. The schema describes `diagnosis`, `iteration` and `machine`.

    structure: a digest of the properties that `compare --by structure` compares, without call sites.
    """

    commit: str
    date: str
    outcome: str
    diagnosis: Mapping[str, Any]
    iteration: Mapping[str, Any]
    efficiency: float | None
    structure: str
    machine: Mapping[str, Any]

    def text(self) -> str:
        """The entry as JSON."""
        versions = {"schema_version": SCHEMA_VERSION, "hopscope_version": program_version()}
        return json.dumps({**versions, **asdict(self)}, indent=2, ensure_ascii=False) + "\n"


def commit_id(option: str | None) -> str:
    """The commit of a run: the option's value, the one that the CI system names, or the one checked out here. Raises
    InputError if none is known."""
    commit = option or next(filter(None, (os.environ.get(name) for name in _VARIABLES)), None) or _checked_out()
    if commit is None:
        raise InputError("the commit is not known: this is no git checkout; name it with --commit ID")
    if not commit.replace("-", "").replace(".", "").isalnum():
        raise InputError(f"--commit {commit!r} is no commit; give letters, digits, points and hyphens")
    return commit


def _checked_out() -> str | None:
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def entry_of(runs: Sequence[OpenedTrace], commit: str, outcome: str) -> Entry:
    """The entry of a commit from its runs. The gates were evaluated on the first run."""
    first = runs[0]
    facts = first.run_facts
    timestamp = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Entry(
        commit=commit,
        date=str(facts.get("started_at") or timestamp),
        outcome=outcome,
        diagnosis=_diagnosis(first),
        iteration=_iteration(runs),
        efficiency=_efficiency(first),
        structure=structure_of(first),
        machine={name: facts.get(name) for name in _FACTS},
    )


def _diagnosis(trace: OpenedTrace) -> dict[str, Any]:
    row = next(row for row in trace.run("diagnose").to_pylist() if row["kind"] not in CONDITIONS)
    return {name: row[name] for name in ("severity", "kind", "cost_share")}


def _iteration(runs: Sequence[OpenedTrace]) -> dict[str, Any]:
    from hopscope.explain.compare_activities import time_of_runs  # imports scipy

    query = catalog.load().command("compare").default.sql
    return time_of_runs([run.sql(query) for run in runs])


def _efficiency(trace: OpenedTrace) -> float | None:
    rows = {row["factor"]: row["efficiency"] for row in trace.run("efficiency").to_pylist()}
    return rows.get("parallel efficiency")


def structure_of(trace: OpenedTrace) -> str:
    """A digest of a run's structure: the properties that `compare --by structure` compares, without call sites."""
    rows = trace.run("compare", by="structure", base=trace).to_pylist()
    lines = sorted("\t".join(str(row[name]) for name in ("operation", "comm", "property", "new")) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_DIGITS]
