"""Reasons why a page has nothing to show, from numbers of rows alone: the values of `Page.lacks`."""

from hopscope_dashboard.data.trace import TraceData


def collectives(data: TraceData) -> str | None:
    """Give the reason if no collective was recorded."""
    return None if data.number_of("collectives") else "This trace has no MPI collective."


def hops(data: TraceData) -> str | None:
    """Give the reason if no hop was recorded."""
    if data.has_hops:
        return None
    return collectives(data) or "This trace has no hops: what happens inside its collectives was not recorded."


def arrivals(data: TraceData) -> str | None:
    """Give the reason if no rank can have waited for another in a collective."""
    alone = "This trace has one rank, so no rank waits for another." if data.number_of("ranks") < 2 else None
    return collectives(data) or alone


def computing(data: TraceData) -> str | None:
    """Give the reason if no call site can have occurred often enough to tell what is normal there."""
    if data.number_of("calls", "intervals") >= _LEAST_OCCURRENCES:
        return None
    return f"No place of the program occurs {_LEAST_OCCURRENCES} times: too few to tell what is normal."


def communication(data: TraceData) -> str | None:
    """Give the reason if the trace has no collective, no message, and no other MPI call or region."""
    recorded = data.number_of("collectives", "messages", "intervals")
    return None if recorded else "No rank communicates in this trace."


def clusters(data: TraceData) -> str | None:
    """Give the reason if no hop can have run between clusters."""
    return hops(data) or ("All ranks are in one cluster." if data.run["clusters"] < 2 else None)


def another_trace(data: TraceData) -> str | None:
    """Give the reason if there is nothing to compare with."""
    return None if data.other_traces else "Only one trace is served; start hopscope dashboard with two to compare them."


def sweep(data: TraceData) -> str | None:
    """Give the reason if no sweep of the machine is shown beside the trace."""
    return None if data.sweep else "No sweep is given; start hopscope dashboard with --machine machine-rules.json."


def regions(data: TraceData) -> str | None:
    """Give the reason if neither the program nor another tool marked a region."""
    return None if data.has_regions else "Neither the program nor another tool marked a region."


def places(data: TraceData) -> str | None:
    """Give the reason if the call sites of MPI calls are unknown."""
    return None if data.has_places else "This trace does not say where the program calls MPI."


_LEAST_OCCURRENCES = 20
"""Smallest number of occurrences of a call site for which noise is computed."""
