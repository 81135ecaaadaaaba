-- The block of consecutive collectives to which the one at this position belongs, of n in all.
--
-- Neighbouring collectives resemble one another, so the bootstrap draws runs of them. A block is as long as the cube root of n (the usual order of growth
-- for block lengths) and there are never more than 200 blocks, which bounds the work whatever the length of the trace.
create or replace macro block_of(place, n) as
(place // greatest(ceil(cbrt(n)), ceil(n / 200.0), 1)::bigint);
