"""The examples for CI systems are valid, and their commands have the documented effect on a real program: first without
a baseline, then with one, then with a change that a gate must catch."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import local_mpi
import pytest
import yaml

BIN = Path(sys.executable).parent
EXAMPLES = local_mpi.ROOT / "docs" / "ci"
INSTALLING = "Install MPI and Hopscope"

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int ranks, sum = 0, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < %d; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum == ranks ? 0 : 3;
}
"""


def described(name: str) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true.
    return yaml.safe_load((EXAMPLES / name).read_text())


def github() -> list[str]:
    """The commands of Hopscope's steps, in their order, without the installation."""
    steps = described("github-actions.yml")["jobs"]["gates"]["steps"]
    assert next(step["name"] for step in steps if "run" in step) == INSTALLING
    return [step["run"] for step in steps if "run" in step and step["name"] != INSTALLING]


def gitlab() -> list[str]:
    job = described("gitlab-ci.yml")["collectives"]
    # The shell skips the commands after a failed one, here as in CI; after_script always runs.
    return ["\n".join(job["script"]), "\n".join(job["after_script"])]


@pytest.mark.parametrize(
    ("schema", "name"), [("vendor.github-workflows", "github-actions.yml"), ("vendor.gitlab-ci", "gitlab-ci.yml")]
)
def test_the_ci_system_takes_the_file(schema: str, name: str) -> None:
    done = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", schema, EXAMPLES / name],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_systems_run_the_same_commands() -> None:
    lines = [
        {line.removesuffix(' >> "$GITHUB_STEP_SUMMARY"') for command in commands for line in command.splitlines()}
        for commands in (github(), gitlab())
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 10


SYSTEMS = [
    pytest.param(commands, id=system, marks=pytest.mark.statistics)
    for system, commands in (("GitHub", github()), ("GitLab", gitlab()))
]


@pytest.mark.parametrize("commands", SYSTEMS)
def test_its_commands_gate_a_program(commands: list[str], tmp_path: Path, first_mpi: local_mpi.LocalMpi) -> None:
    if first_mpi.release != "openmpi-4":
        pytest.fail("the examples install Debian's Open MPI, and this machine has none: apt-get install libopenmpi-dev")
    gates = (EXAMPLES / "hopscope.toml").read_text()
    # On a busy machine a run may take any time, so no gate here fails by time.
    (tmp_path / "hopscope.toml").write_text(
        gates.replace("> 5%", "> 1000000%")
        .replace("baseline - 10%", "baseline - 100%")
        .replace("baseline + 10%", "baseline + 100%")
    )

    def pipeline(times: int) -> tuple[list[int], dict[str, str]]:
        """Exit codes of the parts, run as the system runs them, and the outcome of each gate."""
        (tmp_path / "app.c").write_text(PROGRAM % times)
        subprocess.run(
            ["rm", "-rf", *(f"trace-{n}" for n in (1, 2, 3)), "gates.md", "gates.xml", "report.html", "history.html"],
            cwd=tmp_path,
            check=True,
        )
        environment = os.environ | {
            "PATH": f"{mpi_commands(tmp_path, first_mpi)}:{BIN}:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "GITHUB_SHA": f"commit-{len(list(tmp_path.glob('history/*')))}",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        codes = [
            subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", command], cwd=tmp_path, env=environment, check=False, timeout=240
            ).returncode
            for command in commands
        ]
        suite = ElementTree.parse(tmp_path / "gates.xml").getroot()
        outcomes = {
            str(case.get("name")): next((child.tag for child in case), "passed") for case in suite.iter("testcase")
        }
        assert (tmp_path / "gates.md").stat().st_size
        assert (tmp_path / "report.html").stat().st_size
        assert (tmp_path / "history.html").stat().st_size
        return codes, outcomes

    codes, outcomes = pipeline(200)
    assert set(codes) == {0}
    assert "skipped" in outcomes.values()
    assert (tmp_path / "baseline-3").is_dir()

    codes, outcomes = pipeline(200)
    assert set(codes) == {0}
    assert set(outcomes.values()) == {"passed"}

    codes, outcomes = pipeline(260)
    assert 1 in codes
    entries = [json.loads((tmp_path / "history" / f"commit-{number}.json").read_text()) for number in range(3)]
    assert [entry["outcome"] for entry in entries] == ["passed", "passed", "failed"]
    assert entries[0]["structure"] == entries[1]["structure"] != entries[2]["structure"]
    assert [gate for gate, outcome in outcomes.items() if outcome == "failure"]


def mpi_commands(folder: Path, mpi: local_mpi.LocalMpi) -> Path:
    """A folder with the commands mpicc and mpirun of this library. They have other names where several libraries are
    installed."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name, command in (("mpicc", mpi.compiler), ("mpirun", mpi.launcher)):
        if not (bin_folder / name).exists():
            (bin_folder / name).symlink_to(shutil.which(command) or command)
    return bin_folder
