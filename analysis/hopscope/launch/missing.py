"""Measures in a job of its own what the candidates for a run lean on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hopscope.errors import InputError
from hopscope.launch.network import network_for, on_hosts, read_network
from hopscope.launch.probing import with_probe
from hopscope.launch.same_hosts import same_hosts
from hopscope.probe.between import measure_between
from hopscope.probe.session import Job, running


def measured_missing(
    words: Sequence[str],
    run: tuple[Path, Mapping[str, Any]],
    missing: Sequence[Mapping[str, Any]],
    progress: Callable[[str], None] = lambda what: None,
) -> Mapping[str, Any]:
    """What `measure_between` gives for these, which `remap.judging.missing.missing_of` named.

    words: the launcher with its options. run: the trace's directory and the row of its table `run`. If the run was on a
    network of `hopscope run --net`, so is the job. Raises InputError if it cannot start or has another number of ranks.
    """
    ranks = run[1]["ranks"]
    with _job(words, *run) as job:
        if len(job.hosts) != ranks:
            raise InputError(
                f"the job of --probe-missing has {len(job.hosts)} ranks and the run had {ranks}; give the launcher's "
                "words of the run, without the program"
            )
        return measure_between(job, missing, progress)


@contextmanager
def _job(words: Sequence[str], path: Path, facts: Mapping[str, Any]) -> Generator[Job]:
    job = with_probe(words)
    match same_hosts(path, facts.get("topology_file")):
        case ["--net", file]:
            with network_for(read_network(Path(file))) as network, running(*on_hosts(job, network)) as started:
                yield started
        case _:
            with running(job, {}) as started:
                yield started
