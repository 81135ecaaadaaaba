"""tools/newcomer hides the machine's settings, but keeps the access to registries. tools/check-fresh never passes
without a check."""

import os
import shutil
import subprocess
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"


def newcomer(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | variables
    return subprocess.run(
        [TOOLS / "newcomer", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_newcomer_has_no_settings_and_reaches_the_same_registries(tmp_path: Path) -> None:
    hidden = {"PYTHONPATH": "/x", "PIP_FIND_LINKS": "/x", "PIP_CONFIG_FILE": "/x", "CFLAGS": "-x", "HOPSCOPE_TREE": "x"}
    hidden |= {"XDG_CONFIG_HOME": "/x", "VIRTUAL_ENV": "/x", "CMAKE_C_COMPILER_LAUNCHER": "x", "OMPI_MCA_btl": "x"}
    inherited = {"PIP_INDEX_URL": "https://example.org/simple", "https_proxy": "http://example.org:3128", "CI": "true"}
    inherited |= {"PIP_CERT": "/x", "TMPDIR": str(tmp_path)}
    stdout = newcomer("env", **hidden, **inherited).stdout
    variables = dict(line.split("=", 1) for line in stdout.splitlines())
    assert not hidden.keys() & variables.keys()
    assert {key: variables.get(key) for key in inherited} == inherited
    assert variables["PIP_NO_CACHE_DIR"] == variables["PYTHONNOUSERSITE"] == "1"
    assert variables["HOME"].startswith(f"{tmp_path}/newcomer-")


def test_a_newcomers_home_is_empty_and_gone_afterwards_and_the_exit_code_is_the_commands(tmp_path: Path) -> None:
    done = newcomer("sh", "-c", 'ls -A "$HOME"; touch "$HOME/left"; exit 7', TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (7, "")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_checked_is_said_and_does_not_pass(tmp_path: Path) -> None:
    # The script finds all tools that it needs to notice this, but no debootstrap.
    for name in ("bash", "dirname", "git", "true", "unshare"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [tmp_path / "bash", TOOLS / "check-fresh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "NOTHING WAS CHECKED: debootstrap is not installed (Debian: apt-get install debootstrap)" in done.stderr
