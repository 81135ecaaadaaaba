-- quantity(value, unit): a number as people read it, such as 20.4 ms, 45.6 % or 1,234.
--
-- unit is ns, at, bytes, share, another word or none (''). For sentences in the last few rows of an answer: Hopscope puts
-- its own formatter in this macro's place, which costs some microseconds a number.

create or replace macro quantity(value, unit) as (value || rtrim(' ' || unit));
-- Hopscope writes quantity(20400000, 'ns') as 20.4 ms; by this macro, in plain DuckDB, it is 20400000 ns.
