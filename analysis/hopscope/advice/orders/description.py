"""The header of `analyze reorder`, in the format of the analyses' headers (header.py)."""

DESCRIPTION = """\
-- A rank order that spends less time on slow links, as a file for the launcher.
--
-- Every host keeps its number of ranks. Each message and hop costs latency + bytes * time per byte, fitted by class
-- of link. METIS and swaps look for the order with the least sum.
--
-- `gain` is a share of that sum, `run_gain` one of the run's time by a replay. Hops of algorithms that follow the
-- hosts stay with the hosts. A class of link without waits counts half of the next slower one. If no rank waited,
-- messages only count.
--
-- The order is suggested, and its file written, only if it saves 1 % and the whole interval of `run_gain` is a gain
-- or null.
--
-- key link
-- column link VARCHAR -- Class of link, or `all`.
-- column messages BIGINT -- Messages and hops on such links, as it ran and in the new order.
-- column new_messages BIGINT -- Messages and hops on such links, as it ran and in the new order.
-- column bytes BIGINT -- Their bytes, likewise.
-- column new_bytes BIGINT [bytes] -- Their bytes, likewise.
-- column predicted_ns DOUBLE [ns] -- Sum of their predicted times, likewise; null if nothing was fitted.
-- column new_predicted_ns DOUBLE [ns] -- Sum of their predicted times, likewise; null if nothing was fitted.
-- column gain DOUBLE [share] -- Share of predicted_ns saved; without it, of the weighted messages (`all` only).
-- column run_gain DOUBLE [share] -- Share of the run's time saved (`all` only); null if not predicted.
-- column run_gain_low DOUBLE [share] -- Lower end of its interval.
-- column run_gain_high DOUBLE [share] -- Upper end of its interval.
-- column fitted_from BIGINT -- Messages that the costs were fitted from; 0: not measured.
-- column chosen BOOLEAN -- True if the new order is suggested.
-- whole run
-- only-data run_gain, run_gain_low, run_gain_high
-- narrow fitted_from, bytes, new_bytes, predicted_ns
-- bar new_predicted_ns
-- example analyze reorder trace -o hosts.txt
-- example analyze reorder trace --for slurm -o hosts.txt
"""
