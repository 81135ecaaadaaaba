-- The largest difference between two machines' clocks, in nanoseconds.
--
-- The difference is 0 on one machine. Between machines it is the figure that the run names (`clock_used`): the error
-- for symmetric routes, or the bound. If the clocks were not measured, it is longer than any run, so that questions
-- that only the clocks could decide stay undecided.
create or replace macro clock_error(one_host, other_host) as (
    case
        when one_host = other_host then 0
        else coalesce(
            (
                select
                    max(
                        coalesce(
                            case when clock_used = 'bound' then clock_bound_ns else clock_error_ns end,
                            4611686018427387904
                        )
                    )
                from run
            ),
            0
        )
    end
);
