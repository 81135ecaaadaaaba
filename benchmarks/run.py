"""`make bench`: Hopscope's costs and gains, as ratios within one run and medians of interleaved repetitions.

python benchmarks/run.py [hosts] [sites] [clusters] [cost] [convert] [events] [emulation] [formulas] [pages]
                         [replay] [large] [tune] [sweep]

hosts, sites and clusters repeat published measurements, over emulated links and on networks of namespaces, and print
the published figure beside the one found here.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cluster_figures
import clusters
import cost
import emulation
import formulas
import hopscope
import hosts
import large
import pages
import published
import replay
import sites
import sweeping
import tuning
from hopscope.dataset.convert import ensure_dataset
from measure import allreduce_ns
from rich.console import Console
from rich.table import Table

COLUMNS = {
    **{"hosts": published.COLUMNS, "sites": published.COLUMNS, "clusters": cluster_figures.COLUMNS},
    **{"formulas": formulas.COLUMNS, "pages": pages.COLUMNS, "tune": tuning.COLUMNS},
    "sweep": sweeping.COLUMNS,
}
"""The headings of a benchmark's table. The tables of other benchmarks have two columns without headings."""
console = Console(highlight=False)


def seconds(work: Callable[[], object]) -> float:
    """The seconds that a function takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def convert(folder: Path, repetitions: int = 3) -> list[tuple[str, str]]:
    """The time of the conversion against that of otf2-print on the same archive, and of one query of the dataset."""
    trace = folder / "long"
    allreduce_ns(2, ["world", "2", "100000", "1000"], trace=trace, tree="binomial")
    printing: list[float] = []
    converting: list[float] = []
    for _ in range(repetitions):
        words = ["otf2-print", str(trace / "traces.otf2")]
        printing.append(seconds(lambda words=words: subprocess.run(words, stdout=subprocess.DEVNULL, check=True)))
        subprocess.run(["rm", "-rf", str(trace / "dataset")], check=True)
        converting.append(seconds(lambda: ensure_dataset(trace)))
    opened = hopscope.open(trace)
    hops = opened.table("hops").num_rows
    asking = statistics.median(seconds(opened.critical_path) for _ in range(repetitions))
    median = statistics.median(converting)
    return [
        (f"conversion of {hops:,} hops, with paths", f"{median:.2f} s, {hops / median:,.0f} hops/s"),
        ("  against otf2-print of the same archive", f"{median / statistics.median(printing):.2f}x its time"),
        ("  critical path of the run, asked of the dataset", f"{1e3 * asking:.0f} ms"),
    ]


def events(folder: Path) -> list[tuple[str, str]]:
    """Rows on traces of 20 M events: mostly hops, mostly point-to-point messages, and collectives of several sizes."""
    rows = [row for mix in large.MIXES for row in large.measure(folder, 20_000_000, mix)]
    return [*rows, *large.measure_parts(folder, 20_000_000)]


def lengths(folder: Path) -> list[tuple[str, str]]:
    """Rows on traces of three lengths, which show whether the cost grows linearly."""
    return [
        row
        for millions in (2, 20, 200)
        for mix in large.MIXES
        for row in large.measure(folder, millions * 1_000_000, mix, 3 if millions < 200 else 1)
    ]


def main() -> None:
    """Run the benchmarks named, or all but the long ones."""
    benchmarks = {
        **{"hosts": hosts.measure, "sites": sites.measure, "clusters": clusters.measure},
        **{"cost": cost.measure, "convert": convert, "events": events},
        **{"emulation": emulation.measure, "formulas": formulas.measure, "pages": pages.measure},
        **{"replay": replay.measure, "large": lengths, "tune": tuning.measure, "sweep": sweeping.measure},
    }
    names = sys.argv[1:] or [name for name in benchmarks if name not in ("large", "tune", "sweep")]
    unknown = set(names) - set(benchmarks)
    if unknown:
        sys.exit(f"bench: unknown benchmark {', '.join(sorted(unknown))}; choose from {', '.join(benchmarks)}")
    for name in names:
        columns = COLUMNS.get(name)
        table = Table(*(columns or ("", "")), show_header=columns is not None)
        with tempfile.TemporaryDirectory(prefix="hopscope-bench-") as folder, console.status(f"measuring {name} ..."):
            for row in benchmarks[name](Path(folder)):
                table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
