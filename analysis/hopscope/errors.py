"""The error for wrong input, and texts that its messages share."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells define it."""


class InputError(Exception):
    """Wrong input. Its message says what is wrong, where, and what to do next; commands print it and exit with 2."""


def shortened_list(names: Sequence[str], limit: int = 8) -> str:
    """The first of many names, and how many more there are: `a, b and 40 more`."""
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def suggestion(wrong: str, candidates: Iterable[str]) -> str:
    """The end of a message about an unknown name: `. Did you mean NAME?`, or nothing if no known name is close."""
    names = sorted(candidates)
    # A prefix counts as close to the whole name, even if it is short.
    matches = [name for name in names if name.startswith(wrong.lower())] or difflib.get_close_matches(
        wrong.lower(), names, n=1
    )
    return f". Did you mean {matches[0]}?" if matches else ""


_INTERRUPTED_QUERY: Final = "Query interrupted"
"""The message of the RuntimeError that DuckDB's module raises for a KeyboardInterrupt."""


def is_interrupt(error: BaseException) -> bool:
    """Tell whether Ctrl-C raised this error."""
    # While DuckDB reads Arrow data, it makes an error of its own of it, whose message has the name.
    name, text = KeyboardInterrupt.__name__, str(error)
    return isinstance(error, KeyboardInterrupt) or text == _INTERRUPTED_QUERY or name in text
