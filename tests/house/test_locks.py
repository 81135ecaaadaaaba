"""The locks in requirements/ agree with pyproject.toml, and tools/lock.py --check notices when they do not."""

import re
from pathlib import Path

import lock
import pytest

ROOT = Path(__file__).parents[2]
HASH = f"    --hash=sha256:{'0' * 64}"
GOOD = f"""# This file was made
click==8.1.7 \\
{HASH} \\
{HASH}
    # via
    #   -r -
    #   flask
numpy==2.4.6 ; python_full_version < '3.12' \\
{HASH}
    # via -r -
numpy==2.5.5 ; python_full_version >= '3.12' \\
{HASH}
    # via -r -
wheel==0.50.0 \\
{HASH}
    # via click
"""
REQUIREMENTS = ["click>=8.1,<9", "numpy>=2,<3"]
PYTHONS = ["3.11", "3.12", "3.13"]


def test_the_locks_are_what_pyproject_asks_for() -> None:
    requirements = lock.requirements_by_lock(lock.pyproject())
    assert {path.stem for path in lock.LOCKS.iterdir()} == set(requirements)
    pythons = lock.pythons(lock.pyproject())
    faults = {
        name: lock.faults((lock.LOCKS / f"{name}.txt").read_text(), words, pythons)
        for name, words in requirements.items()
    }
    assert faults == {name: [] for name in requirements}


def test_a_good_lock_has_no_faults() -> None:
    assert lock.faults(GOOD, REQUIREMENTS, PYTHONS) == []


@pytest.mark.parametrize(
    ("text", "requirements", "fault"),
    [
        (GOOD, ["click>=8.2,<9", "numpy>=2,<3"], "asks for click>=8.2,<9; for Python 3.11 the lock has 8.1.7"),
        (GOOD, ["click>=8.1,<9", "numpy>=2,<2.5"], "asks for numpy>=2,<2.5; for Python 3.12 the lock has 2.5.5"),
        (GOOD, [*REQUIREMENTS, "duckdb>=2,<3"], "asks for duckdb>=2,<3; for Python 3.13 the lock has none"),
        (GOOD, ["numpy>=2,<3"], "no longer asks for click"),
        (
            GOOD.replace(" ; python_full_version >= '3.12'", ""),
            REQUIREMENTS,
            "for Python 3.11 the lock has 2.4.6, 2.5.5",
        ),
        (GOOD.replace(f"wheel==0.50.0 \\\n{HASH}", "wheel==0.50.0"), REQUIREMENTS, "wheel has no hash"),
        (
            f"-i https://example.org/simple\n{GOOD}",
            REQUIREMENTS,
            "'-i https://example.org/simple' is neither",
        ),
        (f"{GOOD}click @ file:///tmp/click.whl\n", REQUIREMENTS, "'click @ file:///tmp/click.whl' is neither"),
        ("", REQUIREMENTS, "asks for click>=8.1,<9; for Python 3.11 the lock has none"),
    ],
)
def test_a_stale_lock_says_what_is_wrong(text: str, requirements: list[str], fault: str) -> None:
    assert any(fault in line for line in lock.faults(text, requirements, PYTHONS))


def test_a_stale_lock_fails_the_check_with_the_command_that_mends_it(capsys: pytest.CaptureFixture[str]) -> None:
    project = lock.pyproject()
    project["project"]["dependencies"].append("click<8")
    assert lock.check(project) == 1
    assert capsys.readouterr().err.endswith("The locks are stale. Run make lock\n")


def test_the_readme_claims_the_pythons_that_are_tested() -> None:
    claimed = re.search(r"Python (3\.\d+(?:, 3\.\d+)* and 3\.\d+)", (ROOT / "README.md").read_text())
    assert claimed is not None
    assert re.findall(r"3\.\d+", claimed[1]) == lock.pythons(lock.pyproject())
