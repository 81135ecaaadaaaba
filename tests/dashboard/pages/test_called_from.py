"""The collective's page shows the call site and the source around it."""

import json
import os
from pathlib import Path
from typing import Any

import plotly
from hopscope.callsites.source import Excerpt, excerpt
from hopscope_dashboard.components import source

RUN = {"started_at": "2026-11-21T04:52:55.408642561Z"}


def read(file: str, line: int) -> Excerpt | None:
    return excerpt(file, line, RUN)


def call(place: str | None, file: str | None = None, line: int | None = None) -> dict[str, Any]:
    return {"place": place, "file": file, "line": line, "call_site": "/opt/heat+0x10"}


def to_json(component: Any) -> str:
    return json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder)


def test_the_source_of_the_place_that_most_ranks_call_from_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "heat.c"
    file.write_text("before\nsum(&x);\nafter\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    step_call, main_call = call("step (heat.c:2)", str(file), 2), call("main (heat.c:1)", str(file), 1)
    [card] = source.card([step_call, main_call, step_call], read)
    text = to_json(card)
    assert "step (heat.c:2), by 2 of 3 ranks." in text
    assert all(line in text for line in ("1  before", "2  sum(&x);", "3  after"))
    assert "has changed" not in text
    os.utime(file, (1_900_000_000, 1_900_000_000))
    assert "has changed since the run" in to_json(source.card([step_call], read))


def test_without_a_file_at_hand_there_is_no_source(tmp_path: Path) -> None:
    assert source.card([call("step (heat.c:2)", str(tmp_path / "heat.c"), 2)], read) == []
    assert source.card([call("step+0x2a (heat)")], read) == []
    assert source.card([], read) == []


def test_a_call_is_named_by_its_place_and_else_by_its_module() -> None:
    assert source.place(call("step (heat.c:2)", "/src/heat.c", 2)).children == "step (heat.c:2)"
    assert source.place(call("/opt/heat+0x10")).children == "heat+0x10"
    assert source.place(call("/opt/heat+0x10")).title == "/opt/heat+0x10"
    assert source.place(call(None)) == "–"
