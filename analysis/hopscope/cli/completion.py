"""`hopscope completion`: the script with which a shell completes commands and their options."""

import click
from click.shell_completion import get_completion_class


@click.command(name="completion", short_help="Print a completion script for your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that makes your shell complete `hopscope` and `analyze`: commands, options, values and file names.

    Put the first line into ~/.bashrc, the second into ~/.zshrc, or run the third once.

    \b
    Examples:
      eval "$(hopscope completion bash)"
      eval "$(hopscope completion zsh)"
      hopscope completion fish > ~/.config/fish/completions/hopscope.fish
    """
    from hopscope.cli.analyze import analyze

    makes = get_completion_class(shell)
    assert makes is not None  # click supports these three shells
    for program, group in (("hopscope", context.find_root().command), ("analyze", analyze)):
        click.echo(makes(group, {}, program, f"_{program.upper()}_COMPLETE").source())
