-- Hosts that the others waited for: last arrivals and their causes.
--
-- A host counts as last if one of its ranks entered last. See `analyze last-arrivals --help`.
--
-- grain by = host
-- key host
-- column host VARCHAR -- The host, as in the topology.
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
order by key
