"""Loads at once what the analyses of a trace otherwise load at their first use, which keeps commands quick to start."""

import pkgutil
from importlib import import_module

from hopscope import catalog


def preload() -> None:
    """Import every module that an analysis of one trace, or a suggestion, may need.

    A program that analyses on several threads calls it before it starts them. Packages look into `sys.modules` for
    pandas to see whether a value may be one of its own, and fail where another thread has it half imported.
    """
    verdicts = {
        analysis.then
        for command in catalog.load().commands.values()
        for analysis in command.grains
        if analysis.then is not None and analysis.base is None  # those of two traces need scipy's statistics
    }
    for name in sorted(verdicts):
        import_module(f"hopscope.{name}")
    remap = import_module("hopscope.remap")
    for module in pkgutil.iter_modules(remap.__path__, "hopscope.remap."):
        import_module(module.name)
    import_module("pyarrow.compute")
    import_module("pyarrow").array([None])  # with its first array pyarrow imports pandas, where that is installed
