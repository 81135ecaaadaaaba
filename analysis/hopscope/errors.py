"""The one error that means: what you gave us is wrong, and here is what to do about it."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

INTERRUPTED = 130
"""The exit code that a shell gives for a command that Ctrl-C ended."""


class InputError(Exception):
    """Wrong input. Its message says what is wrong, where, and what to do next; commands print it and exit with 2."""


def shortened_list(names: Sequence[str], limit: int = 8) -> str:
    """The first of many names, and how many more there are: `a, b and 40 more`."""
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def suggestion(wrong: str, candidates: Iterable[str]) -> str:
    """The end of a message about a name that is nearly a known one: `. Did you mean NAME?`; else nothing."""
    names = sorted(candidates)
    # A prefix of a name stands for it, however short.
    matches = [name for name in names if name.startswith(wrong.lower())] or difflib.get_close_matches(
        wrong.lower(), names, n=1
    )
    return f". Did you mean {matches[0]}?" if matches else ""


_INTERRUPTED_QUERY: Final = "Query interrupted"
"""Words of the RuntimeError that DuckDB's module raises for a KeyboardInterrupt."""


def is_interrupt(error: BaseException) -> bool:
    """Tell whether Ctrl-C raised this error."""
    return isinstance(error, KeyboardInterrupt) or str(error) == _INTERRUPTED_QUERY
