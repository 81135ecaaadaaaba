"""Compares the rules of `hopscope sweep` with every algorithm, in an unchanged program, at random points (operation,
number of ranks, size) off the sweep's grid.

python benchmarks/run.py sweep

8 ranks run on four hosts in two sites 5 ms apart. The sweep and each point's figures stay in build/sweeping/, so that
the benchmark can go on after Ctrl-C.
"""

from __future__ import annotations

import json
import math
import random
import shlex
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hopscope.advice.sweep.decision import decisions, rules_of
from hopscope.advice.sweep.measured import Sweep, read
from hopscope.advice.tune.candidate import Candidate, with_choices, written
from hopscope.launch.network import read_network
from hopscope.launch.network.kept import staying
from hopscope.mpi_libraries.written import Choice
from measure import BIN, PROGRAMS, ROOT, figures, interleaved, local_mpi
from rich.console import Console

FOLDER: Final = ROOT / "build" / "sweeping"
HOSTS: Final = {"a0": "A", "a1": "A", "b0": "B", "b1": "B"}
LATENCY_NS: Final = 5_000_000
RANKS: Final = 8
POINTS: Final = 30
MOST_BYTES: Final = 1 << 20
ITERATIONS: Final = 21
FINALISTS: Final = 2
REPEATS: Final = 3
PUBLISHED_PENALTY: Final = "over 300 %"
"""The largest published excess over the best time, for choices by the model that ignores the number of destinations."""
Words = Mapping[str, Sequence[str]]
Row = tuple[str, ...]
COLUMNS: Final = ("point", "library's own", "by the rules", "best", "own over best", "rules over best")
console = Console(highlight=False, soft_wrap=True)


def measure(_folder: Path) -> list[Row]:
    """The rows for the report."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    topology = FOLDER / "sites.json"
    hosts = [{"name": name, "cluster": cluster} for name, cluster in HOSTS.items()]
    wan = {"links": {"wan": {"latency_ns": LATENCY_NS}}}
    topology.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": "block", "network": wan}))
    local_mpi.share_cores()
    with staying(read_network(topology)):
        sweep = _swept(topology)
        outcomes: list[dict[str, float | str]] = []
        with suppress(KeyboardInterrupt):
            outcomes += (_outcome(sweep, topology, number) for number in range(POINTS))
    return [*map(_row, outcomes), *_summary(sweep, outcomes)]


def _swept(topology: Path) -> Sweep:
    """The sweep. It is made or finished first, if necessary."""
    file = FOLDER / "machine-rules.json"
    if not file.is_file() or not read(file).made["complete"]:
        words = [str(BIN / "hopscope"), "sweep", "-o", str(file), "--net", str(topology), "--budget", "10m"]
        words += ["--resume", "--", *local_mpi.find()[0].launch(RANKS)]
        subprocess.run(words, check=True)
    return read(file)


def _outcome(sweep: Sweep, topology: Path, number: int) -> dict[str, float | str]:
    """The times of a random point. They are measured if no file has them."""
    file = FOLDER / f"point-{number}.json"
    if file.is_file():
        return json.loads(file.read_text())
    chance = random.Random(number)
    operation = chance.choice([*sweep.methods])
    ranks, size = chance.randint(2, RANKS), 4 * round(math.exp(chance.uniform(0, math.log(MOST_BYTES / 4))))
    size = 0 if operation == "barrier" else size
    ways = _ways(sweep, operation, ranks)

    def time_ns(way: str) -> float:
        """The time of a call; infinite for an algorithm that does not run on this number of ranks."""
        words = [str(ITERATIONS), "0", operation, str(size)]
        options = [*ways[way]]
        try:
            run = figures(
                PROGRAMS / "mix.c", ranks, words, trace=FOLDER / "trace", network=topology, launcher_options=options
            )
        except RuntimeError:
            return math.inf
        return run[0]["ns"]

    first = {way: time_ns(way) for way in ways if way not in ("own", "rules")}
    finalists = sorted(first, key=lambda way: first[way])[:FINALISTS]
    names = ("own", "rules", *finalists)
    finals = interleaved(REPEATS, {way: (lambda way=way: time_ns(way)) for way in names})
    best = min(finalists, key=lambda way: finals[way])
    words = f"{operation} of {size} B on {ranks} ranks" if size else f"{operation} on {ranks} ranks"
    outcome = {"point": words, "own": finals["own"], "rules": finals["rules"], "best": finals[best], "name": best}
    console.print("  ", words, {way: round(time / 1e3) for way, time in finals.items()}, style="dim")
    file.write_text(json.dumps(outcome))
    return outcome


def _ways(sweep: Sweep, operation: str, ranks: int) -> Words:
    """The launcher's options of each way to run: the library's own choice, the rules, and every algorithm."""
    setting = rules_of(sweep, str(FOLDER / "rules.conf"))
    assert setting is not None
    (FOLDER / "rules.conf").write_text(setting.text)
    ways: dict[str, Sequence[str]] = {"own": (), "rules": shlex.split(setting.words)}
    ways.update(_algorithms(sweep, operation, ranks))
    return ways


def _algorithms(sweep: Sweep, operation: str, ranks: int) -> Iterator[tuple[str, Sequence[str]]]:
    settings = tuple(
        (name, value) for row_operation, name, value in sweep.made["besides"] if row_operation == operation
    )
    for method in sweep.methods[operation]:
        if method.offered is not None:
            choice = Choice(method.offered, ranks, segment_bytes=method.segment_bytes)
            candidate = Candidate(method.name, "algorithm", choices=(choice,), besides=settings)
            folder = FOLDER / f"{operation}-{method.name}-{ranks}".replace("/", "-")
            yield method.name, written(with_choices(candidate), folder)[0]


def _row(outcome: dict[str, float | str]) -> Row:
    own_ns, rules, best = (float(outcome[name]) for name in ("own", "rules", "best"))
    times = (f"{time / 1e6:.2f} ms" for time in (own_ns, rules))
    losses = (f"{time / best - 1:.0%}" for time in (own_ns, rules))
    return (str(outcome["point"]), *times, f"{best / 1e6:.2f} ms, {outcome['name']}", *losses)


def _summary(sweep: Sweep, outcomes: Sequence[dict[str, float | str]]) -> list[Row]:
    origin = sweep.made
    whole = "whole" if origin["complete"] else "not whole"
    penalties = [row["penalty"] for row in decisions(sweep) if row["penalty"] is not None]
    rows = [(f"sweep of {len(sweep.points)} points in {origin['spent_s']:.0f} s, {whole}",)]
    rows.append(
        (f"penalty of the library's own choice on the grid: {_ends(penalties)}, published {PUBLISHED_PENALTY}",)
    )
    for name, words in (("own", "the library's own choice"), ("rules", "the rules")):
        losses = [max(0.0, float(outcome[name]) / float(outcome["best"]) - 1) for outcome in outcomes]
        if len(losses) > 1:
            rows.append((f"{words} over the best at {len(losses)} random points: {_ends(losses)}",))
    return rows


def _ends(shares: Sequence[float]) -> str:
    ninth = statistics.quantiles(shares, n=10)[-1]
    return f"median {statistics.median(shares):.0%}, 90th percentile {ninth:.0%}, largest {max(shares):.0%}"
