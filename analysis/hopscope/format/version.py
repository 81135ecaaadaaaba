"""The version of Hopscope, as files and `--version` give it."""

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """Version of hopscope; of a source tree that was never installed, `0+source`."""
    try:
        return version("hopscope")
    except PackageNotFoundError:
        return "0+source"
