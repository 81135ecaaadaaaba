"""Suggests the command, option or choice that a mistyped name may mean."""

import re
from collections.abc import Sequence

import click

from hopscope.errors import suggestion


def add_what_was_meant(error: click.ClickException) -> None:
    """Appends `Did you mean ...?` to an error about a name that is close to a valid one."""
    if not isinstance(error, click.UsageError):
        return
    wrong = re.search(r"^No such command '(.+)'|^'(.+?)' is not one of ", error.message)
    if wrong is None or "Did you mean" in error.format_message():  # newer releases of click suggest names themselves
        return
    error.message = error.message.rstrip(" .") + (suggestion(wrong[1] or wrong[2], _valid_names(error)) or ".")


def check_first_word(words: Sequence[str]) -> None:
    """Raises UsageError if the launcher's or program's words begin with an option, because the command has no such
    option."""
    if words and words[0].startswith("-"):
        context = click.get_current_context()
        options = [name for option in context.command.params for name in option.opts if name.startswith("--")]
        raise click.UsageError(f"No such option {words[0]!r}{suggestion(words[0], options)}", context)


def _valid_names(error: click.UsageError) -> Sequence[str]:
    """The valid names in the place of the wrong one: a group's commands, or an option's choices."""
    if isinstance(error, click.BadParameter):
        kind = error.param.type if error.param is not None else None
        return [str(choice) for choice in kind.choices] if isinstance(kind, click.Choice) else []
    if error.ctx is not None and isinstance(error.ctx.command, click.Group):
        return error.ctx.command.list_commands(error.ctx)
    return []
