"""Open MPI's launcher refuses a job: one line names the option to add, and the exit code is the launcher's."""

import os
import subprocess
import sys
from pathlib import Path

import local_mpi
import pytest

HOPSCOPE = Path(sys.executable).parent / "hopscope"
TOO_MANY = 10_000
"""More ranks than any machine has cores."""


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["-n", str(TOO_MANY)], "cores; give {name} --oversubscribe, or fewer ranks"),
        (
            ["--host", "localhost:2", "-n", "9"],
            "on its hosts, which have 2; give {name} --oversubscribe, or fewer ranks",
        ),
        (None, "starts nothing as root; run as another user, or give {name} --allow-run-as-root"),
    ],
)
def test_what_the_launcher_refuses_is_said_with_the_option_that_helps(
    options: list[str] | None, advice: str, first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    if first_mpi.flavour != "openmpi":
        pytest.fail("Debian's Open MPI is not installed: apt-get install libopenmpi-dev")
    is_root = os.geteuid() == 0
    if options is None and not is_root:
        pytest.skip("only root is refused")
    environment = {name: value for name, value in os.environ.items() if "ALLOW_RUN_AS_ROOT" not in name}
    allowed = ["--allow-run-as-root"] if is_root and options is not None else []
    words = [first_mpi.launcher, *allowed, *(options or ["-n", "1"]), "/bin/true"]
    alone, traced = (
        subprocess.run([*prefix, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        for prefix in ([], [HOPSCOPE, "run", "--"])
    )
    assert alone.returncode == traced.returncode != 0
    (line,) = [line for line in traced.stderr.splitlines() if line.strip().startswith("hopscope: ")]
    assert line.endswith(advice.format(name=Path(first_mpi.launcher).name)), line
