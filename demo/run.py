"""Shows Hopscope on a real program: trace it, explain it, get a better tree, verify the tree. `make demo` starts this.

A red-black solver (heat_plate.c) runs on 8 ranks, placed in turn on three hosts in two sites 20 ms apart
(topology.json). One machine emulates all hosts, and only the collectives that run over the tree are delayed.

Then the solver runs untouched, and the demo shows the messages that Open MPI sends in its collectives. If this machine
can make a network of hosts, that run is on two sites whose link delays every message (sites.json). On such a network,
with two hosts on each site (four_hosts.json), `hopscope tune` then measures which of the library's own settings makes
the solver faster.
"""

import argparse
import contextlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import hopscope
import local_mpi
from hopscope.advice import remap
from hopscope.format.quantities import alike, duration, number, share
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

RANKS = 8
SIZE = 768
TUNING_RUNS = 26
TUNING_ITERATIONS = 12
UNLIKE = 0.25  # a rerun that is this much slower than predicted needs an explanation
BIN = Path(sys.executable).parent
TOPOLOGY = ROOT / "demo" / "topology.json"
SITES = ROOT / "demo" / "sites.json"
FOUR_HOSTS = ROOT / "demo" / "four_hosts.json"
console = Console(highlight=False)


@dataclass(frozen=True)
class Solved:
    """The figures that the solver prints."""

    iterations: int
    residual: str
    ms_per_iteration: float


def typed_path(path: Path) -> str:
    """A path as a user would type it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def heading(text: str) -> None:
    """Print the heading of a step."""
    console.print(f"\n[bold cyan]{escape(text)}[/]")


def solve(
    mpi: local_mpi.LocalMpi,
    program: Path,
    tree: str | None,
    trace: Path,
    iterations: int,
    *,
    net_file: Path | None = None,
    setting: Sequence[str] = (),
) -> Solved:
    """Run the solver under the collector, and show its progress. tree: the tree for its collectives; None: untouched.
    net_file: the network on whose hosts it runs; None: this host. setting: words for the launcher."""
    options = ["--net", typed_path(net_file)] if net_file else []
    if tree:
        options = ["--tree", tree, "--topology", typed_path(TOPOLOGY)]
    words = ["run", *options, "--dir", typed_path(trace), "--"]
    console.print(f"$ hopscope {shlex.join([*words, 'mpirun', '-n', str(RANKS), *setting])} ...", soft_wrap=True)
    words += [
        *([mpi.launcher, "-n", str(RANKS)] if net_file else mpi.launch(RANKS)),
        *setting,
        str(program),
        "--size",
        str(SIZE),
        "--iterations",
        str(iterations),
        "--tolerance",
        "0",
    ]
    last = ""
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=console) as progress,
        # The collector's messages also go through the console, above the progress bar.
        subprocess.Popen(
            [str(BIN / "hopscope"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as job,
    ):
        task = progress.add_task("iterations", total=iterations)
        assert job.stdout is not None
        for line in job.stdout:
            match = re.match(r"iteration (\d+) of", line)
            if match:
                progress.update(task, completed=int(match.group(1)))
                if not console.is_terminal and int(match.group(1)) % 25 == 0:
                    console.print(f"  {line.strip()}")
            elif line.startswith("iterations="):
                last = line
                progress.update(task, completed=iterations)
            else:
                console.print(line.rstrip(), soft_wrap=True, markup=False)
    if job.returncode != 0 or not last:
        sys.exit(f"demo: the run of {program.name} failed with exit code {job.returncode}")
    fields = dict(word.split("=") for word in last.split())
    return Solved(int(fields["iterations"]), fields["residual"], float(fields["ms_per_iteration"]))


@contextlib.contextmanager
def network(file: Path) -> Iterator[Path | None]:
    """Context with the network of this file. If this machine cannot make it, prints why and gives None."""
    up = subprocess.run([str(BIN / "hopscope"), "net", "up", str(file)], capture_output=True, text=True, check=False)
    if up.returncode != 0:
        console.print(f"Without slow links, on one host: {up.stderr.strip()}", soft_wrap=True, markup=False)
        yield None
        return
    console.print(f"$ hopscope net up {typed_path(file)}", soft_wrap=True)
    try:
        yield file
    finally:
        subprocess.run([str(BIN / "hopscope"), "net", "down", str(file)], capture_output=True, check=False)


def analyze(*words: str) -> None:
    """Run an analyze command, and show the command and its output."""
    console.print(f"$ analyze {' '.join(words)}", soft_wrap=True)
    done = subprocess.run([str(BIN / "analyze"), *words], check=False)
    if done.returncode != 0:
        sys.exit(f"demo: analyze {words[0]} failed with exit code {done.returncode}")


def explain(sentence: str) -> None:
    """Print a sentence under a table."""
    console.print(f"[green]{escape(sentence)}[/]\n")


def iteration_ns(trace: hopscope.Trace) -> float:
    """Mean time from the last leave of one Allreduce to that of the next. The first Allreduce does not count, as in
    `analyze remap`, because it sets connections up."""
    rows = trace.sql(
        "select min(last_leave_ns) a, max(last_leave_ns) b, count(*) - 1 n from collectives where op = 'MPI_Allreduce'"
    )
    row: dict[str, Any] = rows.to_pylist()[0]
    return (row["b"] - row["a"]) / row["n"]


def demo(iterations: int, output: Path) -> None:
    """Run all steps. Their files go into the folder `output`, which is replaced."""
    started = time.monotonic()
    libraries = local_mpi.find()
    if not libraries:
        sys.exit("demo: no MPI library found: install openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev")
    mpi = libraries[0]
    if output.exists():
        shutil.rmtree(output)
    output.mkdir()
    baseline, better, untouched = output / "binomial", output / "suggested", output / "untouched"
    tree = output / "suggested.json"

    heading(f"1. A solver on {RANKS} ranks over two sites, its Allreduce on a binomial tree")
    program = mpi.compile(ROOT / "demo" / "heat_plate.c", "-g")
    baseline_solve = solve(mpi, program, "binomial", baseline, iterations)

    heading("2. What happened?")
    analyze("summary", typed_path(baseline))
    trace = hopscope.open(baseline)
    analyze("diagnose", typed_path(baseline))
    for command in ("critical-path", "last-arrivals", "noise", "wan-share"):
        analyze(command, typed_path(baseline))

    heading("3. What would be better?")
    analyze("remap", typed_path(baseline), "-o", typed_path(tree))
    candidates = remap.remap(trace)
    if tree.exists():
        heading("4. Is it? The same program again, over the suggested tree")
        suggested_solve = solve(mpi, program, typed_path(tree), better, iterations)
        compare(candidates, trace, baseline_solve, suggested_solve, hopscope.open(better))

    if mpi.flavour == "openmpi":
        heading("5. And untouched? The same program again, with Open MPI's own collectives")
        with network(SITES) as net_file:
            solve(mpi, program, None, untouched, iterations, net_file=net_file)
        analyze("algorithms", typed_path(untouched))
        analyze("critical-path", typed_path(untouched))
        if net_file:
            tune(output)
    console.print(f"[dim]The demo took {duration(1e9 * (time.monotonic() - started))}.[/]")
    console.print(
        f"Look around:  [bold]{typed_path(BIN / 'hopscope')} dashboard {typed_path(baseline)}[/]", soft_wrap=True
    )


def tune(output: Path) -> None:
    """Let Hopscope measure which setting makes the untouched solver faster. It prefers release 5 of Open MPI if there
    are several: between hosts this release uses `han`, which crosses the slow link twice."""
    libraries = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "openmpi"]
    mpi = max(libraries, key=lambda library: library.release)
    program, tuned = mpi.compile(ROOT / "demo" / "heat_plate.c", "-g"), output / "tuned"
    heading("6. Can the MPI library do better by itself? Measure it, with two hosts on each site")
    with network(FOUR_HOSTS) as net_file:
        if net_file is None:
            return
        options = ["tune", "--runs", str(TUNING_RUNS), "--net", typed_path(net_file), "-o", typed_path(tuned), "--"]
        solver = [str(program), "--size", str(SIZE), "--iterations", str(TUNING_ITERATIONS), "--quiet"]
        words = [*options, mpi.launcher, "-n", str(RANKS), *solver]
        console.print(f"$ hopscope {shlex.join(words)}", soft_wrap=True)
        done = subprocess.run([str(BIN / "hopscope"), *words], check=False)
        if done.returncode != 0:
            sys.exit(f"demo: hopscope tune failed with exit code {done.returncode}")
    if (tuned / "recorded-result").is_dir():
        analyze("algorithms", typed_path(tuned / "recorded-baseline" / "trace"))
        analyze("algorithms", typed_path(tuned / "recorded-result" / "trace"))
    explain(f"All measured runs are in {typed_path(tuned / 'report.html')}.")


def explain_slowness(achieved: float, best: dict[str, Any]) -> None:
    """Explain why a rerun took longer than predicted, if it did."""
    excess, error = achieved / best["predicted_ns"] - 1, best["model_error"]
    if excess > max(2 * error, UNLIKE):
        explain(
            f"The rerun took {share(excess)} longer than predicted, but the model errs by only {share(error)}, so "
            "other work on this machine slowed the ranks down. Run the demo again when the machine is idle."
        )


def compare(
    candidates: Any, trace: hopscope.Trace, baseline_solve: Solved, suggested_solve: Solved, rerun: hopscope.Trace
) -> None:
    """Show predicted and achieved times side by side."""
    best = next(row for row in candidates.to_pylist() if row["chosen"])
    table = Table(title="predicted and achieved", title_justify="left")
    for name in ("", "predicted", "achieved"):
        table.add_column(name, justify="left" if not name else "right")
    predicted, achieved = best["predicted_ns"], iteration_ns(rerun)
    baseline_ns = iteration_ns(trace)
    replayed = next(row["predicted_ns"] for row in candidates.to_pylist() if row["baseline"])
    times = alike("ns", replayed, baseline_ns, predicted, achieved)
    table.add_row("baseline, per iteration", *times[:2])
    table.add_row("suggested tree, per iteration", *times[2:])
    table.add_row("faster by a factor of", number(replayed / predicted), number(baseline_ns / achieved))
    console.print(table)
    explain_slowness(achieved, best)
    residuals = baseline_solve.residual, suggested_solve.residual
    agreement = "the same" if residuals[0] == residuals[1] else f"not the same ({', '.join(residuals)})"
    baseline_time, suggested_time = alike(
        "ns", 1e6 * baseline_solve.ms_per_iteration, 1e6 * suggested_solve.ms_per_iteration
    )
    explain(
        f"By its own clock the solver went from {baseline_time} to {suggested_time} an iteration, and its result after "
        f"{suggested_solve.iterations} iterations is {agreement}."
    )


def main() -> None:
    """Read the options and run the demo."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--output", type=Path, default=ROOT / "demo_run")
    options = parser.parse_args()
    demo(options.iterations, options.output.resolve())


if __name__ == "__main__":
    main()
