"""`make bench-predictions`: compares predictions of `analyze remap` with reruns and SimGrid, never with our replay.

python benchmarks/predictions.py [--cases 75] [--blocks 25] [--networks 25] [--simulated 75]
    [--first-seed 1] [--exhaustive 0] [--each]

Machines and programs are random, from fixed seeds. Small ones run over emulated links or on networks of namespaces, are
remapped and run again. For large ones, SimGrid's SMPI runs the schedules that the replay predicts.
"""

import argparse
import tempfile
from contextlib import suppress
from pathlib import Path

import reruns
import simulated_schedules
from hopscope.errors import InputError
from measure import local_mpi
from random_cases import random_case
from rich.console import Console
from rich.table import Table

console = Console(highlight=False, soft_wrap=True)


def rerun(
    cases: range, exhaustive: int, *, case_lines: bool, in_blocks: bool = False, network: bool = False
) -> list[tuple[str, str]]:
    """Record random programs, run each with the tree that `remap` suggests, and compare with the prediction.

    in_blocks: use operations that move blocks, such as Gather. network: run on a network of namespaces instead of
    emulated links.
    """
    local_mpi.share_cores()
    outcomes: list[reruns.Outcome] = []
    refused = 0
    # Ctrl-C ends the cases early; the finished ones are still reported.
    with suppress(KeyboardInterrupt):
        for number, seed in enumerate(cases):
            with tempfile.TemporaryDirectory(prefix="hopscope-bench-") as folder:
                case, exhausts = random_case(seed, in_blocks=in_blocks), number < exhaustive
                try:
                    outcome = reruns.rerun_case(case, Path(folder), is_exhaustive=exhausts, network=network)
                except InputError as reason:
                    console.print(f"{case.words}: no prediction: {reason}", markup=False)
                    refused += 1
                    continue
                outcomes.append(outcome)
            if case_lines:
                console.print(reruns.line_of(outcome), markup=False)
    counts = [("machines", str(len(outcomes))), ("  and runs that gave no prediction", str(refused))]
    return [*counts, *reruns.rows_of(outcomes)]


def simulated(cases: range, *, case_lines: bool) -> list[tuple[str, str]]:
    """Run schedules of random machines under SimGrid, and compare with the replay."""
    reason = simulated_schedules.why_not()
    if reason:
        return [("schedules under SimGrid", f"not measured: {reason}")]
    outcomes: list[simulated_schedules.Outcome] = []
    with suppress(KeyboardInterrupt):
        for seed in cases:
            with tempfile.TemporaryDirectory(prefix="hopscope-bench-") as folder:
                outcomes.append(simulated_schedules.simulate_case(seed, Path(folder)))
            if case_lines:
                console.print(simulated_schedules.line_of(outcomes[-1]), markup=False)
    return simulated_schedules.rows_of(outcomes)


def main() -> None:
    """Run all parts and print the distributions."""
    parser = argparse.ArgumentParser(description="Compare predictions with reruns and with SimGrid.")
    parser.add_argument("--cases", type=int, default=75, help="small machines, with reruns over emulated links")
    parser.add_argument("--blocks", type=int, default=25, help="the same with operations such as Gather and Alltoall")
    parser.add_argument("--networks", type=int, default=25, help="small machines, on networks of namespaces (root)")
    parser.add_argument("--simulated", type=int, default=75, help="large machines, under SimGrid")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--exhaustive", type=int, default=0, help="number of cases in which every candidate runs")
    parser.add_argument("--each", action="store_true", help="a line for each case")
    options = parser.parse_args()
    first = options.first_seed
    parts = {
        "Reruns over emulated links of random machines": lambda: rerun(
            range(first, first + options.cases), options.exhaustive, case_lines=options.each
        ),
        "The same for operations with a block for each rank, and Scan and Exscan": lambda: rerun(
            range(first, first + options.blocks), options.exhaustive, case_lines=options.each, in_blocks=True
        ),
        "Reruns on networks of namespaces, whose links are those of the same machines between clusters": lambda: rerun(
            range(first, first + options.networks), 0, case_lines=options.each, network=True
        ),
        "Schedules under SimGrid's SMPI on random machines": lambda: simulated(
            range(first, first + options.simulated), case_lines=options.each
        ),
    }
    counts = options.cases, options.blocks, options.networks, options.simulated
    for (title, part), count in zip(parts.items(), counts, strict=True):
        if count:
            table = Table("", "", title=title, title_justify="left", show_header=False)
            for row in part():
                table.add_row(*row)
            console.print(table)


if __name__ == "__main__":
    main()
