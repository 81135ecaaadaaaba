"""Whether a trace says from where the program called MPI."""

KNOWN = """
select 1 from calls where call_site is not null
union all select 1 from intervals where call_site is not null and kind <> 'region'
limit 1
"""
"""Has a row if any call of MPI has a place. Regions have places, too, and do not count."""
