"""Builds a collector library for one more MPI library, from the sources that come with the package."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.installed import PACKAGED_FILES, collector_sources


def build_collector(mpicc: str, prefix: Path) -> Path:
    """Builds the collector with an MPI compiler wrapper and installs it into prefix/lib/hopscope; returns the library.

    Raises InputError with the tools' last output if that fails.
    """
    compiler = shutil.which(mpicc)
    if compiler is None:
        raise InputError(
            f"compiler wrapper {mpicc!r} not found; name the mpicc of the MPI library that the program uses"
        )
    words = [compiler, "-x", "c", "-fsyntax-only", "-"]
    check = subprocess.run(words, input="#include <mpi.h>\n", capture_output=True, text=True, check=False)
    if check.returncode != 0:
        reason = (check.stderr.strip().splitlines() or [f"it exits with code {check.returncode}"])[0]
        raise InputError(
            f"{compiler} cannot compile a file that includes <mpi.h>, so it is not an MPI compiler wrapper ({reason}); "
            "name the mpicc of the MPI library that the program uses"
        )
    # The assembler of a self-contained wheel serves all MPI libraries. Only building one takes libotf2 and pkg-config.
    assembler = sorted(PACKAGED_FILES.glob("*hopscope-assemble*"))
    for tool in ("cmake",) if assembler else ("cmake", "pkg-config"):
        if _tool(tool) is None:
            raise InputError(f"building the collector needs {tool}; install it (cmake also comes as a Python package)")
    sources = collector_sources()
    with tempfile.TemporaryDirectory(prefix="hopscope-build-") as folder:
        cmake = str(_tool("cmake"))
        _run(
            [
                cmake,
                "-S",
                str(sources),
                "-B",
                folder,
                f"-DMPI_C_COMPILER={compiler}",
                f"-DCMAKE_INSTALL_PREFIX={prefix}",
                "-DBUILD_TESTING=OFF",
                f"-DHOPSCOPE_ASSEMBLER={'OFF' if assembler else 'ON'}",
            ]
        )
        # Without a number, make compiles all files at once, which overloads a login node.
        _run([cmake, "--build", folder, "--parallel", str(len(os.sched_getaffinity(0)))])
        _run([cmake, "--install", folder])
        library_name = next(Path(folder).glob("libhopscope-*-*.so")).name
    for path in assembler:
        shutil.copy(path, prefix / "lib" / "hopscope")
    return prefix / "lib" / "hopscope" / library_name


def _tool(name: str) -> str | None:
    tool = Path(sys.executable).with_name(name)
    return str(tool) if tool.is_file() else shutil.which(name)


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise InputError(f"building the collector failed; the last output of `{' '.join(words[:4])} ...`:\n{output}")
