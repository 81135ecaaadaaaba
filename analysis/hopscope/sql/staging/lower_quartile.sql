-- The time of the faster members of a collective: the lower quartile of all times, with fewer than five the shortest.
--
-- Lateness is measured against this time. The median would be slow itself if half of the members are slow, and with two
-- members it would halve the delay.
create or replace macro lower_quartile(times) as
(case when count(times) < 5 then min(times) else quantile_disc(times, 0.25) end);
