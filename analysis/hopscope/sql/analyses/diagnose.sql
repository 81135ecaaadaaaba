-- Diagnosis of a run: what is wrong, where, what it costs and what to do.
--
-- The entries come by cost. Each is a cause, not a symptom: where ranks wait for one that computes longer, the entry is
-- that computing. severity is PROBLEM (it costs at least 5 % of the run, also at the lower end of its interval), NOTE
-- (at least 2 %) or OK. An unfinished run is a PROBLEM and comes first. Shared cores, incomplete data and a long
-- start-up are NOTES and come last: they say how to read the other entries.
--
-- The cost is what the run would save if that cause alone were gone. The run is replayed without it, with the measured
-- computing and the measured time of each message that the cause does not touch. Costs of several entries need not add
-- up. The run is the time from its first communication to its last, without MPI_Init of any rank.
--
-- imbalance        some ranks compute more, always or in a tenth of the iterations or more
-- serial-section   one rank computes while each other computes at most a quarter of that
-- rotating-delay   most iterations have a late rank, and the ranks take turns
-- noise            computing takes longer in less than a tenth of a rank's occurrences
-- late-sender      receivers wait for sends that begin late, though nobody computes longer
-- late-receiver    senders wait for receives that are posted late
-- wrong-order      they wait while their receiver waits for another message
-- no-overlap       a nonblocking collective moves no message while ranks compute, and all in its wait
-- crossings        messages go between clusters one after another
-- algorithm        a collective would take less time by another algorithm; a NOTE until a run shows it
-- placement        another rank order would spend less time on slow links; a NOTE until a run shows it
-- slow-link        messages over one link take longer than over its peers
-- slow-host        all ranks of one host compute longer than the others
-- latency-bound    the time is in many small messages
-- bandwidth-bound  the time is in the bytes
-- io, other-mpi    the time is in files, or in making communicators and the like
-- unfinished       the run was killed, crashed or hung
-- oversubscribed   more ranks or threads than cores
-- external-load    other programs on the cores of the ranks
-- tracing          the trace is incomplete
-- start-up         more than half of the job passes before that
-- balanced         nothing costs 2 % of the run
--
-- whole run
-- key kind
-- column kind VARCHAR -- The cause, as above.
-- column severity VARCHAR -- PROBLEM, NOTE or OK.
-- column sentence VARCHAR -- What is wrong, where and what it costs.
-- column evidence VARCHAR -- The numbers behind it.
-- column action VARCHAR -- What to do.
-- column cost_ns BIGINT -- What the run would save without it; null where that is not known.
-- column cost_low_ns BIGINT -- Lower end of its interval of 95 %.
-- column cost_high_ns BIGINT -- Upper end of it.
-- column cost_share DOUBLE [share] -- Its part of the run.
-- column ranks INTEGER[] -- The ranks that cause it, the costliest first; empty where no rank does.
-- column hosts VARCHAR[] -- The host that is slow, the two hosts or clusters of a slow link, or the hosts between which ranks would change; empty for other kinds.
-- column call_sites SITE[] -- The calls of MPI that it is before or in, the costliest first: MPI function, function, file, line and place.
-- column iterations BIGINT -- In how many iterations it shows; null where that is not known.
-- column first_iteration BIGINT -- The first of them, from 0.
-- column last_iteration BIGINT -- The last of them.
-- paragraphs severity, sentence, evidence, action
-- only-data kind, cost_ns, cost_low_ns, cost_high_ns, cost_share, ranks, hosts, call_sites, iterations, first_iteration, last_iteration
-- uses communication_window
-- asks caveats
-- reads collectives, calls, hops, messages, intervals, ranks, comms, places, steps, trees, kinds, run, iteration_cuts,
--    kind_crossings, path_stretches
-- then diagnosis -- The causes, the replays and the sentences.
-- object entries
-- row problem is severity PROBLEM
-- zero problem, imbalance, serial-section, rotating-delay, noise, late-sender, late-receiver, wrong-order, no-overlap, crossings,
--    algorithm, placement, slow-link, slow-host, latency-bound, bandwidth-bound, io, other-mpi, unfinished, oversubscribed, external-load, tracing, start-up
-- example analyze diagnose trace
-- example analyze diagnose trace --fail-if "problem.cost_share > 10%"
select
    communication_window.begin_ns,
    communication_window.end_ns,
    coalesce(run.duration_ns, communication_window.end_ns, 0) as duration_ns,
    run.overhead_ns,
    (select count(*) from ranks) as ranks
from communication_window
left join run on true
order by duration_ns
