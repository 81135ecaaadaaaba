"""Finds the MPI libraries of this machine: how to compile for each, and how to launch jobs if there are few cores.

For the demo, the tests, the sample traces and the benchmarks. Users start their own jobs with their own launchers.
"""

import ctypes
import functools
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Headers of the project that test programs include.
_HEADERS = (*(ROOT / "collector" / "include").rglob("*.h"), *(ROOT / "schemas").glob("*.h"))
_PATIENT = ROOT / "collector" / "tests" / "patient.c"

MPICH_IN_MESSAGES = {
    "HOPSCOPE_NATIVE": "mpich",
    "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": str(10**9),
    "I_MPI_COLL_INTRANODE": "pt2pt",
}
"""Variables that expose the own messages of MPICH and Intel MPI. Otherwise, on one host, MPICH 5 uses shared memory
after a few calls, and Intel MPI from the first."""


@dataclass(frozen=True)
class LocalMpi:
    """One MPI library: flavour and release as the collector names them, compiler wrapper, launcher."""

    flavour: str
    release: str
    compiler: str
    launcher: str

    def launch(self, ranks: int) -> list[str]:
        """The launcher's words for a job of `ranks` ranks on this machine, even with fewer cores and as root."""
        words = [self.launcher, "-n", str(ranks)]
        if self.flavour == "openmpi":
            words += ["--oversubscribe"]
            # In a container a rank may not read another's memory, and Open MPI 4 would complain for every rank. Its
            # `treematch` sometimes hangs in MPI_Dist_graph_create: in 4 of 2,000 jobs that first made one communicator.
            of_release_4 = ["--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "topo", "basic"]
            words += of_release_4 if self.release == "openmpi-4" else []
            # Debian 13's build of release 5 complains, for every rank, about an interface with both IPv4 and IPv6
            # addresses.
            words += ["--mca", "btl_tcp_disable_family", "6"] if self.release == "openmpi-5" else []
            if os.geteuid() == 0:
                words += ["--allow-run-as-root"]
        return words

    @property
    def fortran(self) -> str | None:
        """The Fortran compiler wrapper beside the C one, if this library has its Fortran bindings here."""
        return self._sibling("mpifort") or self._sibling("mpifc")

    def _sibling(self, wrapper: str) -> str | None:
        return shutil.which(str(Path(self.compiler).with_name(Path(self.compiler).name.replace("mpicc", wrapper))))

    def _words_for(self, suffix: str) -> list[str]:
        """The compiler for a source with this suffix, with its standard and warnings."""
        warnings = ["-O2", "-Wall", "-Wextra"]
        if suffix == ".c":
            return [self.compiler, "-std=gnu11", *warnings]
        if suffix == ".cpp":
            # Open MPI 4's header would include MPI-2's C++ classes, which cause warnings.
            return [self._sibling("mpicxx") or "", "-std=c++17", "-DOMPI_SKIP_MPICXX", *warnings]
        # Intel's libmpifort finds libmpi only if the program needs libmpi itself.
        return [self.fortran or "", *["-Wl,--no-as-needed"] * (self in find_intel())]

    def compile(self, source: Path, *flags: str, name: str = "") -> Path:
        """The program made from one C, C++ or Fortran file, in build/programs/<release>/. name: by default that of the
        file, without its suffix.

        Raises RuntimeError with the compiler's output if it does not compile.
        """
        headers = sorted(source.parent.glob("*.h"))
        return self.build([source], *flags, "-lm", name=name or source.stem, included=headers)

    def build(self, sources: Sequence[Path], *flags: str, name: str, included: Sequence[Path] = ()) -> Path:
        """The program of this name, made from several files of one language. It is made again if anything has changed:
        the compiler, the flags, the sources, the files that they include, or the collector's headers.

        Raises RuntimeError with the compiler's output if it does not compile.
        """
        words = [*self._words_for(sources[0].suffix), *map(str, sources), *flags]
        # A folder for each way to make it, so that two sources of one name, or two ways to compile one, stay apart.
        program = ROOT / "build" / "programs" / self.release / _digest(words, [*sources, *included, *_HEADERS]) / name
        if program.exists():
            return program
        if words[0] == self.fortran:
            words += ["-J", str(program.parent)]  # the folder for its Fortran modules
        program.parent.mkdir(parents=True, exist_ok=True)
        # Made under another name first: two processes may compile at once, and no process may start half a program.
        unfinished = program.with_name(f"{name}.{os.getpid()}")
        done = subprocess.run([*words, "-o", str(unfinished)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr}")
        unfinished.replace(program)
        return program

    def patience(self) -> dict[str, str]:
        """The environment in which a waiting rank of MPICH yields its core to others, as Open MPI's ranks do. With it,
        several ranks on one core take a tenth of the time."""
        if self.flavour != "mpich":
            return {}
        return {"LD_PRELOAD": str(self.compile(_PATIENT, "-shared", "-fPIC", "-ldl", name="patient.so"))}


def _digest(words: list[str], files: Sequence[Path]) -> str:
    """A digest of one way to make a program: the compiler, its words and the contents of files."""
    compiler = Path(words[0]).resolve()
    digest = hashlib.sha256(f"{words} {compiler} {compiler.stat().st_mtime_ns}".encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def share_cores() -> None:
    """Lets jobs of this process make progress if their ranks, or other programs beside them, outnumber the cores.
    Otherwise a rank that polls keeps its core from the rank that it waits for, for a whole time slice of the scheduler,
    3 ms, each time.

    Asks for slices of 0.1 ms (Linux 6.12 and later on x86-64; elsewhere nothing happens), and tells Open MPI to yield
    while idle. Release 4 does that with --oversubscribe, release 5 only if told to.
    """
    os.environ.update(OMPI_MCA_mpi_yield_when_idle="1")
    sched_setattr, size, slice_ns = 314, 56, 100_000
    attributes = (ctypes.c_int32 * (size // 4))(size)
    attributes[4] = os.getpriority(os.PRIO_PROCESS, 0)
    attributes[6] = slice_ns
    ctypes.CDLL(None).syscall(sched_setattr, 0, attributes, 0)


def without_hopscope() -> dict[str, str]:
    """This process's environment without the variables of the collector; each job sets its own."""
    return {key: value for key, value in os.environ.items() if not key.startswith("HOPSCOPE_")}


def _release_of(compiler: str) -> str | None:
    """The flavour and release, read from mpi.h as collector/CMakeLists.txt does. Intel MPI 2021 is
    `mpich-2021`."""
    words = [compiler, "-E", "-dM", "-x", "c", "-"]
    done = subprocess.run(words, input="#include <mpi.h>\n", capture_output=True, text=True, check=False)
    for flavour, macro in (
        ("abi", "MPI_ABI_VERSION +"),
        ("openmpi", "OMPI_MAJOR_VERSION +"),
        ("mpich", 'I_MPI_VERSION +"'),
        ("mpich", 'MPICH_VERSION +"'),
    ):
        match = re.search(rf"#define {macro}([0-9]+)", done.stdout)
        if match and (flavour != "abi" or compiler.endswith("_abi")):
            return f"{flavour}-{match.group(1)}"
    return None


def _local(compiler: str | None, launcher: str | None) -> list[LocalMpi]:
    release = _release_of(compiler) if compiler and launcher else None
    return [LocalMpi(release.partition("-")[0], release, str(compiler), str(launcher))] if release else []


_INTEL = ROOT / ".venv" / "mpi" / "intelmpi-2021" / "bin"
PREFERRED = ("openmpi-4", "mpich-5")
"""The releases that `make test` runs under. If one is missing, the oldest of its flavour replaces it."""


@functools.cache
def find_all() -> list[LocalMpi]:
    """All MPI libraries here but Intel's, Open MPI's releases first: the system's, and those that `tools/setup python
    test` puts into .venv/mpi. Each has its own compiler wrapper and launcher."""
    releases: dict[str, LocalMpi] = {}
    for suffix in (".openmpi", ".mpich", ""):
        launcher = shutil.which(f"mpirun{suffix}") or shutil.which(f"mpiexec{suffix}")
        for mpi in _local(shutil.which(f"mpicc{suffix}"), launcher):
            releases.setdefault(mpi.release, mpi)
    for compiler in sorted((ROOT / ".venv" / "mpi").glob("*/bin/mpicc*")):
        if compiler.name in ("mpicc", "mpicc_abi") and compiler.parent != _INTEL:
            for mpi in _local(str(compiler), str(compiler.with_name("mpirun"))):
                releases.setdefault(mpi.release, mpi)
    flavours = ("openmpi", "mpich", "abi")
    return sorted(releases.values(), key=lambda mpi: (flavours.index(mpi.flavour), mpi.release))


@functools.cache
def find_intel() -> list[LocalMpi]:
    """Intel MPI, if `tools/setup mpi intelmpi-2021` has fetched it, as the only element. One test of each kind runs
    under it, in a slice."""
    # Intel's mpirun would start the first mpiexec.hydra on PATH, which may be MPICH's.
    return _local(shutil.which(_INTEL / "mpicc"), shutil.which(_INTEL / "mpiexec"))


def find() -> list[LocalMpi]:
    """One release of Open MPI and one of MPICH, for checks that do not depend on the release."""
    libraries: dict[str, LocalMpi] = {}
    for mpi in find_all():
        if mpi.flavour != "abi" and (mpi.flavour not in libraries or mpi.release in PREFERRED):
            libraries[mpi.flavour] = mpi
    return list(libraries.values())
