"""Building blocks of a report: texts, tables and folded parts as HTML. Every text of a trace is escaped here."""

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from typing import Final

_CODE: Final = re.compile(r"`([^`]+)`")
_TAG: Final = re.compile(r"<(style|title)\b.*?</\1>|<[^>]*>", re.DOTALL)
_LONGEST: Final = 60
"""Largest number of words of a text that is shown whole."""

Cell = str | int | None
Row = Sequence[Cell]


def plain(text: Cell) -> str:
    """Give a text, without its end if it is very long."""
    words = str("–" if text is None else text).split()
    return escape(" ".join(words[:_LONGEST]) + (" …" if len(words) > _LONGEST else ""))


def sentence(text: Cell) -> str:
    """Give a text with its backticked words as code."""
    return _CODE.sub(r"<code>\1</code>", plain(text))


def paragraph(text: str | None, css: str = "") -> str:
    """Give a paragraph; empty if there is no text."""
    return f'<p class="{css}">{sentence(text)}</p>' if text else ""


def bullets(texts: Iterable[str]) -> str:
    """Give texts as a list."""
    return f"<ul>{''.join(f'<li>{sentence(text)}</li>' for text in texts)}</ul>"


def table(name: str, columns: Sequence[str], rows: Iterable[Row], right: Iterable[int] = ()) -> str:
    """Give a table. `name` is its id, `right` are the columns of numbers."""
    classes = dict.fromkeys(right, ' class="number"')

    def line(cells: Row, tag: str) -> str:
        cell_markup = (f"<{tag}{classes.get(column, '')}>{sentence(cell)}</{tag}>" for column, cell in enumerate(cells))
        return f"<tr>{''.join(cell_markup)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        f'<div class="frame"><table id="{name}"><thead>{line(columns, "th")}</thead><tbody>{body}</tbody></table></div>'
    )


def folded(name: str, title: str, content: str) -> str:
    """Give a part that a click on its title unfolds."""
    return f'<details id="{name}"><summary>{escape(title)}</summary>{content}</details>'


def number_of_words(markup: str) -> int:
    """Count the words that a reader sees."""
    return len(unescape(_TAG.sub(" ", markup)).split())
