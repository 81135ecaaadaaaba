-- The interval of 95 % of a share, by the block bootstrap over collectives.
--
-- Give it the name of a table with columns key, block, part and whole; see share_draws. The interval lies between the
-- 2.5 % and the 97.5 % quantile of the shares drawn; standard_error is their standard deviation. Below 5 blocks (13
-- collectives) there is no interval.
--
-- uses share_draws
create or replace macro share_intervals(measures) as table
    select
        key,
        list_aggregate(draws, 'quantile_cont', interval_ends()[1])::double as share_low,
        list_aggregate(draws, 'quantile_cont', interval_ends()[2])::double as share_high,
        list_aggregate(draws, 'stddev_samp')::double as standard_error
    from share_draws(measures);
