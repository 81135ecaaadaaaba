-- Which host the others waited for: the last arrivals and their causes, by host.
--
-- A host counts as last where any of its ranks entered last. See `analyze last-arrivals --help` for the concept.
--
-- grain by = host
-- key host
-- column host VARCHAR -- The host, as in the topology in use.
-- column share DOUBLE -- Part of its collectives that it entered last, where the clocks can tell.
-- column share_low DOUBLE [share] -- Lower end of the share's interval; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of the share's interval.
-- column late BOOLEAN -- Whether it enters last more than by chance: the interval lies wholly above twice what chance would
--    give (`chance`); null where there is no interval. This describes and blames nobody, for a tree lets somebody go last in
--    every clean run; gates and findings use `cause`.
-- column cause_share DOUBLE -- Part of the collectives whose last arrival was late because this computed longer than the
--    others did.
-- column cause_low DOUBLE [share] -- Lower end of the cause's interval.
-- column cause_high DOUBLE [share] -- Upper end of the cause's interval.
-- column cause BOOLEAN -- Whether it is the cause, which is what gates and findings use: that interval lies wholly above
--    twice what chance would give (`cause_chance`); null where there is no interval.
-- column released_share DOUBLE -- Part of the collectives whose last arrival was late because the collective before held this
--    up and let it go last: the tree is the reason, not the computing.
-- column released_low DOUBLE [share] -- Lower end of its interval.
-- column released_high DOUBLE [share] -- Upper end of its interval.
-- column chance DOUBLE [share] -- What chance would give it of the last arrivals: its part of the members, over its collectives.
-- column cause_chance DOUBLE [share] -- What chance would give it of the causes: its part of all ranks.
-- column undecided DOUBLE [share] -- Part of its collectives that it seems to have entered last, but the clocks cannot tell.
-- column margin_ns BIGINT -- Median time by which it was last.
-- column waiting_ns BIGINT -- Time that the others spent waiting for it, over all ranks.
-- column collectives BIGINT -- Complete collectives that it took part in, of two ranks or more.
-- only-data cause_low, cause_high, released_low, released_high, chance, cause_chance, collectives
-- uses arrival_shares
-- bar share
-- uncertain share by undecided
-- describes late instead cause
-- empty note the trace has no ranks
-- example analyze last-arrivals trace --by host --fail-if "*.cause == 1"
select
    key as host,
    share,
    share_low,
    share_high,
    late,
    cause_share,
    cause_low,
    cause_high,
    cause,
    released_share,
    released_low,
    released_high,
    chance,
    cause_chance,
    undecided,
    margin_ns,
    waiting_ns,
    collectives
from arrival_shares(host)
order by key
