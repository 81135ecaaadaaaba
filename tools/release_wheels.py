"""Builds the two wheels of a release by tools/wheel, each with a Python of this machine.

nanobind's modules use Python's stable ABI from 3.12 on, so one wheel serves 3.12 and all later releases. Python 3.11
needs a wheel of its own.
"""

import subprocess
import sys
from pathlib import Path

import check_pythons

ROOT = Path(__file__).parents[1]
MINORS = {"cp311": (11,), "cp312-abi3": range(12, check_pythons.NEWEST + 1)}
"""The tags of the wheels, and the Pythons (by their minor versions) that build each."""


class NoPythonError(Exception):
    """Raised if this machine has no Python that can build a wheel."""


def wheel_in(folder: Path, tag: str) -> Path | None:
    """The wheel with this tag in a folder, if there is one."""
    return next(folder.glob(f"hopscope-*-{tag}-*.whl"), None)


def build(tag: str, folder: Path) -> Path:
    """Build the wheel with this tag in a folder.

    Raises NoPythonError if this machine has no Python for it, and CalledProcessError if the build fails.
    """
    pythons = [python for minor in MINORS[tag] if (python := check_pythons.python_of(minor))]
    if not pythons:
        raise NoPythonError(
            f"found no Python {' or '.join(f'3.{minor}' for minor in MINORS[tag])} to build the wheel {tag} with"
        )
    words = [ROOT / "tools" / "wheel", folder]
    # .venv's Python has the build's requirements.
    is_own = sys.version_info.minor in MINORS[tag] and sys.prefix != sys.base_prefix
    subprocess.run(words if is_own else [*words, pythons[0]], check=True)
    wheel = wheel_in(folder, tag)
    assert wheel is not None
    return wheel
