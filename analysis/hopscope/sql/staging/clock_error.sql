-- The largest difference between two machines' clocks, in nanoseconds.
--
-- Nothing on one machine. Between machines it is the figure that the run says decides verdicts: the error if routes are symmetric, or the bound. Where
-- nobody measured the clocks it is longer than any run, so that what only they could decide stays undecided.
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
