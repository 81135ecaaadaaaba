"""Queries that tell if a trace has call sites of MPI, and if it has regions."""

PRESENCE_QUERIES = {
    "places": """
        select 1 from calls where call_site is not null
        union all select 1 from intervals where call_site is not null and kind <> 'region'
        limit 1
    """,
    "regions": "select 1 from intervals where kind = 'region' limit 1",
}
"""A query for each kind of name; it returns a row if the trace has call sites of MPI, or regions. The places of regions
do not count as call sites."""
