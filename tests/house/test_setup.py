"""tools/setup leaves no stamp behind that says of something new that it is built."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Stands in for the virtual environment's Python: `pip install --prefix FOLDER` makes the folder.
PYTHON = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --prefix ] && mkdir -p "$2"; shift; done
exit 0
"""


def test_an_mpi_library_that_is_fetched_gets_a_collector_after_the_demo_has_built_others(tmp_path: Path) -> None:
    # After `make demo`, `make dev` fetched Open MPI 5 and MPICH 5 and built no collector for them.
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
    assert is_left == [False, True]  # nothing new the second time
