"""The wheel of `pip wheel .` works where there is no checkout: in an empty environment with the locked packages."""

import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import check_pythons
import local_mpi
import pytest

ROOT = Path(__file__).parents[2]
# Where the wheel has what a checkout has elsewhere.
PLACES = {
    "schemas/": "hopscope/schemas/",
    "collector/": "hopscope/collector/",
    "analysis/hopscope/": "hopscope/",
    "dashboard/hopscope_dashboard/": "hopscope_dashboard/",
}


def expected_names() -> set[str]:
    listed = subprocess.run(["git", "ls-files", *PLACES], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if (ROOT / name).is_file()]
    return {
        place + name.removeprefix(folder)
        for folder, place in PLACES.items()
        for name in names
        if name.startswith(folder) and not name.startswith("collector/tests/")
    }


# Building it takes a compiler a minute or two, and the packages come over the network.
@pytest.mark.timeout(1500)
def test_a_wheel_in_an_empty_environment_builds_a_collector_traces_and_answers(
    tmp_path: Path, first_mpi: local_mpi.LocalMpi
) -> None:
    python = str(Path(sys.executable).resolve())
    wheel = check_pythons.build_wheel(python, tmp_path)
    expected = expected_names()
    assert {"hopscope/schemas/tree.schema.json", "hopscope/collector/CMakeLists.txt"} < expected
    assert expected - set(zipfile.ZipFile(wheel).namelist()) == set()

    programs = check_pythons.install(python, wheel, tmp_path)
    answers = check_pythons.trace_and_analyze(programs, first_mpi, tmp_path)
    assert "heat" not in answers["summary"] and "app" in answers["summary"]
    shares = {row["category"]: float(row["share"]) for row in csv.DictReader(answers["critical-path"].splitlines())}
    assert shares["shm"] > 0
    assert sum(shares.values()) == pytest.approx(1)


def test_a_python_that_fails_fails_the_check_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    # It says that it is Python 3.14, and can do nothing else.
    broken = tmp_path / "python3.14"
    broken.write_text('#!/bin/sh\ncase "$*" in *print*) echo 14 ;; *) echo "no such thing" >&2; exit 3 ;; esac\n')
    broken.chmod(0o755)
    words = [sys.executable, check_pythons.__file__, "3.14", "3.99"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Python 3.14 ({broken}): failed: {broken} -m pip wheel" in done.stdout
    assert "ended with code 3:\nno such thing" in done.stdout
    own = f"3.{sys.version_info.minor}"
    assert f"Pythons tested: {own}; failed: 3.14; not found here: 3.99 ({own}," in done.stdout
