"""The loop on a real program: trace it, explain it, get a better tree, verify it. `make demo` starts this.

A red-black solver (heat_plate.c) runs on 8 ranks that are dealt over three hosts in two sites 20 ms apart, as
topology.json says: one machine plays all of them. Only the collectives that run over the tree are delayed.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import hopscope
import local_mpi
from hopscope import remap
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

RANKS = 8
SIZE = 768
UNLIKE = 0.25  # a rerun that is this much slower than predicted needs a word
BIN = Path(sys.executable).parent
TOPOLOGY = ROOT / "demo" / "topology.json"
console = Console(highlight=False)


@dataclass(frozen=True)
class Solved:
    """What the solver said about itself."""

    iterations: int
    residual: str
    ms_per_iteration: float


def shown(path: Path) -> str:
    """A path as the reader would type it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def heading(text: str) -> None:
    """A step of the story."""
    console.print(f"\n[bold cyan]{escape(text)}[/]")


def solve(mpi: local_mpi.LocalMpi, program: Path, tree: str, trace: Path, iterations: int) -> Solved:
    """Run the solver under the collector over a tree, with a progress bar fed by its own output."""
    words = ["run", "--tree", tree, "--topology", shown(TOPOLOGY), "--dir", shown(trace), "--"]
    words += [
        *mpi.launch(RANKS),
        str(program),
        "--size",
        str(SIZE),
        "--iterations",
        str(iterations),
        "--tolerance",
        "0",
    ]
    console.print(
        f"$ hopscope run --tree {tree} --topology {shown(TOPOLOGY)} --dir {shown(trace)} -- mpirun -n {RANKS} ...",
        soft_wrap=True,
    )
    last = ""
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=console) as progress,
        # What the collector says goes through the console too, above the bar.
        subprocess.Popen(
            [str(BIN / "hopscope"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as job,
    ):
        task = progress.add_task("iterations", total=iterations)
        assert job.stdout is not None
        for line in job.stdout:
            found = re.match(r"iteration (\d+) of", line)
            if found:
                progress.update(task, completed=int(found.group(1)))
                if not console.is_terminal and int(found.group(1)) % 25 == 0:
                    console.print(f"  {line.strip()}")
            elif line.startswith("iterations="):
                last = line
                progress.update(task, completed=iterations)
            else:
                console.print(line.rstrip())
    if job.returncode != 0 or not last:
        sys.exit(f"demo: the run of {program.name} failed with exit code {job.returncode}")
    said = dict(word.split("=") for word in last.split())
    return Solved(int(said["iterations"]), said["residual"], float(said["ms_per_iteration"]))


def analyze(*words: str) -> None:
    """Run an analyze command and show it with what it says."""
    console.print(f"$ analyze {' '.join(words)}", soft_wrap=True)
    done = subprocess.run([str(BIN / "analyze"), *words], check=False)
    if done.returncode != 0:
        sys.exit(f"demo: analyze {words[0]} failed with exit code {done.returncode}")


def explain(sentence: str) -> None:
    """One sentence under a table."""
    console.print(f"[green]{escape(sentence)}[/]\n")


def percent(share: float) -> str:
    """0.8765 -> 88 %, and what is not quite nothing or everything is not rounded to it."""
    if 0 < share < 0.01:
        return "less than 1 %"
    return f"{min(100 * share, 99) if share < 1 else 100:.0f} %"


def iteration_ms(trace: hopscope.Trace) -> float:
    """Mean time from one collective of the run's communicator to the next, over all, in ms."""
    rows = trace.sql(
        "select min(first_enter_ns) a, max(last_leave_ns) b, count(*) n from collectives where op = 'MPI_Allreduce'"
    )
    row: dict[str, Any] = rows.to_pylist()[0]
    return (row["b"] - row["a"]) / row["n"] / 1e6


def demo(iterations: int, output: Path) -> None:
    """Tell the whole story into a folder, which is replaced."""
    started = time.monotonic()
    libraries = local_mpi.find()
    if not libraries:
        sys.exit("demo: no MPI library found: install openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev")
    mpi = libraries[0]
    if output.exists():
        shutil.rmtree(output)
    output.mkdir()
    today, better, tree = output / "binomial", output / "suggested", output / "suggested.json"

    heading(f"1. A solver on {RANKS} ranks over two sites, its Allreduce on a binomial tree")
    program = mpi.compile(ROOT / "demo" / "heat_plate.c")
    before = solve(mpi, program, "binomial", today, iterations)

    heading("2. What happened?")
    analyze("summary", shown(today))
    trace = hopscope.open(today)
    for command, sentence in (
        ("critical-path", critical_path_sentence),
        ("last-arrivals", last_arrivals_sentence),
        ("noise", noise_sentence),
        ("wan-share", wan_share_sentence),
    ):
        analyze(command, shown(today))
        explain(sentence(trace))

    heading("3. What would be better?")
    analyze("remap", shown(today), "-o", shown(tree))
    candidates = remap.remap(trace)
    if not tree.exists():
        return

    heading("4. Is it? The same program again, under the suggested tree")
    after = solve(mpi, program, shown(tree), better, iterations)
    compare(candidates, trace, before, after, hopscope.open(better))
    console.print(f"[dim]The demo took {time.monotonic() - started:.0f} s.[/]")
    console.print(f"Look around:  [bold]{shown(BIN / 'hopscope')} dashboard {shown(today)}[/]")


def critical_path_sentence(trace: hopscope.Trace) -> str:
    """Where the run's time went."""
    rows = {row["category"]: row for row in trace.critical_path().to_pylist()}
    wan, compute = rows["wan"]["share"], rows["compute"]["share"]
    return (
        f"Of all that the run had to wait for, {percent(wan)} was messages between the sites and {percent(compute)} "
        f"computing{': faster ranks would not help, fewer crossings would' if wan > 10 * compute else ''}."
    )


def last_arrivals_sentence(trace: hopscope.Trace) -> str:
    """Who the others waited for, and whether anybody is to blame."""
    rows = trace.last_arrivals().to_pylist()
    causes = [row for row in rows if row["cause"]]
    if causes:
        share = percent(sum(row["cause_share"] for row in causes))
        return f"{_ranks(causes).capitalize()} computed longer, which led to {share} of the last arrivals."
    late = [row for row in rows if row["late"]]
    if not late:
        return "No rank made the others wait."
    why = "for no cause that stands out"
    if sum(row["released_share"] for row in rows) > 0.5:
        why = "because the tree had let it go last the time before"
    entered = f"{_ranks(late)} entered last in {percent(sum(row['share'] for row in late))} of the collectives"
    return f"No rank is slow: {entered}, {why}."


def _ranks(rows: list[dict[str, Any]]) -> str:
    return " and ".join(f"rank {row['rank']}" for row in rows)


def noise_sentence(trace: hopscope.Trace) -> str:
    """How much computing varied."""
    anyone = trace.noise().to_pylist()[-1]
    return (
        f"In {anyone['late_1ms']} of {anyone['iterations']} iterations some rank computed more than 1 ms longer than "
        f"it usually does there; {anyone['paid_ns'] / 1e6:.1f} ms of all that was paid for on the critical path."
    )


def wan_share_sentence(trace: hopscope.Trace) -> str:
    """How often the tree crosses between the sites."""
    row = trace.wan_share().to_pylist()[0]
    return (
        f"An Allreduce's critical path crosses between the sites {row['crossings']:.1f} times, one after another"
        f"{'; two would do, once there and once back' if row['crossings'] > 2.5 else ''}."
    )


def compare(candidates: Any, trace: hopscope.Trace, before: Solved, after: Solved, rerun: hopscope.Trace) -> None:
    """Predicted and achieved, side by side."""
    best = next(row for row in candidates.to_pylist() if row["chosen"])
    table = Table(title="predicted and achieved", title_justify="left")
    for name in ("", "predicted", "achieved"):
        table.add_column(name, justify="left" if not name else "right")
    predicted, achieved = best["predicted_ns"] / 1e6, iteration_ms(rerun)
    today = iteration_ms(trace)
    replayed = next(row["predicted_ns"] for row in candidates.to_pylist() if row["today"]) / 1e6
    table.add_row("today's tree, per iteration", f"{replayed:.1f} ms", f"{today:.1f} ms")
    table.add_row("suggested tree, per iteration", f"{predicted:.1f} ms", f"{achieved:.1f} ms")
    table.add_row("faster by a factor of", f"{replayed / predicted:.2f}", f"{today / achieved:.2f}")
    console.print(table)
    beyond, error = achieved / predicted - 1, best["model_error"]
    if beyond > max(2 * error, UNLIKE):
        explain(
            f"The rerun took {beyond:.0%} longer than predicted, and the model errs by {error:.0%}: something else on "
            "this machine kept the ranks from its processors. Run the demo again when it is idle."
        )
    same = "the same" if before.residual == after.residual else f"not the same ({before.residual}, {after.residual})"
    explain(
        f"By its own clock the solver went from {before.ms_per_iteration:.1f} to {after.ms_per_iteration:.1f} ms an "
        f"iteration, and its result after {after.iterations} iterations is {same}."
    )


def main() -> None:
    """Read the options and go."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--output", type=Path, default=ROOT / "demo_run")
    options = parser.parse_args()
    demo(options.iterations, options.output.resolve())


if __name__ == "__main__":
    main()
