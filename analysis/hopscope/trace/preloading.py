"""Imports at once all modules that analyses need. Otherwise they are imported only at first use, so that commands start
quickly."""

from hopscope.query import catalog


def preload() -> None:
    """Import every module that an analysis of one trace, or a suggestion, may need.

    A program that analyses in several threads calls this before it starts them. Packages look for pandas in
    `sys.modules` to see if a value may be one of pandas', and fail if another thread has it half imported. The imports
    below have no other purpose.
    """
    import pyarrow as pa
    import pyarrow.compute  # pyright: ignore[reportUnusedImport]
    import scipy.special  # noqa: F401  # pyright: ignore[reportUnusedImport]

    from hopscope.advice import rank_order, setting, tree  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from hopscope.explain import function_of
    from hopscope.query import worker  # noqa: F401  # pyright: ignore[reportUnusedImport]

    for command in catalog.load().commands.values():
        for analysis in command.grains:
            if analysis.then is not None and analysis.base is None:  # comparisons need more of scipy
                function_of(analysis.then)
    pa.array([None])  # pyarrow imports pandas with its first array, if it is installed
