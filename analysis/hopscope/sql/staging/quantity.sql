-- quantity(value, unit): a number as people read it, such as 20.4 ms, 45.6 % or 1,234.
--
-- unit is ns, at, bytes, share, another word or none (''). Hopscope replaces this macro with its own formatter, which
-- takes some microseconds per number. So use it only for sentences in the last few rows of an answer.

create or replace macro quantity(value, unit) as (value || rtrim(' ' || unit));
-- Hopscope writes quantity(20400000, 'ns') as 20.4 ms; by this macro, in plain DuckDB, it is 20400000 ns.
