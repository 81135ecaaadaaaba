"""Whether a better tree is likely, and what delayed hops did."""

from collections.abc import Sequence
from typing import Final

from hopscope.findings.finding import WORTH_SAYING, Finding, Row, Run
from hopscope.quantities import duration, number, plural, share

_THROUGH: Final = 0.95
"""Of a delay so much has to reach the end to be called almost whole."""

_LED: Final = ("MPI_Allreduce", "MPI_Barrier", "MPI_Allgather", "MPI_Allgatherv")
"""Operations in which clusters' leaders can exchange, so that no way crosses between clusters more than once."""


def of_tree(run: Run, rows: Sequence[Row]) -> Finding:
    """Say whether a better tree is likely, from the structure of what ran. Rows as algorithms gives them."""
    if not run.hops:
        return Finding(
            "no-hops",
            "undecided",
            "Nothing is known of what went on inside the collectives: this trace has no hops.",
            "Arrivals and noise are known; the way through a collective is not.",
            "summary --by engine",
            unit="crossings",
        )
    most, clusters = run.crossings, run.clusters > 1
    if clusters and (run.wan_share is None or (most is None and run.wan_share >= WORTH_SAYING)):
        return _unknown(run)
    if clusters and most is not None and most > 1 and run.wan_share is not None and run.wan_share >= WORTH_SAYING:
        return Finding(
            "better-likely",
            "problem",
            f"A better tree is likely: today's crosses between clusters up to {number(most)} times in a row, "
            "where once in each direction would do.",
            f"Hops between clusters take {share(run.wan_share)} of the critical path; a tree that gathers each cluster "
            "first crosses once in each direction.",
            "remap",
            most,
            "crossings",
            run.wan_share,
        )
    there_and_back = [row["op"] for row in rows if row["op"] in _LED and (row["crossings"] or 0) > 1]
    if clusters and most == 1 and there_and_back and run.wan_share is not None and run.wan_share >= WORTH_SAYING:
        return Finding(
            "leaders-likely",
            "note",
            f"An exchange between the clusters' leaders may be faster: {there_and_back[0]} crosses between clusters to "
            "the root and back, where leaders cross once.",
            f"Hops between clusters take {share(run.wan_share)} of the critical path; no tree crosses less often.",
            "remap",
            most,
            "crossings",
            run.wan_share,
        )
    evidence = f"Hops take {share(run.hops_share)} of the critical path"
    if clusters and most == 1:
        evidence += ", and no way through a collective crosses between clusters more than once each way"
    elif clusters and most == 0:
        evidence += ", and none crosses between clusters"
    sentence = "Another algorithm is unlikely to help."
    if most is None:
        evidence += f", those between clusters {share(run.wan_share)}"
        return Finding("better-unlikely", "fine", sentence, f"{evidence}.", "remap", run.wan_share, "share")
    return Finding("better-unlikely", "fine", sentence, f"{evidence}.", "remap", most, "crossings")


def _unknown(run: Run) -> Finding:
    """Say why nobody can tell whether another algorithm would help."""
    if run.crossings is None:
        why = "some collectives have no hops, or fit no algorithm that Hopscope knows"
    elif not run.path_ns:
        why = "the run has no critical path"
    else:
        why = "the critical path leads through collectives without hops"
    return Finding(
        "unknown",
        "undecided",
        f"Whether another algorithm would help is unknown: {why}.",
        "How much of the run hops between clusters take is unknown."
        if run.wan_share is None
        else f"Hops between clusters take {share(run.wan_share)} of the critical path.",
        "algorithms",
        unit="crossings",
    )


def of_delayed_hops(rows: Sequence[Row], limit: int, path_ns: int) -> Finding | None:
    """Say how much of the delays reached the end.

    Rows as delayed-hops gives them, the longest delay first; `path_ns` is the length of the run's critical path.
    """
    if not rows:
        return None
    more = f"delayed-hops --limit {limit}"
    most = max(rows, key=lambda row: row["moved_ns"])
    if not most["moved_ns"]:
        return Finding(
            "absorbed",
            "fine",
            "No delayed hop moved the end of its collective.",
            "Nothing that they delayed reached the last rank to leave.",
            more,
            0,
            "ns",
        )
    through = sum(row["amplification"] >= _THROUGH for row in rows)
    return Finding(
        "moved",
        "note",
        f"One delayed hop, {most['src']} → {most['dst']} in {most['collective']}, made its collective "
        f"{duration(most['moved_ns'])} longer.",
        f"Of the {plural(len(rows), 'longest delay')}, {number(through)} reached the end almost whole. Of the "
        "others, less did.",
        more,
        most["moved_ns"],
        "ns",
        most["moved_ns"] / path_ns if path_ns else None,
    )
