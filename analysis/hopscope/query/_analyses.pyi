# Made by tools/document_analyses.py from the headers of the files under sql/analyses/.
"""The analyses as methods of a trace, as type checkers and editors see them; at run time `Trace` makes them from the
same headers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa

from hopscope.trace import Trace

class Analyses:
    """The analyses of `hopscope.Trace`."""

    def algorithms(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        seq: int | None = None,
        collective: str | None = None,
    ) -> pa.Table:
        """Algorithms that the collectives ran by, recognised from their messages.

        Columns:

        op, comm, ranks, bytes, algorithm, segment_bytes, same, captured, differs, collectives, depth, messages,
        message_bytes, wan_messages, crossings, source, ran, asked, obeyed, why, since_ns, first
        collective=...: edge, role, src, dst, collectives, rounds, messages, link, hops, bytes, took_ns, waited_share,
        waited_low, waited_high, on_path, time_ns, share, share_low, share_high
        """

    def check_data(self) -> pa.Table:
        """Check that the dataset keeps its own rules.

        Columns:

        rule, rows, inside, beyond, verdict, example
        """

    def collective_calls(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        collective: str | None = None,
    ) -> pa.Table:
        """Calls of one collective: enter, leave and waiting of each rank.

        Columns:

        rank, comm_rank, host, cluster, enter_ns, leave_ns, time_ns, waiting_ns, needed_rank, engine, tree, place, file,
        line, call_site, on_path
        """

    def collective_hops(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        collective: str | None = None,
    ) -> pa.Table:
        """The hops of one collective, with their times at both ends.

        Columns:

        hop_id, role, round, segment, src, dst, link, bytes, send_begin_ns, send_end_ns, recv_post_ns,
        recv_wait_begin_ns, recv_end_ns, time_ns, binding, on_path, source, clock_error_ns
        """

    def collective_steps(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        collective: str | None = None,
    ) -> pa.Table:
        """The local work inside one collective: every combine and copy, rank by rank.

        Columns:

        step_id, rank, kind, bytes, begin_ns, end_ns, time_ns
        """

    def collectives(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        order: Literal[
            "worst",
            "median",
            "first",
            "duration",
            "spread",
            "bytes",
            "operation",
            "last-rank",
            "engine",
        ]
        | None = None,
        reverse: bool | None = None,
        search: str | None = None,
        least_ms: float | None = None,
        limit: int | None = None,
        skip: int | None = None,
        seq: int | None = None,
    ) -> pa.Table:
        """Collectives of the trace, worst first, and where the time of each one's critical path went.

        Columns:

        collective, collective_id, comm, comm_name, seq, previous_seq, next_seq, operation, root, bytes, ranks,
        first_enter_ns, duration_ns, spread_ns, after_last_enter_ns, last_rank, margin_ns, path_ns, local_ns, shm_ns,
        lan_ns, wan_ns, native_ns, hops, engine, complete, matches
        """

    def compare(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["activity", "operation", "path", "structure"] | None = None,
        base: Trace | str | Path,
        base_also: Sequence[Trace | str | Path] | None = None,
        also: Sequence[Trace | str | Path] | None = None,
        least: float | None = None,
        measure: Literal["took", "duration", "spread"] | None = None,
        statistic: Literal["all", "median", "p95", "p99"] | None = None,
    ) -> pa.Table:
        """Time per iteration against another run, and the activities that changed.

        Columns:

        by=activity: activity, base_ns, new_ns, difference_ns, change, change_low, change_high, verdict, slower,
        sentence, per, base_runs, new_runs, base_iterations, new_iterations
        by=operation: operation, place, base_place, comm, statistic, base_ns, new_ns, difference_ns, change, change_low,
        change_high, base_iteration_ns, new_iteration_ns, p_value, verdict, slower, base_runs, new_runs,
        base_collectives, new_collectives, blocks, aligned
        by=path: part, name, base_name, base_ns, new_ns, base_low_ns, base_high_ns, new_low_ns, new_high_ns, base_share,
        base_share_low, base_share_high, new_share, new_share_low, new_share_high, difference_ns, change, change_low,
        change_high, status, verdict, aligned, grew
        by=structure: operation, place, base_place, comm, property, base, new, base_value, new_value, change, changed,
        aligned
        """

    def critical_path(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["category", "cluster", "edge", "host", "operation", "place", "call-site", "rank"] | None = None,
        collective: str | None = None,
    ) -> pa.Table:
        """Time on the run's critical path, by category.

        Columns:

        by=category: category, time_ns, share, share_low, share_high, share_of_run
        by=cluster: cluster, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns
        collective=...: step, begin_ns, end_ns, time_ns, rank, category, src, dst, hop_id, what
        by=edge: edge, src, dst, link, time_ns, share, share_of_run, share_low, share_high, hops_ns
        by=host: host, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns
        by=operation: operation, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns
        by=place: place, call_site, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns
        by=rank: rank, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns
        """

    def delayed_hops(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        limit: int | None = None,
    ) -> pa.Table:
        """Single delayed hops, and how far each moved the end of its collective.

        Columns:

        hop_id, collective, role, src, dst, tree, link, took_ns, usual_ns, delay_ns, moved_ns, amplification, ranks,
        absorbed_at, absorbed_ns, behind
        """

    def diagnose(self) -> pa.Table:
        """Diagnosis of a run: what is wrong, where, what it costs and what to do.

        Columns:

        kind, severity, sentence, evidence, action, cost_ns, cost_low_ns, cost_high_ns, cost_share, ranks, hosts,
        call_sites, iterations, first_iteration, last_iteration
        """

    def edge_hops(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        src: int | None = None,
        dst: int | None = None,
        most: int | None = None,
    ) -> pa.Table:
        """Hops over one edge over time, and whether anybody waited for them.

        Columns:

        hop_id, collective, operation, role, src, dst, link, bytes, begin_ns, took_ns, binding, on_path, hops
        """

    def efficiency(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["factor", "rank", "region"] | None = None,
        also: Sequence[Trace | str | Path] | None = None,
    ) -> pa.Table:
        """Parallel efficiency and its factors: load balance, serialisation and transfer.

        Columns:

        by=factor: factor, efficiency, efficiency_low, efficiency_high, part_ns, whole_ns, note
        also=...: run, trace, ranks, time_ns, speedup, computation_scaling, global_efficiency, parallel_efficiency,
        load_balance, communication_efficiency, serialisation, transfer, note
        by=rank: rank, useful_ns, useful_share, of_mean, mpi_ns
        by=region: region, ranks, time_ns, useful_ns, parallel_efficiency, parallel_efficiency_low,
        parallel_efficiency_high, load_balance, load_balance_low, load_balance_high, communication_efficiency,
        communication_efficiency_low, communication_efficiency_high, note
        """

    def honesty(
        self,
        *,
        untraced_ns: int | None = None,
        traced_ns: int | None = None,
    ) -> pa.Table:
        """Trust in this trace: cost of tracing, missing data, coverage.

        Columns:

        kind, item, value, unit, sentence
        """

    def iterations(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        rank: int | None = None,
        most: int | None = None,
        worst: Literal["noise", "computing"] | None = None,
    ) -> pa.Table:
        """Noise of each rank in each iteration, for a heat map.

        Columns:

        rank, iteration, from_iteration, collective_id, enter_ns, computing_ns, noise_ns, paid_ns
        """

    def last_arrivals(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["rank", "cluster", "host"] | None = None,
        at: int | None = None,
    ) -> pa.Table:
        """Ranks that the others waited for: who entered last, and whose computing caused it.

        Columns:

        by=rank: rank, share, share_low, share_high, late, cause_share, cause_low, cause_high, cause, cost_share,
        released_share, released_low, released_high, chance, cause_chance, undecided, margin_ns, waiting_ns, collectives
        at=...: child, share, share_low, share_high, binding_share, binding_low, binding_high, undecided, margin_ns,
        collectives
        by=cluster: cluster, share, share_low, share_high, late, cause_share, cause_low, cause_high, cause, cost_share,
        released_share, released_low, released_high, chance, cause_chance, undecided, margin_ns, waiting_ns, collectives
        by=host: host, share, share_low, share_high, late, cause_share, cause_low, cause_high, cause, cost_share,
        released_share, released_low, released_high, chance, cause_chance, undecided, margin_ns, waiting_ns, collectives
        """

    def late_ranks(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        least_ms: float | None = None,
        often: float | None = None,
        rare: float | None = None,
    ) -> pa.Table:
        """Lateness of each rank: always, in turn, in single spikes, sometimes or never.

        Columns:

        rank, class, share, share_low, share_high, typical_ns, worst_ns, latest, step, limit_ns, collectives
        """

    def messages(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["pair", "cluster", "host", "place", "rank", "size"] | None = None,
    ) -> pa.Table:
        """Point-to-point messages: who sends how much to whom, and who waits for whom.

        Columns:

        by=pair: pair, src, dst, link, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders,
        late_receivers, wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        by=cluster: pair, src_cluster, dst_cluster, messages, bytes, waiting_caused_ns, waiting_suffered_ns,
        late_senders, late_receivers, wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        by=host: pair, src_host, dst_host, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders,
        late_receivers, wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        by=place: place, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders, late_receivers,
        wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        by=rank: rank, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders, late_receivers,
        wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        by=size: from_bytes, below_bytes, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders,
        late_receivers, wrong_order, undecided, path_ns, path_share, path_share_low, path_share_high
        """

    def noise(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Noise of each rank: how often and how much it computed longer than normal, and who paid.

        Columns:

        rank, late_1ms, late_5ms, late_10ms, late_30ms, iterations, noise_ns, worst_ns, noise_share, noise_low,
        noise_high, paid_ns
        """

    def noise_periods(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Periodic noise and its period, by rank.

        Columns:

        rank, period_ns, resolution_ns, whole_iterations, amplitude_ns, explained, false_alarm, periodic, iterations,
        noisy
        """

    def places(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Call sites of MPI: calls, time, waiting, and share of the run's critical path.

        Columns:

        place, call_site, how, remedy, time_ns, share, share_low, share_high, share_of_run, compute_ns, hops_ns, p2p_ns,
        call_ns, calls, collective_calls, mpi_ns, collective_waiting_ns, messages, waiting_caused_ns,
        waiting_suffered_ns
        """

    def regions(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Time in the program's own regions, by rank.

        Columns:

        region, rank, visits, time_ns, mean_ns, longest_ns, mpi_ns, share, share_low, share_high
        """

    def summary(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        by: Literal["item", "engine", "operation"] | None = None,
    ) -> pa.Table:
        """Contents of the trace, one item per row.

        Columns:

        by=item: section, item, value, unit, note
        by=engine: operation, engine, tree, reason, calls, collectives
        by=operation: operation, collectives, calls, hops, bytes, time_ns, share, share_low, share_high, waiting_ns,
        incomplete
        """

    def tree_edges(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
        tree: str | None = None,
        root: int | None = None,
    ) -> pa.Table:
        """Edges that hops ran over, and what each contributes to the run's critical path.

        Columns:

        edge, role, src, dst, link, hops, bytes, took_ns, waited_share, waited_low, waited_high, on_path, time_ns,
        share, share_low, share_high
        """

    def trees(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Trees that ran: each member and its parent.

        Columns:

        tree, comm, root, role, rank, parent, child_order, link, host, cluster
        """

    def wan_share(
        self,
        *,
        from_: str | int | None = None,
        to: str | int | None = None,
        ranks: str | Sequence[int] | None = None,
        comm: str | int | None = None,
        operation: str | None = None,
        region: str | None = None,
        iteration_at: str | None = None,
        place: str | None = None,
    ) -> pa.Table:
        """Share of the collectives' time spent on links between clusters.

        Columns:

        scope, share, share_low, share_high, hops, bytes, crossings, path_ns, wan_ns, waiting_ns, collectives
        """
