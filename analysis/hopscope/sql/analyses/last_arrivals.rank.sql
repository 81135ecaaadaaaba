-- Which rank the others waited for: who entered last, and whose computing caused it.
--
-- The others wait for the rank that enters a collective last. After a halo exchange, the last to enter is often a
-- neighbour that had to wait itself, and a tree releases some ranks later than others. `cause_share` follows the path
-- that led to the last arrival back to a rank that computed longer than the others. `released_share` counts the cases
-- where no rank did, but the previous collective had released one last: then the tree is slow, not the rank. A rank is
-- called late, or the cause, only if its share is clearly above chance; only the cause is to blame, and only if its
-- excess computing takes 2 % or more of the run's critical path (`cost_share`). Ranks that are equally late share the
-- blame. If the clocks of two machines cannot tell who was later, the collective counts as undecided.
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
where exists (select 1 from collectives)
order by key
