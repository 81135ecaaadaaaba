-- Ranks that the others waited for: who entered last, and whose computing caused it.
--
-- `late` only describes who entered last. `cause` names ranks whose longer computing made others late; gates use it.
-- Where `released_share` is high, the tree is slow.
--
-- grain by = rank default
-- key rank
-- column rank INTEGER -- The rank.
-- columns of arrival_shares
-- only-data cause_low, cause_high, released_low, released_high, chance, cause_chance, collectives
-- uses arrival_shares
-- bar share
-- uncertain share by undecided
-- describes late instead cause
-- empty note there are no collectives, in which a rank could arrive last
-- example analyze last-arrivals trace --fail-if "*.cause == 1"
select
    key as rank,
    * exclude (key)
from arrival_shares(rank)
order by key
