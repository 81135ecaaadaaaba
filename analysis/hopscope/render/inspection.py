"""Prints an inspection as tables for people: the open collectives, then all ranks. Ranks in the same place share a
row."""

from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hopscope.launch.inspection import Inspection, OpenCollective, ranks_text
from hopscope.render.terminal import console
from hopscope.render.visible import visible_line

_STATES = {
    "inside": "has entered",
    "left": "has left",
    "absent": "has not entered",
    "elsewhere": "calls another operation",
}


def print_inspection(stream: TextIO, inspection: Inspection) -> None:
    """Print what an inspection shows."""
    target = console(stream)
    for collective in inspection.collectives:
        target.print(_collective(inspection, collective))
    target.print(_ranks(inspection))
    for sentence in inspection.sentences():
        target.print(_text(sentence), style="bold", soft_wrap=True)
    for recording in inspection.facts["missing"]:
        if "MPI_Finalize was not reached" not in recording:
            target.print(_text(f"missing: {recording}"), style="dim", soft_wrap=True)


def _text(words: str) -> Text:
    """Text whose names are neither markup nor control the terminal."""
    return Text(visible_line(words))


def _collective(inspection: Inspection, collective: OpenCollective) -> Table:
    members = len(collective.ranks_in("inside"))
    title = (
        f"{collective.function} #{collective.seq} on {collective.name}: {members} of {len(collective.members)} in it"
    )
    table = _table(title, "ranks", "", "since", "waits for, or is")
    rows: dict[tuple[str, str], list[int]] = {}
    times: dict[tuple[str, str], list[int]] = {}
    for member in collective.members:
        if member.state == "inside":
            text, at_ns = inspection.waits_inside(member.rank), member.at_ns
        else:
            text, at_ns = inspection.location(member.rank)
        row = (_STATES[member.state], text)
        rows.setdefault(row, []).append(member.rank)
        if at_ns is not None:
            times.setdefault(row, []).append(at_ns)
    for (state, text), ranks in rows.items():
        first = min(times[state, text]) if (state, text) in times else None
        table.add_row(ranks_text(ranks), state, inspection.time_text(first), _text(text))
    return table


def _ranks(inspection: Inspection) -> Table:
    table = _table("ranks", "ranks", "host", "process", "since", "is")
    rows: dict[tuple[str, str, str], list[int]] = {}
    times: dict[tuple[str, str, str], list[int]] = {}
    has_worlds = len({facts["world"] for facts in inspection.ranks}) > 1
    for facts in inspection.ranks:
        text, at_ns = inspection.location(facts["rank"])
        host = facts["host"] or "-"
        row = (f"{host}, world {facts['world']}" if has_worlds else host, facts["state"], text)
        rows.setdefault(row, []).append(facts["rank"])
        if at_ns is not None:
            times.setdefault(row, []).append(at_ns)
    for row, ranks in rows.items():
        host, state, text = row
        first = min(times[row]) if row in times else None
        table.add_row(ranks_text(ranks), _text(host), state, inspection.time_text(first), _text(text))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
        title=_text(title),
        title_justify="left",
    )
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
