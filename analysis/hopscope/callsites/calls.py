"""Queries that tell if a trace has call sites of MPI, and regions."""

PRESENCE_QUERIES = {
    "places": """
        select 1 from calls where call_site is not null
        union all select 1 from intervals where call_site is not null and kind <> 'region'
        limit 1
    """,
    "regions": "select 1 from intervals where kind = 'region' limit 1",
}
"""Each query has a row if any call of MPI has a place, and if there is any region. Regions have places, too, which do
not count."""
