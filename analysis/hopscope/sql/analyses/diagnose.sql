-- Diagnosis of a run: what is wrong, where, what it costs and what to do.
--
-- Each entry is a cause, not a symptom. Its cost is what the run would save without it, by a replay; costs need not
-- add up. severity is PROBLEM (at least 5 % of the run, also at the lower end of the interval), NOTE (at least 2 %)
-- or OK. An unfinished run is the first row. The last rows are conditions that affect how far to trust the others; the
-- table for people shows these conditions above the causes.
--
-- imbalance        some ranks compute more, in a tenth of the iterations or more
-- serial-section   one rank computes while each other computes at most a quarter of that
-- rotating-delay   in most iterations one rank is late, each time another
-- noise            computing takes longer in less than a tenth of a rank's occurrences
-- late-sender      receivers wait for late sends, though nobody computes longer
-- late-receiver    senders wait for late receives
-- wrong-order      senders wait while their receiver waits for another message
-- no-overlap       a nonblocking collective makes progress only in its wait
-- crossings        messages go between clusters one after another
-- algorithm        another algorithm would take less time; a NOTE until a run shows it
-- placement        another rank order would save time on slow links; only a NOTE
-- slow-link        messages over one link take longer than over its peers
-- slow-host        all ranks of one host compute longer
-- latency-bound    many small messages
-- bandwidth-bound  many bytes
-- io, other-mpi    files, or making communicators and the like
-- unfinished       the run was killed, crashed or hung
-- oversubscribed   more ranks or threads than cores
-- external-load    other programs on the ranks' cores
-- tracing          the trace is incomplete
-- start-up         over half of the job passes before the first communication
-- balanced         nothing costs 2 % of the run
--
-- whole run
-- key kind
-- column kind VARCHAR -- The cause, as above.
-- column severity VARCHAR -- PROBLEM, NOTE or OK.
-- column sentence VARCHAR -- The problem, its place and its cost.
-- column evidence VARCHAR -- The numbers that show the problem.
-- column action VARCHAR -- The remedy.
-- column cost_ns BIGINT -- Time that the run would save; null if unknown.
-- column cost_low_ns BIGINT -- Lower end of its interval of 95 %.
-- column cost_high_ns BIGINT -- Upper end of its interval.
-- column cost_share DOUBLE [share] -- The cost as a share of the run.
-- column ranks INTEGER[] -- Ranks that cause the problem, the costliest first; empty if no rank does.
-- column hosts VARCHAR[] -- The slow host, the ends of a slow link, or the hosts between which ranks would move; else
--    empty.
-- column call_sites SITE[] -- MPI calls in which or before which the problem occurs, the costliest first.
-- column functions VARCHAR[] -- Functions in which ranks compute longer, each called by the one before; empty if unknown.
-- column core_use VARCHAR -- What ranks that compute longer did: on-core, queued (for a core), asleep or idle-threads;
--    null if unknown.
-- column iterations BIGINT -- Iterations in which the cause shows; null if unknown.
-- column first_iteration BIGINT -- First iteration in which the cause shows, from 0.
-- column last_iteration BIGINT -- Last iteration in which the cause shows, from 0.
-- paragraphs severity, sentence, evidence, action
-- above kind = unfinished, oversubscribed, external-load, tracing, start-up
-- only-data kind, cost_ns, cost_low_ns, cost_high_ns, cost_share, ranks, hosts, call_sites, functions, core_use, iterations, first_iteration, last_iteration
-- uses communication_window
-- reads collectives, calls, hops, messages, intervals, ranks, comms, places, steps, trees, kinds, run, iteration_cuts,
--    kind_crossings, path_stretches, limits
-- then explain.diagnosis -- The causes, the replays and the sentences.
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
    (select count(*) from ranks) as ranks
from communication_window
left join run on true
order by duration_ns
