"""`analyze findings`: what the numbers of a trace mean, in sentences.

From the rows of other analyses to findings. Pages, reports and summaries show these and have none of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any, Final, get_args

import pyarrow as pa

from hopscope.findings.algorithms import of_algorithms
from hopscope.findings.arrivals import of_arrivals, of_late_ranks
from hopscope.findings.conditions import CONDITIONS, of_condition
from hopscope.findings.finding import Ask, Finding, Row, Run, Severity
from hopscope.findings.hops import of_delayed_hops, of_tree
from hopscope.findings.noise import of_noise, of_periods
from hopscope.findings.path import of_critical_path, of_wan_share, without_collectives
from hopscope.findings.settings import of_settings
from hopscope.header import Scalar

SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

_Find = Callable[[Ask, Run, Mapping[str, Any]], Finding | None]

FINDINGS: Final[Mapping[str, _Find]] = {
    "unfinished": lambda ask, run, given: of_condition("unfinished", ask("caveats")),
    "cores": lambda ask, run, given: of_condition("cores", ask("caveats")),
    "collectives": lambda ask, run, given: None if run.collectives else without_collectives(run),
    "critical-path": lambda ask, run, given: of_critical_path(ask("critical-path"), run),
    "last-arrivals": lambda ask, run, given: of_arrivals(ask("last-arrivals")),
    "noise": lambda ask, run, given: of_noise(ask("noise"), run),
    "tree": lambda ask, run, given: of_tree(run, ask("algorithms")),
    "algorithms": lambda ask, run, given: of_algorithms(ask("algorithms"), run),
    "settings": lambda ask, run, given: of_settings(ask("algorithms")),
    "wan-share": lambda ask, run, given: of_wan_share(ask("wan-share"), run),
    "late-ranks": lambda ask, run, given: of_late_ranks(ask("late-ranks"), given["least_ms"], run.path_ns),
    "noise-periods": lambda ask, run, given: of_periods(ask("noise-periods")),
    "delayed-hops": lambda ask, run, given: of_delayed_hops(ask("delayed-hops"), given["limit"], run.path_ns),
}
"""What finds the finding of each key."""

_WITHOUT_COLLECTIVES: Final = (*CONDITIONS, "collectives", "critical-path")


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar], ask: Ask) -> list[Row]:
    """One row per finding; `rows` is the row of facts of the run."""
    ask_once = cache(ask)
    facts = rows.to_pylist()[0]
    run = Run(**{field.name: facts[field.name] for field in fields(Run)})
    wanted = FINDINGS if parameters["about"] is None else {str(parameters["about"])}
    found = {
        key: find(ask_once, run, parameters)
        for key, find in FINDINGS.items()
        if key in wanted and (run.collectives or key in _WITHOUT_COLLECTIVES or (key == "noise" and run.iterations))
    }
    return in_order([_row(key, finding) for key, finding in found.items() if finding is not None])


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Give findings as one reads them: what spoils every number, then by severity, and among those of one severity what
    costs most first."""
    return sorted(
        rows,
        key=lambda row: (
            row["key"] not in CONDITIONS,
            SEVERITIES.index(row["severity"]),
            -(row["cost_share"] or 0),
        ),
    )


def _row(key: str, finding: Finding) -> Row:
    problem = None if finding.severity == "undecided" else finding.severity == "problem"
    return {"key": key, "problem": problem, **asdict(finding)}
