"""Numbers become text only in hopscope/format/quantities.py.

Regression: durations were formatted in five ways, and a page showed 46 % where the command showed 45.6 %.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOME = ROOT / "analysis" / "hopscope" / "format" / "quantities.py"
SHIPPED = [
    file
    for folder in ("analysis/hopscope", "dashboard/hopscope_dashboard", "demo")
    for file in (ROOT / folder).rglob("*")
    if file.suffix in (".py", ".sql", ".js") and file != HOME
]
# Coordinates in a drawing, and a moving progress bar.
EXCEPTIONS = ("_svg.py", "_svg.js", "graphs/svg.py", "analysis/hopscope/cli/progress.py")

WRITES = {
    "a format with digits": re.compile(r"\{[^{}\n]*:[<>^ ,+_]*\d*(?:,|\.\d+[fgeEG%]|[geEG%])\}"),
    "printf or round in a sentence": re.compile(r"%[.\d]+[fge]|format\('[^']*\{:"),
    "digits in the browser": re.compile(r"\.to(?:Fixed|Precision|LocaleString|Exponential)\("),
    "a unit behind a number": re.compile(r"\} (?:ns|us|µs|ms|s|%|KiB|MiB|GiB)(?![a-zA-Z{])"),
}


def ways(file: Path) -> list[str]:
    """The lines of a file that turn a number into text."""
    text = file.read_text(encoding="utf-8")
    return [
        f"{file.relative_to(ROOT)}:{number}: {kind}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for kind, pattern in WRITES.items()
        if pattern.search(line)
    ]


def test_no_other_file_turns_numbers_into_text() -> None:
    assert len(SHIPPED) > 100
    assert [way for file in SHIPPED if not str(file).endswith(EXCEPTIONS) for way in ways(file)] == []


@pytest.mark.parametrize(
    "line",
    [
        'f"{value:.1%}"',
        'f"{time / 1e6:.3g} ms"',
        'f"{count:,}"',
        "printf('%.1f %%', share)",
        "format('{:.6g} ms', ns)",
        "value.toFixed(1)",
        'f"{microseconds} µs"',
    ],
)
def test_another_way_would_be_seen(line: str) -> None:
    assert any(pattern.search(line) for pattern in WRITES.values())
