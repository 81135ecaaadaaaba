"""mpi4py's own test suite with and without the collector, under each MPI library: make check-mpi4py.

    check_mpi4py.py [--mpi openmpi-4 ...] [--ranks 1 2 3 5] [--modules REGEX] [--patience 120] [--sample N --seed N]

Each test must have the same outcome on each rank without the collector, observed, and with the engine. The engine runs
every collective that it can, by three mixtures of algorithms, over shared memory and over MPI messages. Each traced
run's archive is converted, and the dataset's rules are checked. Prints a sentence for each difference, and exits with 1
if there are any.
"""

import argparse
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import drawn_sample
import local_mpi
from suite_comparison import compare
from suite_runs import Run, Say, Way, sources
from traces import faults_of
from tree_mixtures import MIXTURES

OBSERVED = Way("observed")
BY_ENGINE = [
    Way(f"{name}, by {transport}", tree, transport) for transport in ("shm", "mpi") for name, tree in MIXTURES.items()
]


def ways(number: int) -> list[Way]:
    """The ways in which a module runs under the collector: observed, and two of the six ways with the engine. Modules
    with three consecutive numbers run in all six ways."""
    return [OBSERVED, BY_ENGINE[number % 3], BY_ENGINE[3 + (number + 1) % 3]]


# Modules in which an MPI library itself hangs, also without the collector, each time at another point: Open MPI 4 in
# MPI_Init of spawned processes (in four of seven runs of test_spawn on one rank), MPICH 4 where one rank waits for a
# lock in another's window (test_rma on 5 ranks of 2 cores). Each hang costs the whole patience. --modules can still
# select these.
LEFT_OUT = {"openmpi-4": ("test_spawn", "test_dynproc"), "mpich-4": ("test_rma", "test_util_sync")}


def modules_for(mpi: local_mpi.LocalMpi) -> tuple[str, str]:
    """The modules to run, as a regular expression, and a sentence on omitted modules, or an empty string."""
    modules = LEFT_OUT.get(mpi.release, ())
    if not modules:
        return "", ""
    return f"^(?!({'|'.join(modules)})$)", f"left out: {', '.join(modules)}, in which {mpi.release} hangs by itself"


def draw(arguments: argparse.Namespace) -> None:
    """Narrows the arguments to `sample` modules, one library and one number of ranks, chosen by the seed."""
    dice = random.Random(arguments.seed)
    arguments.mpi, arguments.ranks = [dice.choice(arguments.mpi)], [dice.choice(arguments.ranks)]
    names = sorted(path.stem for path in sources().glob("test_*.py"))
    names = [
        name for name in names if name not in LEFT_OUT.get(arguments.mpi[0], ()) and re.search(arguments.modules, name)
    ]
    arguments.modules = f"^({'|'.join(dice.sample(names, min(arguments.sample, len(names))))})$"
    print(f"{arguments.mpi[0]}, {arguments.ranks[0]} ranks, {arguments.modules}", flush=True)


def to_stderr(place: str) -> Say:
    begin = time.monotonic()
    return lambda message: print(f"{place}, {time.monotonic() - begin:.0f} s: {message}", file=sys.stderr, flush=True)


def main() -> int:
    """Runs all modules."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installed = [*local_mpi.find_all(), *local_mpi.find_intel()]
    libraries = {mpi.release: mpi for mpi in installed if mpi.flavour != "abi"}
    options.add_argument("--mpi", nargs="+", choices=list(libraries), default=list(libraries))
    options.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 3, 5])
    options.add_argument("--modules", default="", help="a regular expression")
    options.add_argument("--patience", type=float, default=120, help="seconds without progress that count as a hang")
    drawn_sample.add_options(options)
    arguments = options.parse_args()
    if not libraries:
        sys.exit("check-mpi4py: there is no MPI library on this machine to run under")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    local_mpi.share_cores()
    if arguments.sample:
        draw(arguments)
    differences, folder = 0, Path(tempfile.mkdtemp(prefix="hopscope-mpi4py-"))
    for release in arguments.mpi:
        for number, ranks in enumerate(arguments.ranks):
            place = folder / f"{release}-{ranks}"
            say = to_stderr(f"{release}, {ranks} ranks")
            modules, left_out = modules_for(libraries[release])
            run = Run(libraries[release], ranks, place, arguments.modules or modules, arguments.patience)
            comparison = compare(run, ways(number), say)
            print(comparison.summary())
            if left_out and not arguments.modules:
                print(f"  {left_out}")
            for name, outcomes in comparison.by_way.items():
                faults = [fault for trace in outcomes.traces for fault in faults_of(trace)]
                comparison.differences += [f"{name}: {fault}" for fault in faults]
                print(f"  {name}: {len(outcomes.by_test)} outcomes compared")
                for line in sorted(outcomes.collector_said):
                    print(f"    the collector said: {line}")
            for test in sorted(comparison.unsteady):
                print(f"  unsteady without the collector: {test}")
            for test, ending in sorted(comparison.alone.stopped.items()):
                print(f"  left out, it ends the job without the collector ({ending}): {test}")
            for difference in comparison.differences:
                print(f"  DIFFERENT: {difference}")
            sys.stdout.flush()
            differences += len(comparison.differences)
            if not comparison.differences:
                shutil.rmtree(place)
    if differences:
        print(f"{differences} differences; what the jobs left is in {folder}")
        return 1
    shutil.rmtree(folder)
    print("no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
