"""`hopscope completion`: what a shell needs to complete our commands and their options."""

import click
from click.shell_completion import get_completion_class


@click.command(name="completion", short_help="Print what makes your shell complete the commands.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print what makes your shell complete `hopscope` and `analyze`: commands, options, their values and file names.

    Put the first line into ~/.bashrc, the second into ~/.zshrc, or run the third once.

    \b
    Examples:
      eval "$(hopscope completion bash)"
      eval "$(hopscope completion zsh)"
      hopscope completion fish > ~/.config/fish/completions/hopscope.fish
    """
    from hopscope.cli.analyze import analyze
    from hopscope.cli.main import hopscope

    makes = get_completion_class(shell)
    assert makes is not None  # click has these three
    for program, group in (("hopscope", hopscope), ("analyze", analyze)):
        click.echo(makes(group, {}, program, f"_{program.upper()}_COMPLETE").source())
