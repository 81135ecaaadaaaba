"""A command's messages beside its answer."""

import click

from hopscope.render.visible import visible


def say(text: str) -> None:
    """Print a sentence on stderr; what names bring along acts on no terminal."""
    click.echo(visible(text), err=True)
