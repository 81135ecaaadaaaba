"""`make check-pythons` fails if a Python fails. It builds the wheel and runs it, which takes minutes."""

import os
import subprocess
import sys
from pathlib import Path

import check_pythons


def test_a_wheel_has_to_contain_the_packages_and_the_collectors_sources() -> None:
    names = check_pythons.names_in_wheel()
    assert {
        "hopscope/schemas/tree.schema.json",
        "hopscope/collector/CMakeLists.txt",
        "hopscope/query/catalog.py",
    } < names
    assert not [name for name in names if "/tests/" in name]


def test_a_python_that_fails_fails_the_check_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    # This program claims to be Python 3.14, and can do nothing else.
    broken = tmp_path / "python3.14"
    broken.write_text('#!/bin/sh\ncase "$*" in *print*) echo 14 ;; *) echo "no such thing" >&2; exit 3 ;; esac\n')
    broken.chmod(0o755)
    words = [sys.executable, check_pythons.__file__, "3.14", "3.99"]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Python 3.14 ({broken}): failed: {broken} -m pip wheel" in done.stdout
    assert "ended with code 3:\nno such thing" in done.stdout
    assert "Pythons tested: none; failed: 3.14; not found here: 3.99" in done.stdout
