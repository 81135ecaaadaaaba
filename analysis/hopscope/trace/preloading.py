"""Loads at once what the analyses of a trace otherwise load at their first use, which keeps commands quick to start."""

from hopscope.query import catalog


def preload() -> None:
    """Import every module that an analysis of one trace, or a suggestion, may need.

    A program that analyses on several threads calls it before it starts them. Packages look into `sys.modules` for
    pandas to see whether a value may be one of its own, and fail where another thread has it half imported. So the
    imports below have no other use.
    """
    import pyarrow as pa
    import pyarrow.compute  # pyright: ignore[reportUnusedImport]
    import scipy.special  # noqa: F401  # pyright: ignore[reportUnusedImport]

    from hopscope.advice import rank_order, setting, tree  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from hopscope.explain import function_of
    from hopscope.query import worker  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from hopscope.replay import modelled  # noqa: F401  # pyright: ignore[reportUnusedImport]

    for command in catalog.load().commands.values():
        for analysis in command.grains:
            if analysis.then is not None and analysis.base is None:  # those of two traces need scipy's statistics
                function_of(analysis.then)
    pa.array([None])  # with its first array pyarrow imports pandas, where that is installed
