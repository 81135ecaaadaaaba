"""Finds commands of other packages: the entry points of the group `hopscope.commands`, each a click command.

The entry point `NAME` becomes `hopscope NAME`, and `analyze.NAME` becomes `analyze NAME`. Hopscope's own commands come
first, so an entry point is loaded only for a name that is not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hopscope.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "hopscope.commands"


def registered_names(prefix: str = "") -> list[str]:
    """The names that other packages registered with this prefix."""
    return sorted(_entries(prefix))


def registered_command(name: str, prefix: str = "") -> click.Command | None:
    """The command of that name; None if no package registered it."""
    entry = _entries(prefix).get(name)
    if entry is None:
        return None
    try:
        command = entry.load()
    except Exception as error:  # importing another package's module may raise anything
        return _unavailable(name, entry, f"{type(error).__name__}: {error}")
    if isinstance(command, click.Command):
        return command
    return _unavailable(name, entry, f"{entry.value} is not a click command")


def _unavailable(name: str, entry: EntryPoint, reason: str) -> click.Command:
    """A substitute for another package's command that cannot be loaded, so that the help still works."""
    package = entry.dist.name if entry.dist else "another package"

    def tell() -> None:
        raise InputError(f"{name} comes from {package} and cannot be loaded ({reason}); reinstall or remove {package}")

    return click.Command(
        name,
        callback=tell,
        help=f"Not available: {package} registered this command, and it cannot be loaded ({reason}).",
        short_help=f"Not available: {package} is broken",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


def _entries(prefix: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # imported late, because few commands need it

    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {
        name.removeprefix(prefix): entry
        for name, entry in entries.items()
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }
