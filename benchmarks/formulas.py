"""Errors of the published formulas and of the replay: barrier, broadcast, reduce and alltoall by every published
algorithm that the engine has, over sizes and numbers of ranks.

Eight hosts of one rank each over emulated links, 2 ms apart, with interfaces of 20 MB/s. The formulas' parameters are
fitted to the hops of each run.
"""

import json
import shutil
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
from hopscope.machine.schedules import rule_of
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit
from hopscope.replay.formula_times import measured, of_trace
from hopscope.replay.formula_times.points import ALGORITHMS, OPERATIONS
from measure import BIN, PROGRAMS, local_mpi

Row = tuple[str, ...]
Times = dict[str, Any]

COLUMNS = ("operation, algorithm", "points", "Hockney", "LogGP", "PLogP", "replay")
HOSTS, LATENCY_NS, BYTES_PER_SECOND = 8, 2_000_000, 2e7
ITERATIONS, RANKS, SIZES = 11, (2, 4, 6, 7, 8), (8, 1024, 16_384, 131_072)
SEGMENT = 16_384
CUT = ("pipeline", "split binary")
"""Algorithms that run in segments; the others run with whole messages."""
SOURCES = ("hockney_ns", "loggp_ns", "plogp_ns", "replay_ns")


def measure(folder: Path) -> list[Row]:
    """Rows for the report: for each algorithm, the predicted time as a share of the measured time, by each formula and
    by the replay, as median and range."""
    local_mpi.share_cores()
    return list(_rows(_times(folder)))


def _topology(folder: Path) -> Path:
    hosts = [{"name": f"h{host}", "cluster": "c", "ranks": [host]} for host in range(HOSTS)]
    # # As on a network, packets do not wait for the rest of their message.
    interface = {"bytes_per_second": BYTES_PER_SECOND, "cut_through": True}
    emulate = {"links": {"lan": {"latency_ns": LATENCY_NS}}, "host_interface": interface}
    file = folder / "topology.json"
    file.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": "listed", "emulate": emulate}))
    return file


def _tree_files() -> Iterator[dict[str, Any]]:
    """Tree files that together run every algorithm. Each has a rule for every operation, because an operation that is
    left to the MPI library does not go over emulated links."""
    names_by_operation = {operation: [name for op, name in ALGORITHMS if op == operation] for operation in OPERATIONS}
    for turn in range(max(map(len, names_by_operation.values()))):
        rules: list[dict[str, Any]] = []
        trees: dict[str, Any] = {}
        for operation, names in names_by_operation.items():
            # An operation with fewer algorithms repeats its last one. The engine lacks the published linear alltoall.
            name = names[-1] if operation == "MPI_Alltoall" else names[min(turn, len(names) - 1)]
            rule = rule_of(operation, name, SEGMENT if name in CUT else 0)
            if rule is not None:
                rules.append({"operations": [operation], **rule[0]})
                trees |= rule[1]
        yield {"schema_version": 1, **({"trees": trees} if trees else {}), "rules": rules}


def _times(folder: Path) -> list[Times]:
    """Every measured point of every run."""
    times: list[Times] = []
    mpi, trace, file = local_mpi.find()[0], folder / "trace", folder / "tree.json"
    numbers = [str(ITERATIONS), ",".join(map(str, RANKS)), ",".join(map(str, SIZES))]
    words = [*mpi.launch(HOSTS), str(mpi.compile(PROGRAMS / "points.c")), *numbers]
    for tree in _tree_files():
        shutil.rmtree(trace, ignore_errors=True)
        file.write_text(json.dumps(tree))
        options = ["--dir", str(trace), "--tree", str(file), "--topology", str(_topology(folder))]
        job = [str(BIN / "hopscope"), "run", *options, "--", *words]
        done = subprocess.run(job, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(job)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        opened = hopscope.open(trace)
        fitted = fitted_of_trace(opened.table)
        measurements = measured(opened.table("collectives"), opened.algorithms().to_pylist(), emulated=True)
        times += [row for row in of_trace(fitted, measurements, rows_of_fit(fitted)) if row["measured_ns"] is not None]
    return times


def _rows(times: list[Times]) -> Iterator[Row]:
    points: dict[tuple[str, str], dict[tuple[int, int, int], Times]] = defaultdict(dict)
    for row in times:
        points[row["operation"], row["algorithm"]][row["ranks"], row["bytes"], row["segment_bytes"]] = row
    for operation, name in ALGORITHMS:
        rows = list(points[operation, name].values())
        if rows:
            shares = [_shares([row[source] / row["measured_ns"] for row in rows if row[source]]) for source in SOURCES]
            yield (f"{operation.removeprefix('MPI_')}, {name}", str(len(rows)), *shares)


def _shares(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else "-"
