"""Spack's recipe for the collector and the assembler, for the MPI library that Spack chooses:

    spack repo add packaging/spack/spack_repo/hopscope
    spack install hopscope-collector ^openmpi

The analyses come from the wheel, which finds this collector once the package is loaded. Spack lacks some of their
Python packages, such as duckdb.

Tried: the same cmake build with the MPI libraries that `make dev` finds; tests/house/test_packaging.py compares this
file with it. Not tried: Spack itself.
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class HopscopeCollector(CMakePackage):
    """Records MPI programs for Hopscope, and runs their collectives over trees."""

    # Hopscope has no public address yet, so this checkout is the source.
    git = Path(__file__).resolve().parents[6].as_uri()
    root_cmakelists_dir = "collector"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("otf2")

    def cmake_args(self):
        """Name the MPI library, and the folder in which `hopscope` looks."""
        return [
            self.define("BUILD_TESTING", False),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """Lead `hopscope` to this collector."""
        env.set("HOPSCOPE_COLLECTOR_DIR", self.prefix)
