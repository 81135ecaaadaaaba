"""The MPI libraries of this machine: how to compile for each and how to launch on a machine with few cores.

For the demo, the tests, the sample traces and the benchmarks. Users start their own jobs with their own launchers.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class LocalMpi:
    """One MPI library: flavour as the collector names it, compiler wrapper, launcher."""

    flavour: str
    compiler: str
    launcher: str

    def launch(self, ranks: int) -> list[str]:
        """The launcher's words for so many ranks on this machine, whatever its cores and whoever we are."""
        words = [self.launcher, "-n", str(ranks)]
        if self.flavour == "openmpi":
            words += ["--oversubscribe"]
            # In a container one rank may not read another's memory, and Open MPI would say so for every rank.
            words += ["--mca", "btl_vader_single_copy_mechanism", "none"]
            if os.geteuid() == 0:
                words += ["--allow-run-as-root"]
        return words

    @property
    def fortran(self) -> str | None:
        """The Fortran compiler wrapper beside the C one, if this library has its Fortran bindings here."""
        return shutil.which(str(Path(self.compiler).with_name(Path(self.compiler).name.replace("mpicc", "mpifort"))))

    def compile(self, source: Path, *flags: str, name: str = "") -> Path:
        """The program made from one C or Fortran file, in build/programs/<flavour>/; made again only if the source is
        newer. Say a name where one source makes several programs.

        Raises RuntimeError with the compiler's words if it does not compile.
        """
        program = ROOT / "build" / "programs" / self.flavour / (name or source.stem)
        if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
            return program
        program.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place first: two processes may compile at once, and nobody may start half a program.
        unfinished = program.with_suffix(f".{os.getpid()}")
        start = (
            [self.compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra"] if source.suffix == ".c" else [self.fortran or ""]
        )
        words = [*start, "-o", str(unfinished), str(source), *flags, "-lm"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr}")
        unfinished.replace(program)
        return program


def _flavour_of(compiler: str) -> str | None:
    done = subprocess.run(
        [compiler, "-E", "-dM", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=False
    )
    if "#define OPEN_MPI " in done.stdout:
        return "openmpi"
    return "mpich" if "#define MPICH_VERSION " in done.stdout else None


def find() -> list[LocalMpi]:
    """The MPI libraries found, Open MPI first; each with a compiler wrapper and a launcher of its own."""
    found: dict[str, LocalMpi] = {}
    for suffix in (".openmpi", ".mpich", ""):
        compiler = shutil.which(f"mpicc{suffix}")
        launcher = shutil.which(f"mpirun{suffix}") or shutil.which(f"mpiexec{suffix}")
        if compiler and launcher:
            flavour = _flavour_of(compiler)
            if flavour:
                found.setdefault(flavour, LocalMpi(flavour, compiler, launcher))
    return [found[flavour] for flavour in ("openmpi", "mpich") if flavour in found]
