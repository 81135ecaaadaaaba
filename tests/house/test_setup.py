"""A newly fetched MPI library gets a collector, even if `make demo` has already built collectors for other
libraries."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
# A substitute for the virtual environment's Python: `pip install --prefix FOLDER` makes the folder.
PYTHON = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --prefix ] && mkdir -p "$2"; shift; done
exit 0
"""


def test_an_mpi_library_that_is_fetched_gets_a_collector_after_the_demo_has_built_others(tmp_path: Path) -> None:
    # Regression: after `make demo`, `make dev` fetched Open MPI 5 and MPICH 5 but built no collector for them.
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "tools").mkdir()
    for name in ("setup", "compiler-cache"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    python, stamp = tmp_path / ".venv" / "bin" / "python", tmp_path / ".venv" / "stamps" / "collector"
    for file in (python, stamp):
        file.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    is_left: list[bool] = []
    for _ in range(2):
        stamp.touch()
        subprocess.run([tmp_path / "tools" / "setup", "python", "test"], check=True, capture_output=True)
        is_left.append(stamp.exists())
    assert is_left == [False, True]  # the second fetch brings nothing new


def test_make_builds_a_collector_for_an_mpi_library_that_it_has_just_fetched(tmp_path: Path) -> None:
    # Regression: make checked the stamp before the fetch removed it, so `make test` after `make demo` had no MPICH 5.
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("requirements", "collector", "schemas", "tools", ".venv/stamps", "build", "analysis/native"):
        (tmp_path / folder).mkdir(parents=True)
    for file in (
        "requirements/test.txt",
        "pyproject.toml",
        "CMakeLists.txt",
        ".venv/stamps/collector",
        "build/system-test",
    ):
        (tmp_path / file).touch()
    setup = tmp_path / "tools" / "setup"
    setup.write_text('#!/bin/sh\necho "$*" >>verbs\n[ "$1 $2" != "python test" ] || rm .venv/stamps/collector\n')
    setup.chmod(0o755)
    (tmp_path / "build/system-test").touch()  # so that it is newer than tools/setup
    subprocess.run(["make", "setup-test"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "verbs").read_text().splitlines() == ["python test", "collector"]
