"""The address of a view: the page and its selection.

Every link of the pages is made here, so that users can send any view to somebody.
"""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

Query = Mapping[str, str]


def parse(search: str | None) -> dict[str, str]:
    """Give the parameters of an address such as `?comm=0&seq=3`; if one is given twice, its last value."""
    return dict(parse_qsl((search or "").lstrip("?")))


def link(path: str, **parameters: object) -> str:
    """Give the address of a page with these parameters; those that are None or empty are left out."""
    query = {name: value for name, value in parameters.items() if value is not None and value != ""}
    return f"{path}?{urlencode(query)}" if query else path


def number(query: Query, name: str) -> int | None:
    """Give a parameter as a whole number from 0 up; None if it is missing or not such a number."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def view(query: Query) -> tuple[int, int] | None:
    """Give the range of time in view, such as `view=1200..3400`, in ns; None if it is missing or not a range."""
    match = re.fullmatch(r"(-?\d{1,18})\.\.(-?\d{1,18})", query.get("view", ""))
    ends = (int(match[1]), int(match[2])) if match else (0, 0)
    return ends if ends[0] < ends[1] else None


def allowed_word(query: Query, name: str, allowed: tuple[str, ...]) -> str:
    """Give a parameter that must be an allowed word; the first allowed word if it is missing or not allowed."""
    value = query.get(name, "")
    return value if value in allowed else allowed[0]
