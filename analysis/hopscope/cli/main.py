"""The entry points `hopscope` and `analyze`: which commands there are, and what an error becomes (DESIGN: 0 done, 1 a
gate failed, 2 wrong input)."""

import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from typing import NoReturn, cast

import click

from hopscope.cli.analyze import analyze
from hopscope.cli.meant import add_what_was_meant
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.memory import is_shortage, shortage
from hopscope.render.report import program_version
from hopscope.render.visible import visible

# Commands with a module of their own, imported when asked for: analysing needs neither MPI nor the dashboard's
# packages.
_MODULES = ("run", "preload", "build", "recover", "inspect", "dashboard", "completion")

_INTERRUPTED = 130  # as a shell says of a command that Ctrl-C ended


class _Hopscope(click.Group):
    """A group whose other commands are modules of this folder, each exposing `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        present = [name for name in _MODULES if find_spec(f"hopscope.cli.{name}") is not None]
        return [*present, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name not in _MODULES:
            return super().get_command(ctx, cmd_name)
        return cast("click.Command", import_module(f"hopscope.cli.{cmd_name}").command)


@click.group(cls=_Hopscope, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(program_version(), prog_name="hopscope")
def hopscope() -> None:
    """See, explain and improve MPI collective communication, hop by hop.

    \b
    hopscope run -- mpirun -n 8 ./app        trace a program
    hopscope analyze critical-path TRACE     where its time went
    hopscope dashboard TRACE                 the same to look at
    """


hopscope.add_command(analyze)


def main() -> NoReturn:
    """Run `hopscope` with the command line's arguments and exit."""
    execute(hopscope, "hopscope")


def analyze_main() -> NoReturn:
    """Run `analyze` with the command line's arguments and exit."""
    execute(analyze, "analyze")


def execute(command: click.Command, name: str, arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code. Errors become one line on stderr; a reader that went away and Ctrl-C say
    nothing. A mistake of ours must not end with 1, which says that a gate failed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without a character for it gets a question mark
            stream.reconfigure(errors="replace")
    try:
        code: object = command.main(arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        say(f"{name}: {error}")
        sys.exit(2)
    except click.ClickException as error:
        add_what_was_meant(error)
        error.message = visible(error.message)
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if error.filename is None:
            _our_mistake(name)
        say(f"{name}: {error.filename}: {error.strerror}; check the path and its permissions")
        sys.exit(2)
    except Exception as error:
        if not is_shortage(error):
            _our_mistake(name)
        say(f"{name}: {shortage('this command')}")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _our_mistake(name: str) -> NoReturn:
    say(traceback.format_exc())
    say(f"{name}: this is a mistake in hopscope itself; please report it with the lines above")
    sys.exit(2)
