"""The table `places`: every call site of an archive and its properties."""

import json
from pathlib import Path
from typing import Any

from archive_drawing import Drawing, Place


def draw(directory: Path, *call_sites: str, by_hopscope: bool = True, **facts: Any) -> Drawing:
    drawing = Drawing(directory, [Place("h0")], by_hopscope=by_hopscope)
    for number, site in enumerate(call_sites):
        drawing.collective(0, 100 * number, 100 * number + 50, "MPI_Allreduce", call_site=site)
    drawing.properties["HOPSCOPE::RUN"] = json.dumps(facts)
    return drawing


def test_each_call_site_is_there_once_in_the_order_of_its_text(tmp_path: Path, rows: Any) -> None:
    places = rows(draw(tmp_path, "app+0x40", "app+0x10", "app+0x40"))["places"]
    assert [(row["call_site"], row["place"], row["how"]) for row in places] == [
        ("app+0x10", "app+0x10", "unidentified"),
        ("app+0x40", "app+0x40", "unidentified"),
    ]


def test_a_module_whose_file_is_gone_is_said_to_be(tmp_path: Path, rows: Any) -> None:
    module = {"name": "app", "path": str(tmp_path / "gone" / "app"), "build_id": "6b21"}
    [row] = rows(draw(tmp_path, "app+0x40", modules=[module], started_at="2026-11-21T04:52:55.408642561Z"))["places"]
    assert (row["how"], row["module"]) == ("no file", str(tmp_path / "gone" / "app"))


def test_another_tools_archive_says_file_and_line_itself(tmp_path: Path, rows: Any) -> None:
    drawing = draw(tmp_path, by_hopscope=False)
    drawing.span(0, 0, 10, "MPI_Init")
    drawing.span(0, 20, 30, "solve", "/src/heat.c")
    [row] = rows(drawing)["places"]
    assert (row["place"], row["how"], row["file"], row["module"]) == ("heat.c", "archive", "/src/heat.c", None)


def test_an_archive_without_call_sites_has_no_places(tmp_path: Path, rows: Any) -> None:
    assert rows(draw(tmp_path, ""))["places"] == []
