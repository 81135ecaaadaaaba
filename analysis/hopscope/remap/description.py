"""What `analyze remap` says about itself, in the format of the analyses' headers (header.py)."""

DESCRIPTION = """\
-- Candidate trees with their predicted time per iteration.
--
-- An iteration is one collective of the operation and communicator that the run spent most time in over a tree, with
-- the computing and the messages of the application up to the next one. What a message costs on each class of link,
-- what ranks spend themselves, and whether a host's interface serves one message at a time, is fitted from the hops of
-- this run that were waited for.
--
-- Every candidate is judged by replaying the whole run: each rank's own time between collectives and the dependencies
-- between the application's messages are kept, the waiting is made anew. Replaying today's tree must give today's run;
-- the difference is the model's error. A tree is suggested, and its file written, only if it gains more than that.
--
-- The first row is the best: of trees as fast as the fastest within the model's error, the one with the fewest WAN
-- messages.
--
-- Links that no hop of the run used are taken to be as slow as the next slower class.
--
-- param search INTEGER = 2000 -- How many trees of its own the local search may try; 0 for only the known shapes.
-- key name
-- column name VARCHAR -- The tree: a shape, `search` for one found by the local search, or `today: NAME`.
-- column today BOOLEAN -- The tree that ran.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration, replayed over this tree.
-- column predicted_low_ns DOUBLE [ns] -- The same with the costs at the lower end of what the hops allow.
-- column predicted_high_ns DOUBLE [ns] -- The same with the costs at the upper end of what the hops allow.
-- column measured_ns DOUBLE [ns] -- Mean time per iteration of the run; its replay is predicted_ns of `today`.
-- column gain DOUBLE [share] -- Part of today's predicted_ns that this tree saves: like is compared with like.
-- column model_error DOUBLE [share] -- How far the replay of today's tree is from the run.
-- column depth INTEGER -- Messages in sequence from the deepest rank to the root.
-- column fan_out INTEGER -- Most children of one rank.
-- column wan_crossings INTEGER -- WAN messages in sequence on the worst way to the root and back.
-- column wan_messages INTEGER -- WAN messages per collective.
-- column chosen BOOLEAN -- The tree that is suggested; at most one is.
-- only-data predicted_low_ns, predicted_high_ns, fan_out
-- bar predicted_ns
-- example analyze remap trace -o tree.json
"""
