"""Shells complete every command, its options and their values, using the program as it is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from document_commands import commands
from hopscope.cli.main import hopscope
from hopscope.native import _plan
from started_commands import completed
from started_commands import hopscope as run_here

PROGRAM = Path(sys.executable).with_name("hopscope")
COMMAND_NAMES = sorted(commands(hopscope, "hopscope"))


def offers(line: str) -> list[str]:
    """The completions that bash gets for the end of a line, each as `kind,word`."""
    return completed(line)


def completions(line: str) -> list[str]:
    """The words of the completions that bash gets for the end of a line."""
    return [offer.partition(",")[2] for offer in offers(line)]


@pytest.mark.parametrize("group", sorted({words.rpartition(" ")[0] for words in COMMAND_NAMES if " " in words}))
def test_every_command_of_a_group_is_completed(group: str) -> None:
    expected = [words.rpartition(" ")[2] for words in COMMAND_NAMES if words.rpartition(" ")[0] == group]
    assert sorted(completions(f"{group} ")) == expected


def test_the_program_as_it_is_installed_answers_the_shell() -> None:
    line = "hopscope analyze last-arr"
    variables = {"_HOPSCOPE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "2"}
    done = subprocess.run([PROGRAM], env=os.environ | variables, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == offers(line) == ["plain,last-arrivals"]


def test_options_and_their_values_are_completed() -> None:
    assert "--fail-if" in completions("hopscope analyze critical-path --f")
    assert "host" in completions("hopscope analyze critical-path --by h")
    assert "perfetto" in completions("hopscope analyze export --format p")


@pytest.mark.parametrize("command", ["run", "preload"])
def test_every_shape_and_algorithm_is_completed_and_else_files(command: str) -> None:
    names = completions(f"hopscope {command} --tree ")
    algorithms = {row.name for row in _plan.algorithms() if not row.by_tree}
    assert algorithms | {row.name for row in _plan.shapes() if not row.counts} - {"explicit"} <= set(names)
    assert completions(f"hopscope {command} --tree leaders:r") == ["leaders:recursive-doubling", "leaders:ring"]
    assert "kary:" in names and "kary" not in names
    assert completions(f"hopscope {command} --tree bino") == ["binomial", "binomial-mpich", "binomial-lam"]
    assert offers(f"hopscope {command} --tree ./my") == ["file,./my"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script_for_both_programs(shell: str) -> None:
    done = run_here("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_HOPSCOPE_COMPLETE" in done.stdout
    assert "_ANALYZE_COMPLETE" in done.stdout


def test_bash_takes_the_script() -> None:
    script = run_here("completion", "bash").stdout
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\ncomplete -p hopscope analyze"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.count("complete -o nosort -F") == 2
    assert done.stderr == ""
