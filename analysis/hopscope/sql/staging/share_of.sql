-- A part of a whole as a number from 0 to 1.
--
-- Null if the whole is 0 or null, because a share of nothing is not 0.
create or replace macro share_of(part, whole) as
(part / nullif(whole, 0));
