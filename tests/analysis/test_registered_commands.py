"""Commands that other packages register run like Hopscope's own commands. A registered command that is broken does not
affect the others."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from started_commands import hopscope

GREETING = """
import click

@click.command()
def greet() -> None:
    \"\"\"Say hello.\"\"\"
    click.echo("hello")
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder with an installed package, from which Python imports. The package registers one command that works and
    two that cannot be loaded."""
    monkeypatch.syspath_prepend(tmp_path)
    metadata = tmp_path / "guests-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[hopscope.commands]\ngreet = guests:greet\nlost = guests_of_nobody:lost\nodd = guests:GREETING\n"
    )
    (tmp_path / "guests.py").write_text(f"GREETING = 'no command'\n{GREETING}")
    yield tmp_path
    sys.modules.pop("guests", None)


def test_a_command_of_another_package_runs_and_is_listed(package: Path) -> None:
    assert "Say hello." in hopscope("--help").stdout
    code = "from hopscope.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, "greet"],
        env=os.environ | {"PYTHONPATH": str(package)}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout == "hello\n"


@pytest.mark.usefixtures("package")
def test_commands_that_cannot_be_loaded_say_so_and_leave_the_others_alone() -> None:
    help_page = hopscope("--help")
    assert help_page.returncode == 0, help_page.stderr
    assert help_page.stdout.count("Not available: guests is broken") == 2
    for name, reason in (("lost", "No module named 'guests_of_nobody'"), ("odd", "is not a click command")):
        failure = hopscope(name, "--anything", "at", "all")
        assert failure.returncode == 2
        assert f"{name} comes from guests and cannot be loaded" in failure.stderr
        assert reason in failure.stderr
        assert "Traceback" not in failure.stderr
