"""Checks that a wheel of this project works where a user installs it, under every Python that is found here.

For each Python: `pip wheel`, an empty environment with the locked packages and the wheel, then outside the checkout a
collector built by `hopscope build`, a short trace by `hopscope run`, and `analyze`. Fails if any Python that was found
fails; names those that could not be tested. Versions such as 3.13 as arguments restrict the check to these. --sample N
tests only N of the Pythons found, drawn by --seed.
"""

import argparse
import csv
import math
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import drawn_sample
import local_mpi
import lock

ROOT = Path(__file__).parents[1]
# Python's newest release. If it is not found here, the report names it.
NEWEST = 14
# Iterations of the short run: each is one Allreduce.
ITERATIONS = 30
# Folders of the checkout, and their places in the wheel.
PLACES = {
    "schemas/": "hopscope/schemas/",
    "collector/": "hopscope/collector/",
    "analysis/hopscope/": "hopscope/",
    "dashboard/hopscope_dashboard/": "hopscope_dashboard/",
}


class TrialError(Exception):
    """A failed step. The message has its output."""


class NotInstallableError(TrialError):
    """The locked packages are not available for this Python."""


def run(words: list[str], folder: Path, path: str = "") -> str:
    """Run a command in a folder, as a new user of this machine would, and return its standard output.

    Raises TrialError with the end of its output if it fails.
    """
    environment = os.environ | {"PATH": path or os.environ["PATH"]}
    words = [str(ROOT / "tools" / "newcomer"), *words]
    done = subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        output = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise TrialError(f"{' '.join(words[1:])} ended with code {done.returncode}:\n{output}")
    return done.stdout


def tracked_files() -> list[str]:
    """The files of the checkout that git tracks."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in names.split("\0") if name and (ROOT / name).is_file()]


def names_in_wheel() -> set[str]:
    """The files that a wheel must contain: the packages with types, and the sources for `hopscope build`."""
    return {"hopscope/query/_analyses.pyi"} | {
        place + name.removeprefix(folder)
        for folder, place in PLACES.items()
        for name in tracked_files()
        if name.startswith(folder) and not name.startswith("collector/tests/")
    }


def build_wheel(python: str, folder: Path) -> Path:
    """The wheel that `pip wheel .` makes in a copy of the checkout. pip installs the build's requirements in a separate
    environment."""
    source = folder / "source"
    for name in tracked_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), "."], source)
    wheel = next(folder.glob("hopscope-*.whl"))
    missing = names_in_wheel() - set(zipfile.ZipFile(wheel).namelist())
    if missing:
        raise TrialError(f"{wheel.name} lacks {', '.join(sorted(missing)[:5])}")
    return wheel


def install(python: str, wheel: Path, folder: Path) -> Path:
    """A new environment with the locked packages and the wheel in it; returns its bin.

    Raises NotInstallableError if pip finds no wheel of a locked package for this Python.
    """
    environment = folder / "environment"
    run([python, "-m", "venv", str(environment)], folder)
    programs = environment / "bin"
    pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check"]
    # `--no-compile`: few modules of these packages are used here, and those are compiled on import.
    locked = ["--only-binary", ":all:", "--require-hashes", "-r", str(lock.LOCKS / "demo.txt")]
    try:
        run([*pip, "install", "-q", "--no-compile", *locked], folder)
    except TrialError as error:
        if "No matching distribution found" in str(error):
            raise NotInstallableError(str(error).splitlines()[-1]) from None
        raise
    run([*pip, "install", "-q", "--no-deps", str(wheel)], folder)
    run([*pip, "check"], folder)
    return programs


def trace_and_analyze(programs: Path, mpi: local_mpi.LocalMpi, folder: Path) -> None:
    """Build the collector for an MPI library, trace a short run, and check the answers of two analyses."""
    program = shutil.copy(mpi.compile(ROOT / "demo" / "heat_plate.c"), folder / "app")
    path = f"{programs}:{os.environ['PATH']}"
    hopscope, analyze = str(programs / "hopscope"), str(programs / "analyze")
    run([hopscope, "build", "--mpicc", mpi.compiler], folder, path)
    job = [*mpi.launch(2), str(program), "--size", "64", "--iterations", str(ITERATIONS), "--tolerance", "0"]
    run([hopscope, "run", "--tree", "binomial", "--dir", "trace", "--", *job], folder, path)
    summary, path_rows = (
        run([analyze, name, "trace", "--format", "csv"], folder, path) for name in ("summary", "critical-path")
    )
    # One message up and one down per Allreduce of two ranks. The scheduler decides if a path goes through them: if the
    # same rank is always late, none does.
    hops = [row["value"] for row in csv.DictReader(summary.splitlines()) if row["item"] == "hops of MPI_Allreduce"]
    shares = [float(row["share"]) for row in csv.DictReader(path_rows.splitlines())]
    if hops != [str(2.0 * ITERATIONS)] or not math.isclose(sum(shares), 1, abs_tol=1e-6):
        raise TrialError(f"the answers are wrong:\n{summary}\n{path_rows}")


def candidates(minor: int) -> Iterator[Path]:
    """Paths where a Python 3.minor may be: on PATH, the system's, pyenv's and uv's."""
    name = f"python3.{minor}"
    # HOME may be a temporary folder of this run.
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    for folder in (*os.environ["PATH"].split(":"), "/usr/local/bin", "/usr/bin"):
        yield Path(folder) / name
    for pattern in (f".pyenv/versions/3.{minor}.*/bin", f".local/share/uv/python/cpython-3.{minor}.*/bin"):
        yield from (folder / name for folder in sorted(home.glob(pattern), reverse=True))


def find(minor: int) -> str | None:
    """The path of a released CPython 3.minor of this machine; None if there is none."""
    ask = (
        "import sys, ensurepip, venv; v = sys.version_info; "
        "print(v.minor if v.releaselevel == 'final' and sys.implementation.name == 'cpython' else '')"
    )
    for path in candidates(minor):
        if os.access(path, os.X_OK):
            words = [str(path), "-c", ask]
            # A program on PATH may be a shim for a Python that is not selected.
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.stdout.strip() == str(minor):
                return str(path)
    return None


def python_of(minor: int) -> str | None:
    """The path of Python 3.minor: the Python that runs this, if it has that version, or another one of this machine."""
    return str(Path(sys.executable).resolve()) if minor == sys.version_info.minor else find(minor)


def main() -> int:
    """Try each Python in turn."""
    claimed = [int(version[2:]) for version in lock.pythons(lock.pyproject())]
    mpis = local_mpi.find()
    if not mpis:
        sys.exit("check_pythons: found no MPI library to trace a program with; install openmpi-bin and libopenmpi-dev")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="such as 3.13; all if none is named")
    drawn_sample.add_options(parser)
    options = parser.parse_args()
    minors = [int(version.removeprefix("3.")) for version in options.versions]
    minors = minors or [*range(min(claimed), max(NEWEST, *claimed) + 1)]
    if options.sample:
        minors = drawn_sample.drawn_items([minor for minor in minors if python_of(minor)], options)
    tested, absent, failed, untestable = list[int](), list[int](), list[int](), list[str]()
    wheel: Path | None = None
    with tempfile.TemporaryDirectory(prefix="hopscope-pythons-") as scratch:
        for minor in minors:
            python = python_of(minor)
            if python is None:
                absent.append(minor)
                continue
            folder = Path(scratch) / f"3.{minor}"
            folder.mkdir()
            started = time.monotonic()
            try:
                # A wheel for the stable ABI serves all later releases.
                if wheel is None or "-abi3-" not in wheel.name:
                    wheel = build_wheel(python, folder)
                trace_and_analyze(install(python, wheel, folder), mpis[0], folder)
            except TrialError as error:
                if isinstance(error, NotInstallableError) and minor not in claimed:
                    untestable.append(f"3.{minor} ({error})")
                    continue
                failed.append(minor)
                print(f"Python 3.{minor} ({python}): failed: {error}", flush=True)
            else:
                tested.append(minor)
                took = time.monotonic() - started
                print(
                    f"Python 3.{minor} ({python}): {wheel.name} built a collector, traced and analysed in {took:.0f} s",
                    flush=True,
                )
    print(
        f"Pythons tested: {versions_text(tested)}"
        + (f"; failed: {versions_text(failed)}" if failed else "")
        + (f"; not found here: {versions_text(absent)}" if absent else "")
        + "".join(f"; could not be tested: {reason}" for reason in untestable)
    )
    return 1 if failed else 0


def versions_text(minors: list[int]) -> str:
    """The versions as text, such as `3.12 3.13`."""
    return " ".join(f"3.{minor}" for minor in minors) or "none"


if __name__ == "__main__":
    sys.exit(main())
