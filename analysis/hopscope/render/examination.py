"""Prints an examination of this machine as a table for people: what was found, how serious it is, and what to do."""

from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hopscope.doctor import Examination
from hopscope.render.terminal import console
from hopscope.render.visible import visible_line

_STYLES = {"ok": "green", "caution": "yellow", "problem": "bold red"}


def print_examination(stream: TextIO, examination: Examination) -> None:
    """Print all findings, and whether a run can be traced."""
    target = console(stream)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in examination.findings:
        text = Text(visible_line(finding.sentence) + ".")
        if finding.remedy:
            text.append(f"\n-> {visible_line(finding.remedy)}", style="dim" if finding.state == "ok" else "")
        table.add_row(Text(finding.state, style=_STYLES[finding.state]), finding.topic, text)
    target.print(table)
    target.print(Text(visible_line(examination.verdict)), style="bold", soft_wrap=True)
