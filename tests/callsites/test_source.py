"""The text around a line is shown only from source files, and only if it is that of the recorded build."""

import os
from pathlib import Path

from hopscope.callsites.source import excerpt

RUN = {"started_at": "2026-11-21T04:52:55.408642561Z"}
LONG_BEFORE, LONG_AFTER = 1_700_000_000, 1_900_000_000


def written(path: Path, changed: int = LONG_BEFORE) -> str:
    path.write_text("".join(f"line {number}\n" for number in range(1, 11)))
    os.utime(path, (changed, changed))
    return str(path)


def test_lines_before_and_after_are_shown_as_far_as_there_are_any(tmp_path: Path) -> None:
    file = written(tmp_path / "a.c")
    passage = excerpt(file, 5, RUN, context=2)
    assert passage is not None
    assert dict(passage.lines) == {number: f"line {number}" for number in range(3, 8)}
    assert not passage.is_newer
    for line, line_numbers in ((1, [1, 2, 3]), (10, [8, 9, 10])):
        passage = excerpt(file, line, RUN, context=2)
        assert passage is not None
        assert list(passage.lines) == line_numbers


def test_a_file_that_was_changed_after_the_run_is_said_to_be(tmp_path: Path) -> None:
    passage = excerpt(written(tmp_path / "a.f90", LONG_AFTER), 5, RUN)
    assert passage is not None
    assert passage.is_newer
    unknown = excerpt(written(tmp_path / "a.f90"), 5, {"started_at": None})
    assert unknown is not None
    assert unknown.is_newer


def test_what_is_no_source_file_or_too_short_is_not_shown(tmp_path: Path) -> None:
    """A dataset may come from anybody and name any file."""
    assert excerpt(written(tmp_path / "secret.txt"), 5, RUN) is None
    assert excerpt(written(tmp_path / "shadow"), 5, RUN) is None
    assert excerpt(written(tmp_path / "a.c"), 11, RUN) is None
    assert excerpt(str(tmp_path / "gone.c"), 5, RUN) is None
    (tmp_path / "folder.c").mkdir()
    assert excerpt(str(tmp_path / "folder.c"), 5, RUN) is None
