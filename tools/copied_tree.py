"""Makes a copy of the working tree with its own environment, for checks that change and build sources: the mutations
and the guides. The copy borrows the tree's Python packages, but has its own Hopscope, native modules and collector."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import local_mpi

ROOT = Path(__file__).parents[1]
OWN_FOLDERS = ("build", ".venv", ".git")
_FROM_COPY = """
import sys, _drawn_paths, hopscope, hopscope.native._convert, hopscope.native._paths
modules = _drawn_paths, hopscope, hopscope.native._convert, hopscope.native._paths
sys.exit(not all(module.__file__.startswith(sys.argv[1]) for module in modules))
"""
"""Code that fails if a module does not come from the copy: then tests would not see the copy's changes."""


@dataclass(frozen=True)
class CopiedTree:
    """A copy of the tree at a path. The output of its commands goes to build/commands.log there."""

    root: Path

    @property
    def venv(self) -> Path:
        """The copy's environment."""
        return self.root / ".venv"

    @property
    def collector(self) -> Path:
        """The folder of its collector, built for the first MPI library found."""
        return self.root / "build" / f"collector-{local_mpi.find()[0].release}"

    @property
    def log(self) -> Path:
        """The file with the output of the copy's commands."""
        return self.root / "build" / "commands.log"

    def update(self) -> None:
        """Updates the copy to the state of the tree. Leaves equal files alone, so that little is built again."""
        (self.root / "build").mkdir(parents=True, exist_ok=True)
        self.log.unlink(missing_ok=True)
        sources = set(_sources())
        if not (self.root / ".git").exists():
            self.run("git", "init", "-q")
        copies = [path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file()]
        for name in copies:
            if name.parts[0] not in OWN_FOLDERS and name not in sources:
                (self.root / name).unlink()
        for folder in sorted((path for path in self.root.rglob("*") if path.is_dir()), reverse=True):
            if folder.relative_to(self.root).parts[0] not in OWN_FOLDERS and not any(folder.iterdir()):
                folder.rmdir()
        for name in sources:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                shutil.copy(ROOT / name, target)

    def build(self) -> bool:
        """Builds everything. False if a build fails; the log has its output."""
        return self.build_native() and self.build_collector() and self._uses_copy()

    def build_native(self) -> bool:
        """Installs the Python packages, editable, with their native modules."""
        if not self.venv.exists():
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.venv], check=True)
            version = f"python{sys.version_info.major}.{sys.version_info.minor}"
            packages = Path("lib") / version / "site-packages"
            borrowed = self.venv / packages / "packages_of_the_tree.pth"
            borrowed.write_text(f"{ROOT / '.venv' / packages}\n")
            pytest = self.venv / "bin" / "pytest"
            pytest.write_text(f'#!/bin/sh\nexec "{self.venv}/bin/python" -m pytest "$@"\n')
            pytest.chmod(0o755)
        pip = [sys.executable, "-m", "pip", "--python", self.venv / "bin" / "python", "install", "-q"]
        pip += ["--no-deps", "--no-build-isolation", "--ignore-installed", "-e", "."]
        return self.run(*pip, "--config-settings", "cmake.define.HOPSCOPE_TESTS=ON") == 0

    def build_collector(self) -> bool:
        """Builds and installs the collector, with its tests."""
        if not (self.collector / "build.ninja").exists():
            options = [f"-DMPI_C_COMPILER={local_mpi.find()[0].compiler}", f"-DCMAKE_INSTALL_PREFIX={self.venv}"]
            options += ["-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DBUILD_TESTING=ON"]
            if self.run("cmake", "-S", "collector", "-B", self.collector, "-G", "Ninja", *options) != 0:
                return False
        return self.run("cmake", "--build", self.collector) == 0 and self.run("cmake", "--install", self.collector) == 0

    def _uses_copy(self) -> bool:
        return self.run(self.venv / "bin" / "python", "-c", _FROM_COPY, self.root) == 0

    def run(self, *words: str | Path) -> int:
        """Run a command in the copy; returns its exit code."""
        environment = {
            **os.environ,
            "VIRTUAL_ENV": str(self.venv),
            "PATH": f"{self.venv / 'bin'}:{ROOT / '.venv/bin'}:{os.environ['PATH']}",
        }
        if shutil.which("ccache"):
            # As in tools/compiler-cache: paths are relative to the copy's root, so the tree and its copies share one
            # cache.
            environment |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
            environment |= {"CCACHE_DIR": os.environ.get("CCACHE_DIR", str(ROOT / "build" / "ccache"))}
            environment |= {"CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        with self.log.open("a") as log:
            print("\n$", *words, file=log, flush=True)
            return subprocess.run(
                [*map(str, words)], cwd=self.root, env=environment, stdout=log, stderr=log, check=False
            ).returncode


def _sources() -> Iterator[Path]:
    """The files of the tree as they are now, committed or not."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return (Path(name) for name in names.split("\0") if name and (ROOT / name).is_file())
