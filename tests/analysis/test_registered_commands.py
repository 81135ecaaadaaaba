"""Commands that other packages register: they run as ours do, and one that is broken takes nothing else with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

GREETING = """
import click

@click.command()
def greet() -> None:
    \"\"\"Say hello.\"\"\"
    click.echo("hello")
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder as pip leaves one, of a package with a command that works and two that cannot be loaded."""
    about = tmp_path / "guests-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[hopscope.commands]\ngreet = guests:greet\nlost = guests_of_nobody:lost\nodd = guests:GREETING\n"
    )
    (tmp_path / "guests.py").write_text(f"GREETING = 'no command'\n{GREETING}")
    return tmp_path


def hopscope(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from hopscope.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": str(package)}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_command_of_another_package_runs_and_is_listed(package: Path) -> None:
    assert hopscope(package, "greet").stdout == "hello\n"
    assert "Say hello." in hopscope(package, "--help").stdout


def test_commands_that_cannot_be_loaded_say_so_and_leave_the_others_alone(package: Path) -> None:
    listed = hopscope(package, "--help")
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.count("Not available: guests is broken") == 2
    for name, reason in (("lost", "No module named 'guests_of_nobody'"), ("odd", "is not a click command")):
        told = hopscope(package, name, "--anything", "at", "all")
        assert told.returncode == 2
        assert f"{name} comes from guests and cannot be loaded" in told.stderr
        assert reason in told.stderr
        assert "Traceback" not in told.stderr
