-- A time in ns as people read it: 20 ms, 50 µs.
--
-- For sentences; columns of times stay numbers, which the commands render.
create or replace macro duration_in_words(ns) as (
    case
        when ns >= 1000000 then format('{:.6g} ms', ns / 1e6)
        when ns >= 1000 then format('{:.6g} µs', ns / 1e3)
        else format('{:.6g} ns', ns / 1e0)
    end
);
