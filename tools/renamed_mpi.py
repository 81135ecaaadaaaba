"""Makes an MPI library that Hopscope does not know, for the guide docs/add-an-mpi-library.md: Oak MPI, which is this
machine's Open MPI with another soname and another version macro.

    python tools/renamed_mpi.py       # into build/oak
"""

import shlex
import subprocess
from pathlib import Path

import local_mpi

FOLDER = local_mpi.ROOT / "build" / "oak"
OAK = local_mpi.LocalMpi("oak", "oak-4", str(FOLDER / "bin" / "mpicc"), str(FOLDER / "bin" / "mpirun"))


def _write_script(file: Path, text: str) -> None:
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def _paths(words: list[str], option: str) -> list[Path]:
    return [Path(word.removeprefix(option)) for word in words if word.startswith(option)]


def make(mpi: local_mpi.LocalMpi) -> None:
    """Makes header, library, compiler wrapper and launcher of Oak MPI from a library of Open MPI."""
    for name in ("include", "lib", "bin"):
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    answer = subprocess.run([mpi.compiler, "-show"], capture_output=True, text=True, check=True)
    compiler, *words = shlex.split(answer.stdout)
    headers, libraries = _paths(words, "-I"), _paths(words, "-L")
    header = next(path / "mpi.h" for path in headers if (path / "mpi.h").is_file())
    macros = header.read_text().replace("OMPI_MAJOR_VERSION", "OAK_MAJOR_VERSION")
    (FOLDER / "include" / "mpi.h").write_text(macros)
    # The two sonames are equally long, so the file keeps its layout.
    library = (libraries[0] / "libmpi.so").read_bytes().replace(b"libmpi.so.40", b"liboak.so.40")
    (FOLDER / "lib" / "liboak.so.40").write_bytes(library)
    (FOLDER / "lib" / "liboak.so").unlink(missing_ok=True)
    (FOLDER / "lib" / "liboak.so").symlink_to("liboak.so.40")
    compile_words = [f"-I{path}" for path in (FOLDER / "include", *headers)]
    link_words = [f"-L{FOLDER / 'lib'}", f"-Wl,-rpath,{FOLDER / 'lib'}", "-loak"]
    command = shlex.join([compiler, *compile_words, *link_words])
    # CMake runs `mpicc -show` to learn the compiler's arguments.
    _write_script(
        FOLDER / "bin" / "mpicc",
        f'[ "$1" != -show ] || exec echo {shlex.quote(command)}\n'
        f'exec {shlex.join([compiler, *compile_words])} "$@" {shlex.join(link_words)}',
    )
    launcher, _, _, *options = mpi.launch(1)
    _write_script(FOLDER / "bin" / "mpirun", f'exec {shlex.join([launcher, *options])} "$@"')


if __name__ == "__main__":
    make(next(mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"))
