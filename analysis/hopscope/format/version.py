"""The version of Hopscope, as files and `--version` give it."""

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """The version of hopscope; `0+source` in a source tree that was never installed."""
    try:
        return version("hopscope")
    except PackageNotFoundError:
        return "0+source"
