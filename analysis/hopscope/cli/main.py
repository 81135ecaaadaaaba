"""The programs `hopscope` and `analyze`: their commands and exit codes (0 done, 1 a gate failed, 2 wrong input)."""

import sys
import traceback
from io import TextIOWrapper
from typing import NoReturn

import click

from hopscope.cli.analyze import analyze
from hopscope.cli.meant import add_what_was_meant
from hopscope.cli.registered import registered_command, registered_names
from hopscope.cli.saying import say
from hopscope.dataset.memory import is_shortage, shortage
from hopscope.errors import INTERRUPTED, InputError, is_interrupt
from hopscope.format.version import program_version
from hopscope.render.visible import visible


class _Hopscope(click.Group):
    """A group that imports a command only when it is used. So `analyze` works without MPI, and `run` does not wait for
    pyarrow."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = [
            "doctor",
            "run",
            "preload",
            "build",
            "recover",
            "inspect",
            "net",
            "native",
            "probe",
            "tune",
            "sweep",
            "completion",
            *super().list_commands(ctx),
        ]
        return [*names, *registered_names()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = _tracing_command(cmd_name) or _measuring_command(cmd_name)
        return command or super().get_command(ctx, cmd_name) or registered_command(cmd_name)


def _tracing_command(name: str) -> click.Command | None:
    """The command for traced jobs of this name."""
    match name:
        case "doctor":
            from hopscope.cli.doctor import command
        case "run":
            from hopscope.cli.run import command
        case "preload":
            from hopscope.cli.preload import command
        case "build":
            from hopscope.cli.build import command
        case "recover":
            from hopscope.cli.recover import command
        case "inspect":
            from hopscope.cli.inspect import command
        case "native":
            from hopscope.cli.native import command
        case _:
            return None
    return command


def _measuring_command(name: str) -> click.Command | None:
    """The command of this name that measures, or helps to use the others."""
    match name:
        case "net":
            from hopscope.cli.net import command
        case "probe":
            from hopscope.cli.probe import command
        case "tune":
            from hopscope.cli.tune import command
        case "sweep":
            from hopscope.cli.sweep import command
        case "completion":
            from hopscope.cli.completion import command
        case _:
            return None
    return command


@click.group(cls=_Hopscope, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(program_version(), prog_name="hopscope")
def hopscope() -> None:
    """See, explain and improve MPI collective communication, hop by hop.

    \b
    hopscope doctor                          can a run be traced here
    hopscope run -- mpirun -n 8 ./app        trace a program
    hopscope analyze TRACE                   what is wrong with the run
    hopscope dashboard TRACE                 the same in the browser
    """


hopscope.add_command(analyze)


def main() -> NoReturn:
    """Run `hopscope` with the command line's arguments and exit."""
    execute(hopscope, "hopscope")


def analyze_main() -> NoReturn:
    """Run `analyze` with the command line's arguments and exit."""
    execute(analyze, "analyze")


def execute(command: click.Command, name: str, arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code. An error becomes one line on stderr; Ctrl-C and a closed pipe print
    nothing. A bug in Hopscope exits with 2, because 1 means that a gate failed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # characters that the terminal lacks become question marks
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
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.filename is None:
            _our_mistake(name)
        say(f"{name}: {error.filename}: {error.strerror}; check the path and its permissions")
        sys.exit(2)
    except Exception as error:
        if is_interrupt(error):
            sys.exit(INTERRUPTED)
        if not is_shortage(error):
            _our_mistake(name)
        say(f"{name}: {shortage('this command')}")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _our_mistake(name: str) -> NoReturn:
    say(traceback.format_exc())
    say(f"{name}: this is a bug in hopscope; please report it with the lines above")
    sys.exit(2)
