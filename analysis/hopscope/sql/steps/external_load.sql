-- Machines with enough cores for their ranks' threads, whose threads still waited for a core because of other programs.
--
-- queued_share is the share of the ranks' time in which their threads were ready and no core was free. The time of a
-- rank with several busy threads counts once for each of them. The kernel counts from the start of the process, the
-- trace from MPI_Init; the longer of the two times is the rank's time. A machine with a share below a tenth is left
-- out, because launchers and MPI_Init take that much of a short run.
--
-- uses crowded_cores, share_of
create or replace view external_load as
with machines as (
    select
        clock_host as machine,
        count(*) as ranks,
        share_of(
            sum(queued_ns),
            sum(greatest((last_event_ns - first_event_ns) * greatest(busy_threads, 1), cpu_ns + queued_ns))
        ) as queued_share
    from ranks
    where queued_ns is not null
    group by clock_host
)

select *
from machines
where queued_share >= 0.1 and machine not in (select crowded_cores.machine from crowded_cores);
