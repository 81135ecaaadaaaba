-- The time of the faster members of a collective: the lower quartile of their times, below five members the shortest.
--
-- Lateness is measured against it. The median is slow itself where half of the members are slow, and of two members it halves the delay.
create or replace macro lower_quartile(times) as
(case when count(times) < 5 then min(times) else quantile_disc(times, 0.25) end);
