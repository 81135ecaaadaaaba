"""Runs `hopscope` and `analyze` in this process, and returns their exit code and both streams, as another process
would.

A new process takes a second longer. It is only necessary to test the process itself.
"""

import contextlib
import io
import os
import subprocess
import warnings
from pathlib import Path
from typing import TextIO

import click
from click.shell_completion import BashComplete
from hopscope.cli.main import analyze as analyze_group
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as hopscope_group


def analyze(
    *arguments: str | Path, cwd: Path | None = None, stdout: TextIO | None = None
) -> subprocess.CompletedProcess[str]:
    """The result of `analyze` with these arguments, in a folder. stdout: the file for its answer."""
    return _run(analyze_group, "analyze", arguments, cwd, stdout)


def hopscope(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The result of `hopscope` with these arguments, in a folder."""
    return _run(hopscope_group, "hopscope", arguments, cwd)


def completed(line: str) -> list[str]:
    """The completions that bash gets at the end of a line: `kind,word`."""
    variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    old_values = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        return BashComplete(hopscope_group, {}, "hopscope", "_HOPSCOPE_COMPLETE").complete().splitlines()
    finally:
        for name, value in old_values.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _run(
    group: click.Command, name: str, arguments: tuple[str | Path, ...], cwd: Path | None, stdout: TextIO | None = None
) -> subprocess.CompletedProcess[str]:
    words, output, err = [*map(str, arguments)], io.StringIO(), io.StringIO()
    code: object = None
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(stdout or output))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(warnings.catch_warnings(action="error"))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        try:
            execute(group, name, words)
        except SystemExit as stop:
            code = stop.code
    return subprocess.CompletedProcess(
        [name, *words], code if isinstance(code, int) else 1, output.getvalue(), err.getvalue()
    )
