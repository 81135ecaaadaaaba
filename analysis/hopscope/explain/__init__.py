"""Computes answers that SQL cannot give: statistics with random draws, spectra, and walks over a few rows.

If the header of an analysis says `then explain.NAME`, its query runs first, and the module NAME of this folder makes
the analysis's rows from the query's. The module exposes one function, which `function_of` below returns:

    answer(rows, base, parameters[, ask][, read]) -> list of dictionaries keyed by the documented columns

`rows` is the query's table, `base` its table for the trace to compare with (None without a comparison) and `parameters`
those of the analysis. With several runs, both tables hold the rows of all runs; the column `run` numbers the runs and
`trace` names them. `ask` returns the rows of an analysis that the header names after `asks`. `read` returns a table or
view that the header names after `reads`. `verdict` calls the function; no module here reads a dataset.
"""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Function = Callable[..., list[Row]]


def function_of(module: str) -> Function:  # noqa: PLR0912 - a branch for each module
    """Returns the function of the module that a header names after `then`. Imports only this module, because some need
    scipy, which is slow to import."""
    match module:
        case "explain.algorithms":
            from hopscope.explain.algorithms import answer
        case "explain.algorithm_edges":
            from hopscope.explain.algorithm_edges import answer
        case "explain.diagnosis":
            from hopscope.explain.diagnosis import answer
        case "explain.amplification":
            from hopscope.explain.amplification import answer
        case "explain.compare_activities":
            from hopscope.explain.compare_activities import answer
        case "explain.compare_paths":
            from hopscope.explain.compare_paths import answer
        case "explain.compare_structure":
            from hopscope.explain.compare_structure import answer
        case "explain.compare_times":
            from hopscope.explain.compare_times import answer
        case "explain.efficiency":
            from hopscope.explain.efficiency import answer
        case "explain.periods":
            from hopscope.explain.periods import answer
        case "explain.region_efficiency":
            from hopscope.explain.region_efficiency import answer
        case "explain.scaling":
            from hopscope.explain.scaling import answer
        case "explain.trust":
            from hopscope.explain.trust import answer
        case _:
            raise LookupError(f"no module {module} is named in {__name__}.function_of")
    return answer
