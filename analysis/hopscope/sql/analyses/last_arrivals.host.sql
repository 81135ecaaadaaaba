-- Which host the others waited for: the last arrivals and their causes, by host.
--
-- A host counts as last where any of its ranks entered last. See `analyze last-arrivals --help` for the concept.
--
-- grain by = host
-- key host
-- column host VARCHAR -- The host, as in the topology in use.
-- columns of arrival_shares
-- only-data cause_low, cause_high, released_low, released_high, chance, cause_chance, collectives
-- uses arrival_shares
-- bar share
-- uncertain share by undecided
-- describes late instead cause
-- empty note there are no collectives, in which a rank could arrive last
-- example analyze last-arrivals trace --by host --fail-if "*.cause == 1"
select
    key as host,
    * exclude (key)
from arrival_shares(host)
where exists (select 1 from collectives)
order by key
