-- The number of the block of the collective at position `place`, if n collectives are cut into blocks of neighbours.
--
-- Neighbouring collectives resemble one another, so the bootstrap draws whole blocks of them. A block is as long as the
-- cube root of n (the usual order of growth for block lengths). There are never more than 200 blocks, which bounds the
-- work for traces of any length.
create or replace macro block_of(place, n) as
(place // greatest(ceil(cbrt(n)), ceil(n / 200.0), 1)::bigint);
