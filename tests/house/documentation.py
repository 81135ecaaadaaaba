"""Reads the documentation of a source: docstrings, C and C++ doc comments, and the comment that opens a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PYTHON_SUFFIXES: Final = (".py", ".pyi")
C_SUFFIXES: Final = (".c", ".h", ".cpp", ".hpp")
SUFFIXES: Final = (*PYTHON_SUFFIXES, *C_SUFFIXES, ".sql")
DOC_COMMENT: Final = re.compile(r"/\*\*<?(?!/)(?P<text>.*?)\*/", re.DOTALL)
OPENING_COMMENT: Final = re.compile(r"\s*(/\*+|//+|--)(?P<text>.*?)(\*/|\n|$)", re.DOTALL)
VAGUE_BEGINNING: Final = re.compile(r"(What(ever)?|Of|So|The same|Whether|Wher(e|ever)|How(ever)?)\b")
"""Beginnings that leave the noun or the verb of the first sentence unsaid."""

Documentation = tuple[int, str]
"""The line and the text of a docstring or a comment."""


def documentation_in(file: Path) -> Iterator[Documentation]:
    """The docstrings of a Python source, or the opening comment and the doc comments of another source."""
    text = file.read_text()
    if file.suffix in PYTHON_SUFFIXES:
        return _docstrings(text)
    return _comments(text)


def is_vague(text: str) -> bool:
    """True if a docstring or a comment begins with a word such as What, Of, So, Where or How."""
    return VAGUE_BEGINNING.match(text.strip(" \t\n*")) is not None


def _docstrings(text: str) -> Iterator[Documentation]:
    """Every statement that is a string: it documents a module, a class, a function or the name assigned before it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _comments(text: str) -> Iterator[Documentation]:
    opening = OPENING_COMMENT.match(text)
    if opening:
        yield _line(text, opening), opening["text"]
    for match in DOC_COMMENT.finditer(text, opening.end() if opening else 0):
        yield _line(text, match), match["text"]


def _line(text: str, comment: re.Match[str]) -> int:
    return text.count("\n", 0, comment.start("text")) + 1
