-- The time of the faster members of a collective: the lower quartile of their times, below five members the shortest.
--
-- Lateness is measured against it. The median would be slow itself if half of the members are slow. With two members it
-- would halve the delay.
create or replace macro lower_quartile(times) as
(case when count(times) < 5 then min(times) else quantile_disc(times, 0.25) end);
