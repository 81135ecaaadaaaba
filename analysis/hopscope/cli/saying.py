"""Prints a command's messages, separate from its answer."""

import click

from hopscope.render.visible import visible


def say(text: str) -> None:
    """Print a sentence to stderr. Names in it cannot control the terminal."""
    click.echo(visible(text), err=True)
