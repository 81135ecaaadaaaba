-- Whether the ranks' parts of an operation may differ in length, by the name of the function.
--
-- Of the v and w forms and of Reduce_scatter. All forms of a function (MPI_I..., ..._init, ..._c) are alike.
create or replace macro varying_blocks(op) as (regexp_matches(op, '(v|w|[Rr]educe_scatter)(_init)?(_c)?$'));
